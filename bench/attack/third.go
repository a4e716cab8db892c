package attack

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// What is read without a right, not read at all, and sent without an end.

// outsideScopes reads again and again what a share without scopes does not show. One read
// that is answered ends the case.
func (g *siege) outsideScopes(ctx context.Context) error {
	victim := &siege{Place: g.Place, attacker: g.Token} // its requests are the other tenant's
	offer := fmt.Sprintf(`{"tenant_id":%q,"scopes":[]}`, g.World.Other.ID)
	text, err := victim.mustText(ctx, http.MethodPost, "/connection/"+g.World.Connections[1].ID+"/share", offer)
	if err != nil {
		return err
	}
	var share struct{ Data drover.Share }
	if err := json.Unmarshal([]byte(text), &share); err != nil {
		return fmt.Errorf("read the share: %w", err)
	}
	if err := g.must(ctx, http.MethodPost, "/share/"+share.Data.ID+"/accept", ""); err != nil {
		return err
	}
	device := "/device/" + g.World.Devices[1].ID // the second connection's
	since := "?from=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	var paths []string
	for _, part := range []string{"/position", "/positions" + since, "/track" + since, "/reading", "/readings" + since} {
		paths = append(paths, device+part)
	}
	for _, path := range paths {
		if status, text, err := g.ask(ctx, http.MethodGet, path, ""); err != nil || status != http.StatusForbidden {
			return errors.Join(err, fmt.Errorf("GET %s outside the scopes of a share: %d %.300s", path, status, text))
		}
	}
	for client := range 16 {
		g.others.Go(func() error {
			for n := client; ctx.Err() == nil; n++ {
				path := paths[n%len(paths)]
				status, _, err := g.ask(ctx, http.MethodGet, path, "")
				if err == nil && status/100 == 2 {
					return fmt.Errorf("GET %s was answered with %d outside the scopes of the share", path, status)
				}
			}
			return nil
		})
	}
	return nil
}

// mustText is must with what was answered.
func (g *siege) mustText(ctx context.Context, method, path, body string) (string, error) {
	status, text, err := g.ask(ctx, method, path, body)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, text)
	}
	return text, err
}

const (
	// unreadFor is longer than a download may make no progress, and unreadSpan than that.
	unreadFor  = 22 * time.Second
	unreadSpan = 25 * time.Second
	unreadMany = 80
)

// unreadDownloads asks for a large file many times and takes nothing of it. All of them have
// to be cut.
func (g *siege) unreadDownloads(ctx context.Context) error {
	text, err := g.mustText(ctx, http.MethodPost, "/export", `{"kind":"position","format":"jsonl","filters":{}}`)
	if err != nil {
		return err
	}
	var made struct{ Data drover.Export }
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return fmt.Errorf("read the export: %w", err)
	}
	path := "/export/" + made.Data.ID
	if err := g.until(ctx, func() (bool, error) {
		err := g.read(ctx, path, &made)
		if err == nil && made.Data.State == drover.ExportFailed {
			err = errors.New("the export failed")
		}
		return made.Data.State == drover.ExportDone, err
	}); err != nil {
		return err
	}
	g.others.Go(func() error {
		var all errgroup.Group
		var cut atomic.Int64
		for range unreadMany {
			all.Go(func() error { return g.leaveUnread(ctx, path+"/file", &cut) })
		}
		err := all.Wait()
		if err == nil && cut.Load() == 0 && ctx.Err() == nil {
			err = errors.New("no download has begun")
		}
		return err
	})
	return nil
}

// leaveUnread opens a download and reads it only after it has to be cut: then no more comes
// than lay on the way. It counts those that were.
func (g *siege) leaveUnread(ctx context.Context, path string, cut *atomic.Int64) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", g.Server.Address)
	if err != nil {
		return nil // it is refused, and so held up no one
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: drover\r\nAuthorization: Bearer %s\r\n\r\n", path, g.attacker); err != nil {
		return nil // the same
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(unreadFor):
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil // it was cut before its header came
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	n, err := io.Copy(io.Discard, answer.Body)
	if err == nil && ctx.Err() == nil {
		return fmt.Errorf("a download that was not read for %v went on: %d bytes", unreadFor, n)
	}
	if n > 0 {
		cut.Add(1)
	}
	return nil
}

