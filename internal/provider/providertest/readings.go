package providertest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// readingShare is by how much a reading may differ from the truth, of its value: vendors
// round. A unit that is mistaken for another is further off.
const readingShare = 0.01

// checkReadings checks that what comes with positions is declared and true, and that live
// positions have the kinds that the fake serves.
func (r *rig) checkReadings(t *testing.T, got []provider.Position, live bool) {
	t.Helper()
	got = slices.Concat(got, r.heard())
	truth, complaints := r.index(got), 0
	seen := map[drover.ReadingKind]bool{}
	for _, p := range got {
		_, s, found := truth.find(p.SystemDeviceID, p.Time)
		if !found || len(p.Readings) == 0 {
			continue
		}
		gauges := s.Gauges()
		for _, said := range p.Readings {
			seen[said.Kind] = true
			if complaints >= maxComplaints {
				return
			}
			if !slices.ContainsFunc(r.h.Info.Readings, func(s drover.ReadingSeries) bool { return declares(s, said.ReadingSeries) }) {
				complaints++
				t.Errorf("a reading that is not declared: %+v", said.ReadingSeries)
			}
			want, known := gauges[said.Kind]
			if slices.Contains(r.h.OtherReadings, said.NativeName) {
				known = false
			}
			if known && math.Abs(said.Value-want) > max(math.Abs(want)*readingShare, 1) {
				complaints++
				t.Errorf("device %s at %s: %s is %g, want %g", p.SystemDeviceID, p.Time, said.NativeName, said.Value, want)
			}
			if at := said.Time; !at.IsZero() && at.Before(p.Time.Add(-r.h.Tolerance.Time)) {
				complaints++
				t.Errorf("device %s: a reading of %s came with the position of %s", p.SystemDeviceID, at, p.Time)
			}
		}
	}
	for _, kind := range r.h.Readings {
		if r.pushed && r.h.PolledReadings {
			break
		}
		if live && len(got) > 0 && !seen[kind] {
			t.Errorf("no position has a reading of %s", kind)
		}
	}
}

func declares(s, said drover.ReadingSeries) bool {
	if s.Channel == provider.AnyChannel && said.Channel != "" {
		s.Channel = said.Channel
	}
	return s == said
}

// hear keeps the readings that came by themselves.
func (r *rig) hear(readings []provider.DeviceReading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, readings...)
}

// heard are the readings that came by themselves, each as if it had come with the position of
// its time: the fakes' instruments show something where there is a sample.
func (r *rig) heard() []provider.Position {
	r.mu.Lock()
	defer r.mu.Unlock()
	positions := make([]provider.Position, len(r.said))
	for i, said := range r.said {
		positions[i] = provider.Position{SystemDeviceID: said.SystemDeviceID, Readings: []provider.Reading{said.Reading}}
		positions[i].Time = said.Time
	}
	return positions
}

// CheckReadings reads vendor's answers, in JSON, and compares what their instruments say with
// what is wanted, by the vendor's names and to the digit: a factor that is off is found.
func CheckReadings[T any](t *testing.T, cases map[string]map[string]float64, read func(T) []provider.Reading) {
	t.Helper()
	for payload, want := range cases {
		var answer T
		if err := json.Unmarshal([]byte(payload), &answer); err != nil {
			t.Errorf("%s: %v", payload, err)
			continue
		}
		got := map[string]float64{}
		for _, r := range read(answer) {
			got[r.NativeName] = math.Round(r.Value*1e6) / 1e6
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", payload, diff)
		}
	}
}

// CheckOdometer is CheckReadings for vendors that have an odometer alone, in kilometres.
func CheckOdometer[T any](t *testing.T, name string, instruments []provider.Instrument[T]) {
	t.Helper()
	cases := map[string]map[string]float64{"{}": {}}
	for value, want := range map[string]float64{"210454.468": 210454468, `"5"`: 5000, "-1": 0, "65535": 0, "null": 0} {
		payload := fmt.Sprintf("{%q:%s}", name, value)
		if cases[payload] = map[string]float64{name: want}; want == 0 {
			cases[payload] = map[string]float64{}
		}
	}
	CheckReadings(t, cases, func(from T) []provider.Reading { return provider.Readings(from, instruments) })
}

// Passing is a clock that goes on by a step with each look.
func Passing(from time.Time, step time.Duration) func() time.Time {
	return func() time.Time {
		from = from.Add(step)
		return from
	}
}
