package traccartest

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// The cookie of a session, and how long a session lasts.
const (
	sessionCookie   = "JSESSIONID"
	sessionLifetime = 10 * time.Minute
)

// session opens one: with a token as a parameter, or with a name and a password.
func (s *server) session(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	good := token != "" && s.account.Accepts("token", token)
	if r.Method == http.MethodPost {
		good = s.account.Accepts("email", r.PostFormValue("email")) && s.account.Accepts("password", r.PostFormValue("password"))
	}
	if !good {
		http.Error(w, "HTTP 401 Unauthorized - WebApplicationException", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: s.account.Login(sessionLifetime), Path: "/", HttpOnly: true})
	fake.Reply(w, object{"id": 1, "name": "fleet", "readonly": false})
}

// socket serves the positions as they come. The session's cookie is the only way in,
// and without one the server fails as it does for itself.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil || !s.account.LoggedIn(cookie.Value) {
		http.Error(w, "HTTP 503 Service Unavailable", http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx := conn.CloseRead(r.Context())
	_ = s.talk(ctx, conn) // it ends with the customer
}

func (s *server) talk(ctx context.Context, conn *websocket.Conn) error {
	say := func(message object) error {
		text, err := json.Marshal(message)
		if err != nil {
			return err
		}
		return conn.Write(ctx, websocket.MessageText, text)
	}
	newest := []object{}
	for _, v := range s.account.Vehicles() {
		if p, ok := s.account.Latest(v); ok {
			newest = append(newest, position(v, p))
		}
	}
	if err := say(object{"positions": newest}); err != nil {
		return err
	}
	return s.account.Follow(ctx, sim.Listener{
		Send: func(v sim.Vehicle, p sim.Sample) error {
			if err := say(object{"devices": []object{s.device(v)}}); err != nil {
				return err
			}
			return say(object{"positions": []object{position(v, p)}})
		},
		Idle:    func() error { return say(object{}) },
		Garbage: func() error { return conn.Write(ctx, websocket.MessageText, []byte("<html>Bad gateway</html>")) },
	})
}