const (
	noticeDevices = 20_000
	noticeRecords = 9_000 // about a mebibyte
)

// addNotices gives the attacker a connection with many devices, and the address that its
// vendor may call.
func (g *siege) addNotices(ctx context.Context) (err error) {
	a, err := app.New(ctx, config.Serve{
		Store: config.Store{Data: g.Data, Database: g.URL}, Role: "api", AllowNetwork: []netip.Prefix{world.Loopback()}, MaxInFlight: 1,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MilestoneTimeout: time.Hour, MilestoneRadius: 200,
	}, app.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	now := drover.At(time.Now())
	p := drover.Principal{TenantID: g.World.Other.ID, Role: drover.RoleAdmin}
	conn, err := a.Fleet.Connections.CreateConnection(ctx, p, drover.ConnectionInput{
		IntegrationName: drover.Bouncie, BusinessName: "notices", CollectionStartTime: new(drover.At(now.AddDate(-1, 0, 0))),
		Credentials: map[string]string{
			"client_id": "c", "client_secret": "s", "redirect_uri": "https://redirect.example/", "authorization_code": "x", "base_url": world.BaseURL,
		},
	})
	if err != nil {
		return err
	}
	made, err := a.Fleet.Connections.MakeInbound(ctx, p, conn.ID)
	if err != nil {
		return err
	}
	address, err := url.Parse(made.URL)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	g.notices = address.Path
	for first := 0; first < noticeDevices; first += 1000 {
		devices := make([]drover.Device, 1000)
		for i := range devices {
			devices[i] = drover.Device{
				ID: store.NewID(), ConnectionID: conn.ID, SystemDeviceID: noticeDevice(first + i), Active: true, Tags: []string{},
			}
		}
		if err := a.Store.Update(ctx, func(tx *store.Tx) error { return tx.Fleet.AddDevices(ctx, p.TenantID, devices, now) }); err != nil {
			return err
		}
	}
	return nil
}

func noticeDevice(n int) string { return fmt.Sprintf("%015d", n) }

// sendNotices sends as large notices as may be, each of another device and another time.
func (g *siege) sendNotices(ctx context.Context) error {
	begun := time.Now()
	body := func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"eventType":"tripData","imei":%q,"data":[`, noticeDevice(n%noticeDevices))
		for i := range noticeRecords {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"timestamp":%q,"speed":20,"gps":{"lat":48.%04d,"lon":11.5,"heading":1}}`,
				begun.Add(-time.Duration(noticeRecords-i)*time.Second).UTC().Format(time.RFC3339), i)
		}
		b.WriteString("]}")
		return b.String()
	}
	first := body(0)
	if err := g.until(ctx, func() (bool, error) {
		status, text, err := g.ask(ctx, http.MethodPost, g.notices, first)
		if err == nil && status/100 != 2 && status != http.StatusServiceUnavailable { // it may be busy with the first reading
			err = fmt.Errorf("a notice of %d bytes: %d %.300s", len(first), status, text)
		}
		return status/100 == 2, err
	}); err != nil {
		return err
	}
	g.again(ctx, 8, http.MethodPost, g.notices, body)
	return nil
}

// manyErasures asks for drivers to be erased without a pause: each erasure goes through all
// that the tenant has.
func (g *siege) manyErasures(ctx context.Context) error {
	if err := g.must(ctx, http.MethodDelete, "/driver/first", ""); err != nil {
		return err
	}
	for client := range 8 {
		g.others.Go(func() error {
			for n := client; ctx.Err() == nil; n += 8 {
				_, _, _ = g.ask(ctx, http.MethodDelete, fmt.Sprintf("/driver/driver-%d", n), "") // it attacks
			}
			return nil
		})
	}
	return nil
}

// rubbishLogos sends logos that are as large as they may be, and no images.
func (g *siege) rubbishLogos(ctx context.Context) error {
	logo := base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, drover.MaxLogoBytes-8)...))
	g.again(ctx, 16, http.MethodPatch, "/account/brand", func(int) string { return `{"logo":"data:image/png;base64,` + logo + `"}` })
	return nil
}
