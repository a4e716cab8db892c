package traccar

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// silence is longer than the 55 seconds after which a server says that it is there.
const silence = 150 * time.Second

// push is the server's websocket.
var push = &provider.Push{Poll: 5 * time.Minute, Freshness: 5 * time.Second}

var _ provider.Pusher = (*Adapter)(nil)

// Push implements provider.Pusher. The socket begins with the newest position of
// each device.
func (a *Adapter) Push(ctx context.Context, take func([]provider.Position) error) error {
	cookie, err := a.session(ctx)
	if err != nil {
		return err
	}
	req, err := wire.Get(ctx, a.api.Base+"/socket", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Cookie", cookie)
	socket, err := a.cfg.Pushes.Socket(req, silence)
	if err != nil {
		return err
	}
	defer socket.Close()
	for records := []provider.Position(nil); ; {
		if err := take(records); err != nil {
			return err
		}
		data, err := socket.Read()
		if err != nil {
			return err
		}
		var message struct {
			Positions []position `json:"positions"`
		}
		if err := json.Unmarshal(data, &message); err != nil {
			return provider.Errorf(provider.KindTemporary, "the server's socket says what is not JSON")
		}
		records = wire.Records(message.Positions, position.record)
	}
}

// session opens a session and returns its cookie: nothing else opens a socket on all
// servers.
func (a *Adapter) session(ctx context.Context) (string, error) {
	req, err := a.login(ctx)
	if err != nil {
		return "", err
	}
	resp, err := a.cfg.HTTP.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "", err
	}
	var pairs []string
	for _, c := range resp.Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	if len(pairs) == 0 {
		return "", provider.Errorf(provider.KindTemporary, "the server opened a session without a cookie")
	}
	return strings.Join(pairs, "; "), nil
}

// login is the request that opens a session: with a token as a parameter, which the
// server takes in no other way, or with the name and the password.
func (a *Adapter) login(ctx context.Context) (*http.Request, error) {
	if token := a.cfg.Credentials["token"]; token != "" {
		return wire.Get(ctx, a.api.Base+"/session", url.Values{"token": {token}})
	}
	form := url.Values{"email": {a.cfg.Credentials["email"]}, "password": {a.cfg.Credentials["password"]}}
	return wire.PostForm(ctx, a.api.Base+"/session", form)
}
