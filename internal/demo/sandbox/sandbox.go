package sandbox

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// FaultPath is where faults are asked for.
const FaultPath = "/_sandbox/fault"

// Options of a sandbox. Provider and Now are required.
type Options struct {
	Provider drover.ProviderName
	Vehicles int
	Seed     uint64
	Now      func() time.Time
}

// Sandbox is a fake of one provider. It is an http.Handler.
type Sandbox struct {
	vendor vendor
	api    http.Handler
	now    func() time.Time

	mu    sync.Mutex
	fault string
	until time.Time
}

// New makes a sandbox.
func New(o Options) (*Sandbox, error) {
	v, ok := vendors[o.Provider]
	if !ok {
		return nil, fmt.Errorf("there is no provider %q", o.Provider)
	}
	// At any hour something drives: who tries it out sees positions change at once.
	fleet := sim.New(sim.Options{Vehicles: o.Vehicles, Seed: o.Seed, Busy: &sim.Busy{Roads: sim.CountryRoads}})
	account := sim.NewAccount(fleet, o.Now, v.credentials)
	return &Sandbox{vendor: v, api: v.serve(account), now: o.Now}, nil
}

// Credentials are those that the sandbox accepts, with its own address as the base
// URL: what a connection is made with.
func (s *Sandbox) Credentials(address string) map[string]string {
	all := map[string]string{provider.BaseURLField: address + s.vendor.path}
	maps.Copy(all, s.vendor.credentials)
	return all
}

// faults are what a provider can do wrong, by their names.
var faults = map[string]func(http.ResponseWriter){
	"unavailable": func(w http.ResponseWriter) { reply(w, http.StatusServiceUnavailable, "text/plain", "out of order") },
	"refused":     func(w http.ResponseWriter) { reply(w, http.StatusUnauthorized, "text/plain", "unauthorized") },
	"page": func(w http.ResponseWriter) {
		reply(w, http.StatusOK, "text/html", "<!DOCTYPE html><title>Maintenance</title>")
	},
	"object":       func(w http.ResponseWriter) { reply(w, http.StatusOK, "application/json", "{}") },
	"empty":        func(w http.ResponseWriter) { reply(w, http.StatusOK, "application/json", "[]") },
	"rate_limited": tooMany,
	"cut":          func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}

// Faults lists the names of the faults.
func Faults() []string { return slices.Sorted(maps.Keys(faults)) }

func tooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "30")
	reply(w, http.StatusTooManyRequests, "text/plain", "slow down")
}

func reply(w http.ResponseWriter, status int, media, body string) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a client that has gone away needs no answer
}

// ServeHTTP serves the provider's API, or the fault that was asked for.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == FaultPath {
		s.change(w, r)
		return
	}
	s.mu.Lock()
	fault := s.fault
	if !s.now().Before(s.until) {
		fault = ""
	}
	s.mu.Unlock()
	if fault != "" {
		faults[fault](w)
		return
	}
	s.api.ServeHTTP(w, r)
}

// change begins a fault of some seconds, 60 where none are said, or ends it.
func (s *Sandbox) change(w http.ResponseWriter, r *http.Request) {
	kind := r.FormValue("kind")
	seconds := 60.0
	if text := r.FormValue("seconds"); text != "" {
		var err error
		if seconds, err = strconv.ParseFloat(text, 64); err != nil || seconds < 0 || seconds > 86400 {
			reply(w, http.StatusBadRequest, "text/plain", "seconds is a number up to 86400\n")
			return
		}
	}
	if _, known := faults[kind]; !known && kind != "none" {
		reply(w, http.StatusBadRequest, "text/plain", "kind is none or one of "+strings.Join(Faults(), ", ")+"\n")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault, s.until = kind, s.now().Add(time.Duration(seconds*float64(time.Second))); kind == "none" {
		s.fault, s.until = "", time.Time{}
	}
	reply(w, http.StatusOK, "text/plain", "the fault is "+kind+"\n")
}
