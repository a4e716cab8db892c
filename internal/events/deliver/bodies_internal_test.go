package deliver

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/drover-fleet/drover"
)

// TestBodies renders an event once for all webhooks with the same options, and again for
// what differs in anything that the body is made from.
func TestBodies(t *testing.T) {
	t.Parallel()
	const first, second = "019b0000-0000-7000-8000-000000000001", "019b0000-0000-7000-8000-000000000002"
	point := func(driver string) json.RawMessage {
		batch := drover.PositionBatch{ConnectionID: first}
		for _, id := range []string{first, second} {
			p := drover.Position{SpeedKPH: new(50.0), DriverID: &driver}
			batch.Positions = append(batch.Positions, drover.DevicePosition{DeviceID: id, CurrentPosition: *p.View()})
		}
		text, err := json.Marshal(batch)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	b := newBodies()
	d := drover.Delivery{EventID: first, Sequence: 7, Type: drover.EventPositionUpdated}
	body := func(d drover.Delivery, data json.RawMessage) *byte {
		text, err := b.of(d, data)
		if err != nil {
			t.Fatal(err)
		}
		want, err := render(d, data)
		if err != nil || string(text) != string(want) {
			t.Errorf("kept %s, made %s, %v", text, want, err)
		}
		return &text[0]
	}
	one, another := d, d
	one.Target, another.Target = drover.Target{ID: first}, drover.Target{ID: second}
	if body(one, point("D-1")) != body(another, point("D-1")) {
		t.Error("an event is rendered for each webhook")
	}
	kept := body(one, point("D-1"))
	for name, other := range map[string]func(d *drover.Delivery){
		"Speed":    func(d *drover.Delivery) { d.Options.IncludeSpeed = true },
		"Driver":   func(d *drover.Delivery) { d.Options.IncludeDriverID = true },
		"Devices":  func(d *drover.Delivery) { d.Devices = []string{second} },
		"Event":    func(d *drover.Delivery) { d.EventID = second },
		"Sequence": func(d *drover.Delivery) { d.Sequence = 8 },
	} {
		changed := d
		if other(&changed); body(changed, point("D-1")) == kept {
			t.Errorf("%s: the body of another delivery is sent", name)
		}
	}
	if body(d, point("D-2")) == kept {
		t.Error("what may no longer be read is sent")
	}
}

// TestBodiesAtOnce renders an event once for webhooks that are sent to at the same moment,
// and again later where that failed.
func TestBodiesAtOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{"Rendered": nil, "Failed": errNotRendered} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun, goOn := make(chan struct{}, 10), make(chan struct{})
				b := newBodies()
				b.render = func(drover.Delivery, json.RawMessage) ([]byte, error) {
					begun <- struct{}{}
					<-goOn
					return []byte("{}"), fault
				}
				var sent sync.WaitGroup
				var texts [4][]byte
				for i := range texts {
					sent.Go(func() {
						var err error
						if texts[i], err = b.of(drover.Delivery{EventID: "e"}, nil); !errors.Is(err, fault) {
							t.Errorf("delivery %d: %v", i, err)
						}
					})
				}
				synctest.Wait()
				if len(begun) != 1 {
					t.Errorf("rendered %d times at once", len(begun))
				}
				close(goOn)
				sent.Wait()
				for i, text := range texts {
					if string(text) != "{}" {
						t.Errorf("delivery %d has the body %q", i, text)
					}
				}
				if _, err := b.of(drover.Delivery{EventID: "e"}, nil); !errors.Is(err, fault) || fault != nil && len(begun) != 2 {
					t.Errorf("after that: %v, rendered %d times", err, len(begun))
				}
			})
		})
	}
}
