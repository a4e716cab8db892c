// Package scaniatest is a fake of Scania's data access, rFMS 4.0, that serves a
// simulated fleet.
package scaniatest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/provider/kit/rfms/rfmstest"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// SecretKey is the client_secret that an account must have: the protocol never
// sends it, so the server has to know it to check what it signed.
const SecretKey = "ZHJvdmVyLXNpbXVsYXRlZC1mbGVldC1zZWNyZXQta2V5"

type server struct {
	account *sim.Account

	mu         sync.Mutex
	challenges map[string]bool
	asked      int
}

// New returns a server, with the login below /auth and rFMS below /rfms4. The
// account's credentials are client_id, and client_secret with SecretKey.
func New(account *sim.Account) http.Handler {
	s := &server{account: account, challenges: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /auth/clientid2challenge", s.challenge)
	mux.HandleFunc("POST /auth/response2token", s.token)
	s.routes(mux, s.guarded)
	return mux
}

// Resources returns a server of rFMS below /rfms4 that asks for no token and takes any
// version, for fakes of makers that serve the same and let others in in a manner of their own.
func Resources(account *sim.Account) http.Handler {
	mux := http.NewServeMux()
	(&server{account: account}).routes(mux, func(_ string, serve http.HandlerFunc) http.HandlerFunc { return serve })
	return mux
}

func (s *server) routes(mux *http.ServeMux, guarded func(resource string, serve http.HandlerFunc) http.HandlerFunc) {
	mux.HandleFunc("GET /rfms4/vehicles", guarded("vehicles", s.vehicles))
	mux.HandleFunc("GET /rfms4/vehiclepositions", guarded("vehiclepositions", s.positions))
	mux.HandleFunc("GET /rfms4/vehiclestatuses", guarded("vehiclestatuses", s.statuses))
}

func (s *server) challenge(w http.ResponseWriter, r *http.Request) {
	if !s.account.Accepts("client_id", r.PostFormValue("clientId")) {
		refuse(w, http.StatusBadRequest, "InvalidClient", "Unknown client")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	challenge := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "challenge number %d", s.asked))
	s.challenges[s.sign(challenge)] = true
	fake.Reply(w, object{"challenge": challenge})
}

// sign returns the response that answers a challenge.
func (s *server) sign(challenge string) string {
	key, _ := base64.RawURLEncoding.DecodeString(SecretKey)
	message, _ := base64.RawURLEncoding.DecodeString(challenge)
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	response := r.PostFormValue("Response")
	if !s.challenges[response] || !s.account.Accepts("client_secret", SecretKey) ||
		!s.account.Accepts("client_id", r.PostFormValue("clientId")) {
		refuse(w, http.StatusUnauthorized, "InvalidResponse", "The response does not match the challenge")
		return
	}
	delete(s.challenges, response)
	fake.Reply(w, object{"token": s.account.Login(time.Hour), "refreshToken": "not-supported-here"})
}

// guarded checks what every resource checks.
func (s *server) guarded(resource string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !ok:
			refuse(w, http.StatusBadRequest, "MissingAccessToken", "The Authorization header is missing")
		case !s.account.LoggedIn(token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "InvalidAccessToken", "The access token is not valid")
		case !strings.HasPrefix(r.Header.Get("Accept"), "application/json; rfms="+resource+".v4.0"):
			refuse(w, http.StatusNotAcceptable, "NotAcceptable", "The version is not served")
		default:
			serve(w, r)
		}
	}
}

// extended reports whether Scania's own fields are asked for.
func extended(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "; scania=") }

func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	page, more := rfmstest.Vehicles(s.account, r.URL.Query())
	list := []object{}
	for _, v := range page {
		list = append(list, vehicle(v, extended(r)))
	}
	fake.Reply(w, object{
		"vehicleResponse":   object{"vehicles": list},
		"moreDataAvailable": more, "moreDataAvailableLink": nil,
	})
}

func vehicle(v sim.Vehicle, extended bool) object {
	paths := []string{}
	if v.Active {
		paths = []string{"/vehiclepositions", "/vehiclestatuses"}
	}
	o := object{
		"vin": v.VIN, "customerVehicleName": v.Name, "brand": v.Make, "model": v.Model, "type": "TRUCK",
		"productionDate":   object{"day": 1, "month": 3, "year": v.Year},
		"possibleFuelType": []string{"1A"}, "emissionLevel": "EURO_VI", "authorizedPaths": paths,
	}
	if extended {
		o["registrationNumber"] = v.Registration
	}
	return o
}

// object is a JSON object.
type object map[string]any

func refuse(w http.ResponseWriter, status int, code, description string) {
	fake.ReplyStatus(w, status, object{"error": code, "error_description": description})
}
