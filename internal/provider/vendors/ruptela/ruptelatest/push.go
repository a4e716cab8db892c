package ruptelatest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/drover-fleet/drover/internal/sim"
)

// push serves the coordinates as they come, as server-sent events. It begins with
// the last one of each object, after every reconnection.
func (s *server) push(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no push", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream;charset=UTF-8")
	w.WriteHeader(http.StatusOK)
	say := func(text string) error {
		_, err := io.WriteString(w, text)
		flusher.Flush()
		return err
	}
	send := func(v sim.Vehicle, p sim.Sample) error {
		text, err := json.Marshal(coordinate(v, p))
		if err != nil {
			return err
		}
		return say(fmt.Sprintf("event:message\ndata:%s\n\n", text))
	}
	for _, v := range s.account.Vehicles() {
		if p, ok := s.account.Latest(v); ok && send(v, p) != nil {
			return
		}
	}
	_ = s.account.Follow(r.Context(), sim.Listener{ // it ends with the customer
		Send:    send,
		Idle:    func() error { return say(":\n\n") },
		Garbage: func() error { return say("data:<html>Bad gateway</html>\n\n") },
	})
}
