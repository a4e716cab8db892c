package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// What holds places for long, and what is asked without the right to it. Each case also fails by
// what it sees.

// fewPlaces lets the service serve few requests at once, and trusts addresses that are told.
func (g *siege) fewPlaces(context.Context) error {
	g.Environment = append(os.Environ(), "DROVER_MAX_IN_FLIGHT=64", "DROVER_TRUSTED_PROXY=127.0.0.0/8")
	return nil
}

// behindProxy is fewPlaces with a device of the attacker's.
func (g *siege) behindProxy(ctx context.Context) error {
	return errors.Join(g.fewPlaces(ctx), g.addVehicle(ctx))
}

// as is the siege of someone else, who has a token.
func (g *siege) as(token string) *siege { return &siege{Place: g.Place, attacker: token} }

// want sends a request that has to be answered with a status, and reads the data of the answer.
func (g *siege) want(ctx context.Context, status int, method, path, body string, into any) error {
	got, text, err := g.ask(ctx, method, path, body)
	if err != nil {
		return err
	}
	if got != status {
		return fmt.Errorf("%s %s: %d instead of %d: %.300s", method, path, got, status, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal([]byte(text), &struct{ Data any }{into})
}

// from sends a request without a login from an address behind a proxy.
func (g *siege) from(ctx context.Context, address, method, path, body string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+g.Server.Address+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("X-Forwarded-For", address)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// while does something again and again until ctx is done.
func (g *siege) while(ctx context.Context, pause time.Duration, do func() error) {
	g.others.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
			if err := do(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	})
}

// silent is the address of a host that accepts and says nothing.
func silent(ctx context.Context) (string, error) {
	return listen(ctx, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
}

// silentTests tests a webhook whose receiver says nothing, as two tenants do.
func (g *siege) silentTests(ctx context.Context) error {
	url, err := silent(ctx)
	if err != nil {
		return err
	}
	var made drover.WebhookCreated
	if err := g.want(ctx, http.StatusOK, http.MethodPost, "/webhook", fmt.Sprintf(`{"url":%q}`, url), &made); err != nil {
		return err
	}
	g.again(ctx, 80, http.MethodPost, "/webhook/"+made.ID+"/test?wait=20", func(int) string { return "" })
	return nil
}

// linkTrials tries credentials at a silent host by many links of one tenant, from many addresses. A
// fleet that another tenant has invited has to be answered.
func (g *siege) linkTrials(ctx context.Context) error {
	url, err := silent(ctx)
	if err != nil {
		return err
	}
	invite := func(by *siege) (string, error) {
		var made drover.ConnectionLinkCreated
		err := by.want(ctx, http.StatusOK, http.MethodPost, "/connection-link", `{"business_name":"Fleet"}`, &made)
		return "/public/link/" + made.URL[strings.LastIndex(made.URL, "/")+1:] + "/test", err
	}
	try := func(path, address, host string) (int, error) {
		return g.from(ctx, address, http.MethodPost, path,
			fmt.Sprintf(`{"integration_name":"traccar","credentials":{"base_url":%q,"token":"t"}}`, host))
	}
	invited, err := invite(g.as(g.Token))
	if err != nil {
		return err
	}
	for client := range 40 {
		path, err := invite(g)
		if err != nil {
			return err
		}
		g.while(ctx, 100*time.Millisecond, func() error {
			_, _ = try(path, fmt.Sprintf("192.0.2.%d", client), url) // it attacks
			return nil
		})
	}
	g.while(ctx, attackBegin, func() error {
		status, err := try(invited, "198.51.100.1", world.BaseURL)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("a fleet of another tenant is answered %d", status)
		}
		return err
	})
	return nil
}

// halfNotices sends more of a notice than is read before anything else, and nothing more, from many
// addresses and with a token that is none. Others have to be able to log in.
func (g *siege) halfNotices(ctx context.Context) error {
	path := "/inbound/" + g.World.Connections[0].ID + "/none"
	for client := range 512 {
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: drover\r\nX-Forwarded-For: 192.0.2.%d\r\nContent-Length: 1000000\r\n\r\n%s",
			path, client%100, strings.Repeat(" ", 20<<10))
		g.while(ctx, time.Second, func() error {
			slowly(ctx, g.Server.Address, head)
			return nil
		})
	}
	g.while(ctx, attackBegin, func() error {
		c, err := load.Dial(ctx, g.Server.Address)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = service.LogIn(c, world.Admin)
		return err
	})
	return nil
}

// withoutRight asks, each once, for what was given away before, and then for nothing.
func (g *siege) withoutRight(ctx context.Context) error {
	for name, ask := range map[string]func(ctx context.Context) error{
		"a name like an address":   g.takeName,
		"keys of a bound key":      g.outgrowKey,
		"a signature":              g.borrowSignature,
		"formulas":                 g.hideFormula,
		"a file of an ended share": g.keepFile,
		"a revoked key's poll":     g.pollOn,
		"guesses of a network":     g.guessLinks,
	} {
		if err := ask(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// takeName makes a user whose name is the address, or the name in other letters, of another
// tenant's.
func (g *siege) takeName(ctx context.Context) error {
	user := func(name string) string {
		return fmt.Sprintf(`{"username":%q,"email":"new@mail.example","role":"viewer","password":"grey-owl-17"}`, name)
	}
	return errors.Join(
		g.want(ctx, http.StatusUnprocessableEntity, http.MethodPost, "/user", user("Viewer@Drover.example"), nil),
		g.want(ctx, http.StatusConflict, http.MethodPost, "/user", user(strings.ToUpper(world.Viewer)), nil))
}

// outgrowKey has a key that ends make one that does not, a user, and set the password of an admin who
// may do more.
func (g *siege) outgrowKey(ctx context.Context) error {
	end := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	var bound, made drover.APIKeyCreated
	err := g.want(ctx, http.StatusOK, http.MethodPost, "/api-key",
		fmt.Sprintf(`{"name":"bound","scopes":["read","admin"],"networks":["127.0.0.0/8"],"expires_at":%q}`, end), &bound)
	if err != nil {
		return err
	}
	key := g.as(bound.Key)
	if err := key.want(ctx, http.StatusOK, http.MethodPost, "/api-key", `{"name":"made","scopes":["read"]}`, &made); err != nil {
		return err
	}
	if made.ExpiresAt == nil || len(made.Networks) == 0 {
		return fmt.Errorf("it ends %v and is held to %v", made.ExpiresAt, made.Networks)
	}
	var users []drover.User
	if err := g.want(ctx, http.StatusOK, http.MethodGet, "/user", "", &users); err != nil {
		return err
	}
	for _, u := range users {
		err := errors.Join(
			key.want(ctx, http.StatusForbidden, http.MethodPatch, "/user/"+u.ID, `{"password":"grey-owl-17"}`, nil),
			key.want(ctx, http.StatusForbidden, http.MethodDelete, "/user/"+u.ID, "", nil))
		if err != nil {
			return err
		}
	}
	return key.want(ctx, http.StatusForbidden, http.MethodPost, "/user",
		`{"username":"made","email":"made@mail.example","role":"admin","password":"grey-owl-17"}`, nil)
}

// borrowSignature reads a delivery that was never sent, as it would be signed now.
func (g *siege) borrowSignature(ctx context.Context) error {
	url, err := silent(ctx)
	if err != nil {
		return err
	}
	var webhook drover.WebhookCreated
	var test drover.DeliveryAttempt
	if err := g.want(ctx, http.StatusOK, http.MethodPost, "/webhook", fmt.Sprintf(`{"url":%q}`, url), &webhook); err != nil {
		return err
	}
	if err := g.want(ctx, http.StatusOK, http.MethodPost, "/webhook/"+webhook.ID+"/test?wait=0", "", &test); err != nil {
		return err
	}
	var shown drover.DeliveryDetail
	delivery := "/delivery/" + drover.DeliveryID(drover.Target{ID: webhook.ID}, test.EventID)
	if err := g.want(ctx, http.StatusOK, http.MethodGet, delivery, "", &shown); err != nil {
		return err
	}
	if shown.Request == nil || shown.Request.Headers["webhook-signature"] != "" {
		return fmt.Errorf("it is shown as %+v", shown.Request)
	}
	return nil
}

// hideFormula has a device named as a spreadsheet would compute it exported.
func (g *siege) hideFormula(ctx context.Context) error {
	err := g.must(ctx, http.MethodPatch, "/device/"+g.vehicle, `{"description":"=HYPERLINK(\"http://x\")"}`)
	if err != nil {
		return err
	}
	file, err := g.export(ctx, `{"kind":"device","format":"csv"}`)
	if err != nil {
		return err
	}
	status, text, err := g.ask(ctx, http.MethodGet, file, "")
	if err == nil && (status != http.StatusOK || !strings.Contains(text, "'=HYPERLINK")) {
		err = fmt.Errorf("the file is %d %.300s", status, text)
	}
	return err
}

// export makes a file and returns its path.
func (g *siege) export(ctx context.Context, body string) (string, error) {
	var made drover.Export
	if err := g.want(ctx, http.StatusOK, http.MethodPost, "/export", body, &made); err != nil {
		return "", err
	}
	path := "/export/" + made.ID
	return path + "/file", g.until(ctx, func() (bool, error) {
		err := g.want(ctx, http.StatusOK, http.MethodGet, path, "", &made)
		return made.State == drover.ExportDone, err
	})
}

// keepFile reads a file that was made with a share once that has ended.
func (g *siege) keepFile(ctx context.Context) error {
	file, err := g.export(ctx, `{"kind":"device","format":"jsonl"}`)
	if err != nil {
		return err
	}
	if err := g.want(ctx, http.StatusOK, http.MethodGet, file, "", nil); err != nil {
		return err
	}
	share := "/connection/" + g.World.Connections[0].ID + "/share/" + g.World.Other.ID
	if err := g.as(g.Token).must(ctx, http.MethodDelete, share, ""); err != nil {
		return err
	}
	return g.want(ctx, http.StatusGone, http.MethodGet, file, "", nil)
}

// pollOn waits for events with a key that is revoked meanwhile.
func (g *siege) pollOn(ctx context.Context) error {
	var made drover.APIKeyCreated
	if err := g.want(ctx, http.StatusOK, http.MethodPost, "/api-key", `{"name":"poll","scopes":["read"]}`, &made); err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() {
		answered <- g.as(made.Key).want(ctx, http.StatusUnauthorized, http.MethodGet, "/event?wait=30&type=connection.deleted", "", nil)
	}()
	time.Sleep(time.Second)
	if err := g.must(ctx, http.MethodDelete, "/api-key/"+made.ID, ""); err != nil {
		return err
	}
	select {
	case err := <-answered:
		return err
	case <-time.After(10 * time.Second): // a second, and what a busy machine adds
		return errors.New("it waits on")
	}
}

// guessLinks guesses the texts of links from many addresses of one network of 64 bits.
func (g *siege) guessLinks(ctx context.Context) error {
	for n := range 200 {
		status, err := g.from(ctx, fmt.Sprintf("2001:db8::%x", n+1), http.MethodGet, "/public/link/guess", "")
		if err != nil || status == http.StatusTooManyRequests {
			return err
		}
	}
	return errors.New("200 guesses were answered")
}
