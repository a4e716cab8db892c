package simulate

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// receiver is where a tenant's webhook goes.
type receiver struct {
	world  *world
	tenant *tenant
	random *rand.Rand

	mu       sync.Mutex
	tries    map[string]int
	attempts []*attempt
}

// attempt is a delivery as the network saw it.
type attempt struct {
	id     string // webhook-id
	typ    string
	at     time.Time // when the process sent it
	status int       // 0 where it never arrived
	known  time.Time // when the process had the answer; zero where it never did
	body   string
}

// data is what was sent of the event; none where it never arrived.
func (a *attempt) data() json.RawMessage {
	var body struct{ Data json.RawMessage }
	_ = json.Unmarshal([]byte(a.body), &body)
	return body.Data
}

func newReceiver(w *world, t *tenant) *receiver {
	return &receiver{world: w, tenant: t, random: stream(w.seed, "receiver "+t.name), tries: map[string]int{}}
}

// hopeless is how often a delivery fails at the most: the next tries are hours away.
const hopeless = 2

// fault implements host. It notes the attempt, whatever becomes of it.
func (r *receiver) fault(req *http.Request, sent time.Time) fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.Header.Get("Webhook-Id")
	r.attempts = append(r.attempts, &attempt{id: id, at: sent})
	if r.tries[id]++; !r.bad(id) {
		return noFault
	}
	return []fault{refused, lost, hanging, slow}[r.random.IntN(4)]
}

// bad reports whether a delivery goes wrong this time.
func (r *receiver) bad(id string) bool {
	return r.world.faults.Load() && r.world.plan.has(badReceiver) && r.tries[id] <= hopeless && r.random.Float64() < r.world.plan.receivers
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	text, _ := io.ReadAll(req.Body) // it is in memory
	var body struct{ Type string }
	_ = json.Unmarshal(text, &body) // what is no JSON has no type, and no check accepts that
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.attempts[len(r.attempts)-1]
	a.typ, a.body, a.status = body.Type, string(text), http.StatusOK
	if r.bad(a.id) {
		a.status = []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests}[r.random.IntN(3)]
		w.Header().Set("Retry-After", "3")
	}
	w.WriteHeader(a.status)
}

// answered implements acknowledged.
func (r *receiver) answered(req *http.Request, _ int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.Header.Get("Webhook-Id")
	for i, attempt := range slices.Backward(r.attempts) {
		if attempt.id == id {
			r.attempts[i].known = time.Now()
			return
		}
	}
}
