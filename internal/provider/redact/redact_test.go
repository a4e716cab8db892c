package redact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/provider/redact"
)

func TestFieldsShowNoValue(t *testing.T) {
	t.Parallel()
	f := redact.Fields{}
	f.Read([]byte(`{"vehicles":[{"id":1234567,"plate":"AB-123","at":"2024-05-02T10:15:30Z","speed":"12.5","on":null},{"id":"x","km":1.5}],"AB-123 CD":{"lat":48.1},"none":[]}`))
	want := []string{
		"none[]: none", "vehicles[].at: time with zone", "vehicles[].id: integer, text", "vehicles[].km: decimal",
		"vehicles[].on: null", "vehicles[].plate: text", "vehicles[].speed: number as text", "{…}.lat: decimal",
	}
	if got := f.List(); !slices.Equal(got, want) {
		t.Errorf("fields are %q, want %q", got, want)
	}
}

func TestFieldsOfOtherAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"": "(whole): empty", "nonsense": "(whole): text that is no JSON", "null": "(whole): null",
		`<Fleet><Equipment id="7"><Name>Digger</Name></Equipment></Fleet>`: "Fleet.Equipment.Name: text Fleet.Equipment@id: number as text",
	} {
		f := redact.Fields{}
		f.Read([]byte(body))
		if got := strings.Join(f.List(), " "); got != want {
			t.Errorf("%q is %q, want %q", body, got, want)
		}
	}
}

func TestPathHidesIDs(t *testing.T) {
	t.Parallel()
	known := func(word string) bool { return word == "truck" }
	for path, want := range map[string]string{
		"/rest/vehicles/AB123CD/events": "/rest/vehicles/{…}/events",
		"/v1/fleet/vehicles/2812":       "/v1/fleet/vehicles/{…}",
		"/api/truck/trips":              "/api/{…}/trips",
		"/Fleet/Equipment":              "/Fleet/Equipment",
	} {
		if got := redact.Path(path, known); got != want {
			t.Errorf("%s is shown as %s, want %s", path, got, want)
		}
	}
}
