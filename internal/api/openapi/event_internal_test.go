package openapi

import (
	"reflect"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

// TestEventsHideQueries holds that no event says the query of a webhook's address, which may
// be a secret: everyone who reads the feed sees it.
func TestEventsHideQueries(t *testing.T) {
	t.Parallel()
	addresses := 0
	for _, s := range shapes {
		record := reflect.New(s.data).Elem()
		n := setAddresses(record)
		if n == 0 {
			continue
		}
		addresses += n
		data, ok := record.Interface().(drover.EventData)
		if !ok {
			t.Errorf("%s has an address and is no data of an event", s.name)
			continue
		}
		e, err := drover.NewEvent(s.types[0], drover.Time{}, data)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(e.Data); strings.Contains(text, "hidden") || !strings.Contains(text, "https://hooks.example/x") {
			t.Errorf("%s says %s", s.name, text)
		}
	}
	if addresses < 4 {
		t.Errorf("%d addresses are known, of milestones, their steps and what was switched off there are four", addresses)
	}
}

// setAddresses gives each address of a record a query.
func setAddresses(v reflect.Value) (n int) {
	for i := range v.NumField() {
		field, f := v.Field(i), v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "url" && field.Kind() == reflect.String:
			field.SetString("https://hooks.example/x?token=hidden")
			n++
		case name == "webhook_url":
			field.Set(reflect.ValueOf(new("https://hooks.example/x?token=hidden")))
			n++
		case field.Kind() == reflect.Struct && f.Anonymous:
			n += setAddresses(field)
		case field.Kind() == reflect.Pointer && (f.Type == reflect.TypeFor[*drover.Webhook]() || f.Type == reflect.TypeFor[*drover.Milestone]()):
			field.Set(reflect.New(f.Type.Elem()))
			n += setAddresses(field.Elem())
		}
	}
	return n
}
