package drover_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

func TestOptional(t *testing.T) {
	t.Parallel()
	one, two := 1, 2
	for name, test := range map[string]struct {
		field     drover.Optional[int]
		nullable  *int // after Apply to 1
		value     int  // after ApplyValue to 1
		printed   string
		isPrinted bool
	}{
		"Absent": {drover.Optional[int]{}, &one, 1, "null", false},
		"Null":   {drover.Null[int](), nil, 1, "null", true},
		"Value":  {drover.Some(2), &two, 2, "2", true},
	} {
		nullable, value := &one, 1
		test.field.Apply(&nullable)
		test.field.ApplyValue(&value)
		if !cmp.Equal(test.nullable, nullable) || value != test.value {
			t.Errorf("%s: %v and %d, want %v and %d", name, nullable, value, test.nullable, test.value)
		}
		if text, err := json.Marshal(test.field); err != nil || string(text) != test.printed || test.field.Set != test.isPrinted {
			t.Errorf("%s: prints %s, %v", name, text, err)
		}
	}
}

func device() drover.Device {
	description, year := "Truck 1", 2020
	return drover.Device{
		ID: "d", SystemDeviceID: "1001", ConnectionID: "c", Description: &description, Year: &year, Active: true,
		Tags: []string{"north"},
	}
}

func TestDeviceUpdate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		update drover.DeviceUpdate
		change func(*drover.Device)
	}{
		"Nothing": {drover.DeviceUpdate{}, func(*drover.Device) {}},
		"Cleared": {
			drover.DeviceUpdate{Description: drover.Null[string](), Year: drover.Null[int]()},
			func(d *drover.Device) { d.Description, d.Year = nil, nil },
		},
		"Inactive": {drover.DeviceUpdate{Active: drover.Some(false)}, func(d *drover.Device) { d.Active = false }},
		"Tags":     {drover.DeviceUpdate{Tags: drover.Some([]string{" South", "south"})}, func(d *drover.Device) { d.Tags = []string{"south"} }},
		"NoTags":   {drover.DeviceUpdate{Tags: drover.Null[[]string]()}, func(d *drover.Device) { d.Tags = []string{} }},
		"Texts": {
			drover.DeviceUpdate{Registration: drover.Some("ABC-123"), Make: drover.Some("Volvo"), Model: drover.Some("FH")},
			func(d *drover.Device) {
				d.Registration, d.Make, d.Model = new("ABC-123"), new("Volvo"), new("FH")
			},
		},
	} {
		want := device()
		test.change(&want)
		got, err := test.update.Apply(device())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if same := drover.SameDevice(device(), got); same != (name == "Nothing") {
			t.Errorf("%s: the same as before: %t", name, same)
		}
	}
	if _, err := (drover.DeviceUpdate{Tags: drover.Some([]string{""})}).Apply(device()); err == nil {
		t.Error("a blank tag was accepted")
	}
}

func TestWebhookFilter(t *testing.T) {
	t.Parallel()
	subject := drover.Subject{ConnectionID: "c1", DeviceID: "d1", SystemDeviceID: "1001", Tags: []string{"north"}}
	for name, test := range map[string]struct {
		input drover.WebhookFiltersInput
		want  bool
	}{
		"Connection":      {drover.WebhookFiltersInput{ConnectionIDs: []string{"c0", "c1"}}, true},
		"OtherConnection": {drover.WebhookFiltersInput{ConnectionIDs: []string{"c2"}}, false},
		"Device":          {drover.WebhookFiltersInput{DeviceIDs: []string{"d1"}}, true},
		"OtherDevice":     {drover.WebhookFiltersInput{DeviceIDs: []string{"1001"}}, false},
		"Tag":             {drover.WebhookFiltersInput{Tags: []string{" NORTH "}}, true},
		"OtherTag":        {drover.WebhookFiltersInput{Tags: []string{"south"}}, false},
		"ProviderID":      {drover.WebhookFiltersInput{ConnectionDevices: []drover.ConnectionDevicesInput{{"c1", []string{"1001"}}}}, true},
		"OfAnother":       {drover.WebhookFiltersInput{ConnectionDevices: []drover.ConnectionDevicesInput{{"c2", []string{"1001"}}}}, false},
		"AnyListIsEnough": {drover.WebhookFiltersInput{DeviceIDs: []string{"d9"}, Tags: []string{"north"}}, true},
	} {
		filters, err := test.input.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		if got := filters.Compile().Match(subject); got != test.want {
			t.Errorf("%s: matches %t, want %t", name, got, test.want)
		}
	}
}

func TestWebhookFilterIsNormalized(t *testing.T) {
	t.Parallel()
	var none *drover.WebhookFiltersInput
	empty, err := none.Normalize()
	if err != nil || !empty.Compile().Empty() {
		t.Errorf("no filters: %v, %v", empty, err)
	}
	got, err := (&drover.WebhookFiltersInput{DeviceIDs: []string{"a", "b", "a"}, Tags: []string{"X", "x "}}).Normalize()
	want := drover.WebhookFilters{
		ConnectionIDs: []string{}, Tags: []string{"x"}, DeviceIDs: []string{"a", "b"},
		ConnectionDevices: []drover.ConnectionDevices{},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got.Compile().Empty() {
		t.Error("filters that ask for something count as none")
	}
}
