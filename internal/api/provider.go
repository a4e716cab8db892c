package api

import (
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

func (s *server) providerRoutes() []route {
	return []route{
		op(http.MethodGet, "/provider", s.listProviders).
			named("listProviders", tagProvider, "List providers",
				"Every supported provider: its credential fields, what it can report, how often it is asked.").
			can(errorsOfList...),
	}
}

// providerView is a provider as the interface shows it.
type providerView struct {
	Name        drover.ProviderName `json:"name"`
	Title       string              `json:"title"`
	Homepage    string              `json:"homepage"`
	Credentials []fieldView         `json:"credentials"`
	Features    featuresView        `json:"features"`
	Polling     pollingView         `json:"polling"`
	Limits      []limitView         `json:"limits"`
	Notes       []string            `json:"notes"`
	Readings    []instrumentView    `json:"readings" doc:"What is read of the vehicles' instruments, where the vehicle has them."`
	SafetyTypes []drover.SafetyType `json:"safety_types" doc:"The types of the safety events that are read, besides other; empty where none are."`
	Faults      []string            `json:"faults" doc:"What the provider calls the faults that are read; empty where none are."`
	Assignments []string            `json:"driver_assignments" doc:"What the provider calls its own assignments of drivers that are read; empty where none are."`
}

type instrumentView struct {
	Kind       drover.ReadingKind    `json:"kind"`
	Channel    *string               `json:"channel" doc:"Which of several; * where the account says how many there are, null where there is one."`
	Source     *drover.ReadingSource `json:"source" doc:"Who measures or counts; null where the provider does not say."`
	NativeName string                `json:"native_name" doc:"What the provider calls it."`
}

type fieldView struct {
	Name           string   `json:"name"`
	Title          string   `json:"title"`
	Help           string   `json:"help"`
	Required       bool     `json:"required"`
	RequiredUnless []string `json:"required_unless"`
	Secret         bool     `json:"secret"`
	Default        *string  `json:"default"`
	Options        []string `json:"options"`
}

type featuresView struct {
	Trips     drover.TripSource `json:"trips"`
	TripsNeed *string           `json:"trips_need" doc:"Credential without which trips are derived all the same."`
	Feed      bool              `json:"feed"`
	Snapshot  bool              `json:"snapshot" doc:"Live positions are the newest of each device; the track between two polls is read hourly."`
	Push      bool              `json:"push" doc:"The provider sends positions by itself while a stream to it is open; it is polled more seldom then."`
	Backfill  bool              `json:"backfill"`
	Heading   bool              `json:"heading"`
	Speed     bool              `json:"speed"`
	Driver    bool              `json:"driver"`
	Drivers   bool              `json:"drivers" doc:"The persons who drive are listed."`
	Ignition  bool              `json:"ignition"`
	Odometer  bool              `json:"odometer"`
	Idling    bool              `json:"idling"`
	Auxiliary bool              `json:"auxiliary"`
	Records   bool              `json:"records,omitempty" doc:"There is no one to ask: programs send records to the connection. Absent otherwise."`
}

type pollingView struct {
	DevicesSeconds   int  `json:"devices_seconds"`
	PositionsSeconds int  `json:"positions_seconds"`
	TripsSeconds     *int `json:"trips_seconds"`
	FreshnessSeconds int  `json:"freshness_seconds" doc:"How long after the provider has a position it is read: of 500 devices, for 95 of 100 positions."`
}

type limitView struct {
	Path       string `json:"path"`
	Requests   *int   `json:"requests"`
	PerSeconds *int   `json:"per_seconds"`
	Concurrent *int   `json:"concurrent"`
}

func (s *server) listProviders(*call) ([]providerView, error) {
	infos := s.Fleet.Connections.ProviderList()
	out := make([]providerView, len(infos))
	for i, info := range infos {
		out[i] = viewProvider(info)
	}
	return out, nil
}

func viewProvider(info provider.Info) providerView {
	f := info.Features
	v := providerView{
		Name: info.Name, Title: info.Title, Homepage: info.Homepage, Credentials: []fieldView{}, Limits: []limitView{},
		Notes: info.Hints(), Readings: make([]instrumentView, len(info.Readings)), Faults: []string{}, SafetyTypes: []drover.SafetyType{},
		Assignments: []string{},
		Features: featuresView{
			Trips: drover.TripsDerived, Feed: f.Feed, Snapshot: f.Snapshot, Push: info.Push != nil, Backfill: f.Backfill, Heading: f.Heading,
			Speed: f.Speed, Driver: f.Driver, Drivers: f.Drivers,
			Ignition: f.Ignition, Odometer: f.Odometer, Idling: f.Idling, Auxiliary: f.Auxiliary, Records: info.Records,
		},
		Polling: pollingView{
			DevicesSeconds: seconds(info.Poll.Devices), PositionsSeconds: seconds(info.Poll.Positions),
			FreshnessSeconds: seconds(info.Fresh()),
		},
	}
	if f.Trips {
		every := seconds(info.Poll.Trips)
		v.Features.Trips, v.Polling.TripsSeconds = drover.TripsNative, &every
		if f.TripsNeed != "" {
			v.Features.TripsNeed = &f.TripsNeed
		}
	}
	for i, r := range info.Readings {
		v.Readings[i] = instrumentView{Kind: r.Kind, NativeName: r.NativeName}
		if r.Channel != "" {
			v.Readings[i].Channel = &r.Channel
		}
		if r.Source != "" {
			v.Readings[i].Source = &r.Source
		}
	}
	if info.Safety != nil {
		v.SafetyTypes = append(v.SafetyTypes, info.Safety.Types...)
	}
	if info.Faults != nil {
		v.Faults = append(v.Faults, info.Faults.Names...)
	}
	if info.Assignments != nil {
		v.Assignments = append(v.Assignments, info.Assignments.Names...)
	}
	for _, field := range info.Fields {
		v.Credentials = append(v.Credentials, viewField(field))
	}
	for _, l := range info.Limits {
		v.Limits = append(v.Limits, limitView{
			Path: l.Path, Requests: positive(l.Requests), PerSeconds: positive(seconds(l.Per)),
			Concurrent: positive(l.Concurrent),
		})
	}
	return v
}

func viewField(f provider.Field) fieldView {
	v := fieldView{
		Name: f.Name, Title: f.Title, Help: f.Help, Required: f.Required, Secret: f.Secret,
		RequiredUnless: append([]string{}, f.RequiredUnless...), Options: append([]string{}, f.Options...),
	}
	if f.Default != "" {
		v.Default = &f.Default
	}
	return v
}

func seconds(d time.Duration) int { return int(d.Seconds()) }

// positive is nil for a limit that is not set.
func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}
