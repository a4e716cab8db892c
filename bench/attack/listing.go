package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/bench/table"
)

const (
	listDevices = 100_000
	listTarget  = 60.0 // seconds
	listMemory  = 256 << 20
	// listBehind is two intervals of the provider that another connection is read of.
	listBehind = 30.0
	listGiveUp = 10 * time.Minute
)

// Listing measures a connection of very many devices on the embedded database, and how
// old another tenant's newest positions become meanwhile.
func (b *Arena) Listing(ctx context.Context) (err error) {
	binary := filepath.Join(b.Dir, "drover")
	if err := service.Build(ctx, binary); err != nil {
		return err
	}
	b.Progress(table.Thousands(listDevices) + " devices in one connection")
	g, remove, err := b.newSiege(ctx, "embedded", binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	g.Memory = "256MiB"
	if err := g.begin(ctx); err != nil {
		return err
	}
	defer g.Stop()
	serving, end := context.WithCancel(ctx)
	defer end()
	small, err := serveVendor(serving, listingVendor(10))
	if err != nil {
		return err
	}
	other := &siege{Place: g.Place, attacker: g.Token} // its requests are the other tenant's
	if err := other.connect(ctx, 1, "small", small); err != nil {
		return err
	}
	if err := other.until(ctx, func() (bool, error) { age, err := other.age(ctx); return age < listBehind, err }); err != nil {
		return fmt.Errorf("the other connection: %w", err)
	}
	took, behind, err := g.list(ctx, serving, other)
	if err != nil {
		return err
	}
	peak, err := g.Server.Peak()
	if err != nil {
		return err
	}
	name := table.Thousands(listDevices) + " devices in one connection, embedded"
	b.Table.AtMost(name+": until listed", took, listTarget, table.Seconds)
	b.Table.AtMost(name+": another's newest position is at most", behind, listBehind, table.Seconds)
	b.Table.AtMost(name+": memory", peak, listMemory, table.Mebibytes)
	return nil
}

// list connects the many devices, and returns how long it took until all were there and
// how old the other tenant's positions became.
func (g *siege) list(ctx, serving context.Context, other *siege) (took, behind float64, err error) {
	large, err := serveVendor(serving, listingVendor(listDevices))
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if err := g.connect(ctx, 1, "large", large); err != nil {
		return 0, 0, err
	}
	err = g.until(ctx, func() (bool, error) {
		age, err := other.age(ctx)
		if err != nil {
			return false, err
		}
		behind = max(behind, age)
		n, err := g.devices(ctx)
		return n >= listDevices, err
	})
	return time.Since(begun).Seconds(), behind, err
}

// until asks twice a second until something is so.
func (g *siege) until(ctx context.Context, so func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, listGiveUp)
	defer cancel()
	for {
		if yes, err := so(); err != nil || yes {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// devices is how many the attacker has.
func (g *siege) devices(ctx context.Context) (int64, error) {
	var limits struct{ Data []drover.AccountLimit }
	if err := g.read(ctx, "/account/limits", &limits); err != nil {
		return 0, err
	}
	for _, l := range limits.Data {
		if l.Name == drover.QuotaDevices {
			return l.Used, nil
		}
	}
	return 0, errors.New("the limits do not tell the devices")
}

// age is that of the newest position of all, in seconds.
func (g *siege) age(ctx context.Context) (float64, error) {
	var newest struct {
		Data []struct {
			Position *struct{ Timestamp time.Time }
		}
	}
	if err := g.read(ctx, "/position", &newest); err != nil {
		return 0, err
	}
	age := time.Hour
	for _, p := range newest.Data {
		if p.Position != nil {
			age = min(age, time.Since(p.Position.Timestamp))
		}
	}
	return age.Seconds(), nil
}

func (g *siege) read(ctx context.Context, path string, into any) error {
	status, text, err := g.ask(ctx, http.MethodGet, path, "")
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET %s: %d %.300s", path, status, text)
	}
	return json.Unmarshal([]byte(text), into)
}
