package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/drover-fleet/drover"
)

// tenant is one of the three, with what it was answered by the service.
type tenant struct {
	world  *world
	index  int
	name   string
	id     string
	token  string
	random *rand.Rand

	connection drover.Connection
	webhook    string
	receiver   *receiver
	suspended  timeline
	devices    []string             // its own, by id
	values     map[string]*register // what was written, by path
	created    []*creation
	journeys   []string // ids of milestones that may be there
	written    int

	seen []*sighting // events, by its stream
}

// register is a value that was written: the one that was acknowledged last, and
// those that may have been written since.
type register struct{ possible []string }

// creation is a record that was asked for with a key.
type creation struct {
	mark    int    // its radius, by which it is found
	id      string // empty where no answer was had
	deleted certainty
}

func newTenant(w *world, i int, key tenantKey) *tenant {
	t := &tenant{world: w, index: i, name: fmt.Sprintf("tenant %d", i), id: key.id, token: key.token, values: map[string]*register{}}
	t.random = stream(w.seed, t.name)
	t.receiver = newReceiver(w, t)
	return t
}

func (t *tenant) receiverHost() string { return fmt.Sprintf("10.2.0.%d", t.index+1) }

// answer is what a client has of a request.
type answer struct {
	status int
	body   []byte
}

// Of what a client can know: the service has done it, has refused it, or no one can
// tell.
func (a answer) done() bool    { return a.status/100 == 2 }
func (a answer) refused() bool { return a.status/100 == 4 }

// data reads the answer's data.
func (a answer) data(into any) error {
	return json.Unmarshal(a.body, &struct{ Data any }{into})
}

// call makes a request. It comes back without a status where the answer got lost.
func (t *tenant) call(method, path, body, key string) answer {
	w := t.world
	bad := w.faults.Load() && w.plan.has(badClients)
	w.bus.wait(t.name + " asks " + method)
	p := w.process()
	if p == nil || bad && t.random.IntN(15) == 0 {
		return answer{}
	}
	req := httptest.NewRequest(method, path, bytes.NewReader([]byte(body)))
	req.Header.Set("Authorization", "Bearer "+t.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	rec := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.app.API.ServeHTTP(rec, req)
	}()
	select {
	case <-done:
	case <-p.died:
	}
	if p.dead.Load() || bad && t.random.IntN(15) == 0 {
		w.trace.add("%s %s %s: lost", t.name, method, path)
		return answer{}
	}
	w.trace.add("%s %s %s: %d", t.name, method, path, rec.Code)
	return answer{rec.Code, rec.Body.Bytes()}
}

// connect makes the tenant's connection and webhook, before anything goes wrong.
func (t *tenant) connect(context.Context) error {
	v := t.world.vendors[t.index]
	credentials := map[string]string{"base_url": "http://" + v.host}
	maps.Copy(credentials, fleets[t.index].credentials)
	body, err := json.Marshal(map[string]any{
		"integration_name": v.provider, "business_name": t.name, "credentials": credentials, "collection_start_time": begin.Format(time.RFC3339),
	})
	if err != nil {
		return err
	}
	if a := t.call(http.MethodPost, "/connection", string(body), ""); !a.done() {
		return fmt.Errorf("POST /connection: %d %s", a.status, a.body)
	} else if err := a.data(&t.connection); err != nil {
		return err
	}
	var hook drover.Webhook
	a := t.call(http.MethodPost, "/webhook", fmt.Sprintf(`{"url":"http://%s/hook","options":{"include_driver_id":true}}`, t.receiverHost()),
		"")
	if !a.done() {
		return fmt.Errorf("POST /webhook: %d %s", a.status, a.body)
	}
	if err := a.data(&hook); err != nil {
		return err
	}
	t.webhook = hook.ID
	return t.learn()
}

// learn waits for the tenant's devices.
func (t *tenant) learn() error {
	for range 30 {
		time.Sleep(pollInterval / 2)
		a := t.call(http.MethodGet, "/device?connection_id="+t.connection.ID, "", "")
		var devices []drover.Device
		if !a.done() || a.data(&devices) != nil || len(devices) < fleets[t.index].vehicles {
			continue
		}
		for _, d := range devices {
			t.devices = append(t.devices, d.ID)
		}
		return nil
	}
	return errors.New("the devices were never listed")
}

// act does what tenants do, one thing after the other.
func (t *tenant) act(ctx context.Context) {
	for sleep(ctx, time.Duration(500+t.random.IntN(12_000))*time.Millisecond) {
		switch t.random.IntN(12) {
		case 0, 1:
			t.write("/device/"+t.pick(t.devices), "description", fmt.Sprintf("write %d", t.number()))
		case 2, 3:
			t.create(ctx)
		case 4:
			if id := t.pick(t.journeys); id != "" {
				t.write("/milestone/"+id, "end_time", begin.Add(24*time.Hour+time.Duration(t.number())*time.Second).Format(time.RFC3339))
			}
		case 5:
			t.remove()
		case 6:
			t.readBack()
		case 7:
			t.offer(t.other())
		case 8:
			t.accept(t.other())
		case 9:
			t.endShare(t.other())
		case 10:
			t.readForeign(t.other())
		case 11:
			t.readNewest()
		}
	}
}

func (t *tenant) number() int {
	t.written++
	return t.written
}

func (t *tenant) pick(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[t.random.IntN(len(ids))]
}

func (t *tenant) other() *tenant {
	return t.world.tenants[(t.index+1+t.random.IntN(len(t.world.tenants)-1))%len(t.world.tenants)]
}
