package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestWordsWhereTheyAre holds descriptions that stand under one name for many schemas to
// where they are: a record that has all of another's fields says the same of them, and so do
// the events; what a sum says is not what one record says.
func TestWordsWhereTheyAre(t *testing.T) {
	t.Parallel()
	text, err := Document("")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	words := func(schema, property string) string {
		return document.Components.Schemas[schema].Properties[property].Description
	}
	same := func(schema, as string) {
		t.Helper()
		for property := range document.Components.Schemas[as].Properties {
			if got, want := words(schema, property), words(as, property); got != want {
				t.Errorf("%s.%s says %q, and %s.%s %q", schema, property, got, as, property, want)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(document.Components.Schemas)) {
		if strings.HasSuffix(name, "Event") && name != "Event" && words(name, "sequence") != "" {
			same(name, "TripEvent")
		}
	}
	same("MilestoneLateness", "Milestone")
	same("MilestoneStep", "Milestone")
	same("TripView", "Trip")
	same("ConnectionView", "Connection")
	same("ConnectionFailure", "Connection")
	same("ConnectionDoubt", "Connection")
	same("CoverageLoss", "Connection")
	same("WebhookCreated", "Webhook")
	same("WebhookView", "Webhook")
	same("ManagedTenantDetail", "ManagedTenant")
	for place, want := range map[string]string{
		"DeviceTagInput.device_ids": "tag", "WebhookFilters.device_ids": "events", "Trip.end_time": "ended", "Milestone.end_time": "is to end",
		"AdminInput.email": "user", "Connection.email": "business", "TenantCreated.limits": "tenant", "Provider.limits": "called",
		"Usage.tenant_id": "Id of the tenant.", "TripSums.driving_seconds": "over the valid trips", "Trip.driving_seconds": "provider",
		"MilestoneTimeoutState.distance_to_destination_km": "Null", "MilestoneValidState.distance_to_destination_km": "remains in",
	} {
		schema, property, _ := strings.Cut(place, ".")
		if got := words(schema, property); !strings.Contains(got, want) {
			t.Errorf("%s says %q, which has nothing of %q", place, got, want)
		}
	}
}

// TestSchemasAreReferredTo holds that nothing is described that no one can meet.
func TestSchemasAreReferredTo(t *testing.T) {
	t.Parallel()
	text, err := Document("")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for name := range document.Components.Schemas {
		if !strings.Contains(string(text), `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to %s", name)
		}
	}
}
