package milestone_test

import (
	"reflect"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

// TestSame changes each field of a state: all of them make a difference, but for how
// far it has judged.
func TestSame(t *testing.T) {
	t.Parallel()
	full := func() milestone.State {
		at := func(ms int64) *drover.Time { return new(drover.Milli(ms)) }
		return milestone.State{
			Status: drover.TripInProgress, StartedAt: at(1), EndedAt: at(2), Judged: at(3), EnteredAt: at(4), SettledAt: at(5), Silent: at(6),
			Outside: &milestone.Box{South: 1},
		}
	}
	if !milestone.Same(full(), full()) || !milestone.Same(milestone.State{}, milestone.State{}) {
		t.Error("equal states differ")
	}
	for i := range reflect.TypeFor[milestone.State]().NumField() {
		name := reflect.TypeFor[milestone.State]().Field(i).Name
		changed := full()
		field := reflect.ValueOf(&changed).Elem().Field(i)
		switch field.Kind() {
		case reflect.Bool:
			field.SetBool(true)
		case reflect.String:
			field.SetString("another")
		default:
			field.SetZero()
		}
		if got, want := milestone.Same(full(), changed), name == "Judged"; got != want {
			t.Errorf("with another %s they are the same: %t", name, got)
		}
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			if got, want := milestone.Same(full(), changed), name == "Judged"; got != want {
				t.Errorf("with %s zero they are the same: %t", name, got)
			}
		}
	}
}
