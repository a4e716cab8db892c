package navixytest

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/drover-fleet/drover/internal/sim"
)

// socket serves the states of trackers as they change. Times are those of the user,
// without a zone.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("X-Atmosphere-Transport") != "websocket" {
		http.Error(w, "no transport", http.StatusBadRequest)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	_ = s.talk(r.Context(), conn) // it ends with the customer
}

// subscription is what a customer asks for.
type subscription struct {
	Action   string `json:"action"`
	Hash     string `json:"hash"`
	Requests []struct {
		Type   string `json:"type"`
		Target struct {
			Type string `json:"type"`
		} `json:"target"`
	} `json:"requests"`
}

func (s *server) talk(ctx context.Context, conn *websocket.Conn) error {
	say := func(text string) error { return conn.Write(ctx, websocket.MessageText, []byte(text)) }
	tell := func(message object) error {
		text, err := json.Marshal(message)
		if err != nil {
			return err
		}
		return say(string(text))
	}
	if err := say("b623a15d-9623-4fd8-a9d3-697036635c29|30000|X|"); err != nil {
		return err
	}
	_, text, err := conn.Read(ctx)
	if err != nil {
		return err
	}
	var asked subscription
	if json.Unmarshal(text, &asked) != nil || asked.Action != "subscribe" || !s.account.Accepts("api_key", asked.Hash) {
		return tell(object{
			"type": "error", "action": "subscription/subscribe",
			"status": object{"code": wrongHash.code, "description": wrongHash.description},
		})
	}
	if len(asked.Requests) != 1 || asked.Requests[0].Type != "state_batch" || asked.Requests[0].Target.Type != "all" {
		return tell(object{
			"type": "error", "action": "subscription/subscribe",
			"status": object{"code": badParams.code, "description": badParams.description},
		})
	}
	if err := tell(object{
		"type": "response", "action": "subscription/subscribe", "events": []string{"state_batch"},
		"data": object{"state_batch": object{"success": true}},
	}); err != nil {
		return err
	}
	all := []object{}
	for _, v := range s.account.Vehicles() {
		if p, ok := s.account.Latest(v); ok {
			all = append(all, state(v, p))
		}
	}
	if err := tell(s.batch(all)); err != nil {
		return err
	}
	go func() { // the customer shows that it is there
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
		}
	}()
	return s.account.Follow(ctx, sim.Listener{
		Send: func(v sim.Vehicle, p sim.Sample) error {
			if newest, ok := s.account.Latest(v); !ok || newest.ID != p.ID {
				return nil // a state is the newest
			}
			return tell(s.batch([]object{state(v, p)}))
		},
		Idle:    func() error { return say("X") },
		Garbage: func() error { return say("<html>Bad gateway</html>") },
	})
}

func (s *server) batch(states []object) object {
	return object{"type": "event", "event": "state_batch", "user_time": local(s.account.Now()), "data": states}
}

// state has the id of the source, which is not that of the tracker.
func state(v sim.Vehicle, p sim.Sample) object {
	return object{
		"source_id": 200_000 + v.Index, "connection_status": "active", "movement_status": "moving", "ignition": *p.Ignition,
		"last_update": local(p.Received),
		"gps": object{
			"updated": local(p.Time.Time), "signal_level": 100, "location": object{"lat": p.Latitude, "lng": p.Longitude},
			"heading": *p.Heading, "speed": math.Round(*p.SpeedKPH), "alt": 0,
		},
	}
}

func local(t time.Time) string { return t.In(zone).Format("2006-01-02 15:04:05") }
