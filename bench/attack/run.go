package attack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// ask sends a request of the attacker and returns the status and the answer.
func (g *siege) ask(ctx context.Context, method, path, body string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+g.Server.Address+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+g.attacker)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// must sends a request that has to succeed.
func (g *siege) must(ctx context.Context, method, path, body string) error {
	status, text, err := g.ask(ctx, method, path, body)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, text)
	}
	return err
}

// again sends a request from several clients again and again, whatever is answered.
func (g *siege) again(ctx context.Context, clients int, method, path string, body func(n int) string) {
	for client := range clients {
		g.others.Go(func() error {
			for n := client; ctx.Err() == nil; n += clients {
				_, _, _ = g.ask(ctx, method, path, body(n)) // it attacks
			}
			return nil
		})
	}
}

// connect makes connections to an address.
func (g *siege) connect(ctx context.Context, n int, name, baseURL string) error {
	for range n {
		body := fmt.Sprintf(`{"integration_name":"traccar","business_name":%q,"credentials":{"base_url":%q,"token":"t"}}`, name, baseURL)
		if err := g.must(ctx, http.MethodPost, "/connection", body); err != nil {
			return err
		}
	}
	return nil
}

// listen serves an address until ctx is done.
func listen(ctx context.Context, serve func(net.Conn)) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			context.AfterFunc(ctx, func() { _ = c.Close() })
			go serve(c)
		}
	}()
	return "http://" + l.Addr().String(), nil
}

// silentHost has connections to a host that accepts and says nothing.
func (g *siege) silentHost(ctx context.Context) error {
	url, err := listen(ctx, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	if err != nil {
		return err
	}
	return g.connect(ctx, 300, "silent", url)
}

// slowLogins send the bodies of logins a byte at a time.
func (g *siege) slowLogins(ctx context.Context) error {
	const head = "POST /token HTTP/1.1\r\nHost: drover\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
	for range 512 {
		g.others.Go(func() error {
			for ctx.Err() == nil {
				slowly(ctx, g.Server.Address, head)
			}
			return nil
		})
	}
	return nil
}

// slowly sends a request until the service has enough of it.
func slowly(ctx context.Context, address, head string) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	for text := head; ctx.Err() == nil; text = " " {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// longNames has connections with names and tags as long as they may be, tries longer
// ones, and reads the list of all again and again.
func (g *siege) longNames(ctx context.Context) error {
	if err := g.connect(ctx, 150, strings.Repeat("é", 255), world.BaseURL); err != nil {
		return err
	}
	longer := fmt.Sprintf(`{"integration_name":"traccar","business_name":%q,"credentials":{"base_url":%q,"token":"t"}}`,
		strings.Repeat("n", 1_000_000), world.BaseURL)
	g.again(ctx, 6, http.MethodGet, "/connection", func(int) string { return "" })
	g.again(ctx, 6, http.MethodPost, "/connection", func(int) string { return longer })
	return nil
}

// packedAnswers has connections whose vendor answers a megabyte that unpacks to a
// gigabyte, and tries such credentials out again and again.
func (g *siege) packedAnswers(ctx context.Context) error {
	packed, err := gigabyte()
	if err != nil {
		return err
	}
	url, err := serveVendor(ctx, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed) // the service may have had enough
	})
	if err != nil {
		return err
	}
	if err := g.connect(ctx, 12, "packed", url); err != nil {
		return err
	}
	g.again(ctx, 12, http.MethodPost, "/connection/test", func(int) string {
		return fmt.Sprintf(`{"integration_name":"traccar","credentials":{"base_url":%q,"token":"t"}}`, url)
	})
	return nil
}

// addVehicle gives the attacker a device of its own.
func (g *siege) addVehicle(ctx context.Context) (err error) {
	s, err := store.Open(ctx, g.Options())
	if err != nil {
		return err
	}
	now := drover.At(time.Now())
	c := drover.Connection{
		ID: store.NewID(), TenantID: g.World.Other.ID, IntegrationName: drover.Traccar, BusinessName: "b",
		CollectionStartTime: now,
	}
	d := drover.Device{ID: store.NewID(), ConnectionID: c.ID, SystemDeviceID: "v", Active: true, Tags: []string{}}
	g.vehicle = d.ID
	err = s.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Fleet.AddConnection(ctx, c, []byte("sealed"), now); err != nil {
			return err
		}
		return tx.Fleet.AddDevice(ctx, c.TenantID, d, now)
	})
	if err == nil {
		err = fill.Past{Tenant: c.TenantID, Span: fill.HistorySpan, End: now.Time}.MakeRoom(ctx, s, d.ID)
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// largeFilters has as many webhooks with as large filters as it may, and changes its
// device again and again: each change is held against all of them.
func (g *siege) largeFilters(ctx context.Context) error {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf(`"%s%0200d"`, "x", i)
	}
	body := fmt.Sprintf(`{"url":"http://127.0.0.1:9/","filters":{"tags":[%s]}}`, strings.Join(ids, ","))
	for {
		status, text, err := g.ask(ctx, http.MethodPost, "/webhook", body)
		if err != nil {
			return err
		}
		if status == http.StatusForbidden {
			break // the limit of bytes is reached
		}
		if status/100 != 2 {
			return fmt.Errorf("POST /webhook: %d %.300s", status, text)
		}
	}
	g.again(ctx, 4, http.MethodPatch, "/device/"+g.vehicle, func(n int) string { return fmt.Sprintf(`{"description":"%d"}`, n) })
	return nil
}

// attackPast is how many positions a device has that milestones are set on.
const attackPast = 345_000

// addPast gives the attacker's device a long past.
func (g *siege) addPast(ctx context.Context) error {
	if err := g.addVehicle(ctx); err != nil {
		return err
	}
	return fill.Past{Tenant: g.World.Other.ID, Devices: 1, Each: attackPast, Span: fill.HistorySpan, End: time.Now()}.Fill(ctx, g.Options())
}

// longMilestones sets milestones that begin long before the device's first position.
func (g *siege) longMilestones(ctx context.Context) error {
	body := fmt.Sprintf(`{"device_id":%q,"start_time":"2000-01-01T00:00:00Z","start_point":{"latitude":1,"longitude":1},"end_point":{"latitude":50,"longitude":9}}`, g.vehicle)
	if err := g.must(ctx, http.MethodPost, "/milestone", body); err != nil {
		return err
	}
	g.again(ctx, 2, http.MethodPost, "/milestone", func(int) string { return body })
	return nil
}

// longList has a vendor that lists as many devices as a tenant may have.
func (g *siege) longList(ctx context.Context) error {
	url, err := serveVendor(ctx, listingVendor(listDevices))
	if err != nil {
		return err
	}
	return g.connect(ctx, 1, "long", url)
}
