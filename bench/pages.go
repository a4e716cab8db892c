package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/test/e2e/world"
)

const (
	pageBound = 0.05 // seconds
	pageTrips = 1000
	// seldomTag is the tag of the device that has few trips, commonTag that of the others.
	seldomTag = "seldom"
	commonTag = "common"
)

// listRounds are the measurements of a list, of which the best counts.
const listRounds = 15

// inMilliseconds prints seconds.
func inMilliseconds(v float64) string { return fmt.Sprintf("%.1f ms", v*1000) }

// tripPages measures pages of the list of trips from its beginning, middle and end, both
// ways and by every filter, among as many as the summaries are measured at.
func (b *bench) tripPages(ctx context.Context) error {
	if err := b.install(ctx); err != nil {
		return err
	}
	for _, p := range b.places {
		if !p.Grown {
			if err := b.grow(ctx, p); err != nil {
				return err
			}
		}
	}
	for _, p := range b.places {
		b.progress("pages of trips, " + p.Name)
		slowest, which, err := slowestPage(ctx, p)
		if err != nil {
			return fmt.Errorf("pages of trips, %s: %w", p.Name, err)
		}
		name := fmt.Sprintf("page of %s of %s trips, %s, the slowest of all filters (%s)", table.Thousands(pageTrips),
			table.Thousands(float64(b.trips)), p.Name, which)
		b.table.AtMost(name, slowest.Seconds(), pageBound, inMilliseconds)
	}
	return nil
}

// tripPage is a page that a caller asks for.
type tripPage struct{ name, query, token string }

// pages are those that are measured: each filter from the beginning, the middle and the
// end of what it finds.
func pages(p *service.Place, stranger string) (all []tripPage) {
	middle := p.World.Owner.CreatedAt.Add(-fill.TripDays / 2 * 24 * time.Hour).UTC().Format(time.RFC3339)
	for _, filter := range []struct{ name, query, token string }{
		{"all", "", p.Token},
		{"connection", "&connection_id=" + p.World.Devices[0].ConnectionID, p.Token},
		{"device", "&device_id=" + p.World.Devices[0].ID, p.Token},
		{"seldom device", "&device_id=" + p.World.Devices[len(p.World.Devices)-1].ID, p.Token},
		{"driver", "&include=driver&driver_id=driver+7", p.Token},
		{"seldom tag", "&tag=" + seldomTag, p.Token},
		{"common tag", "&tag=" + commonTag, p.Token},
		{"valid", "&is_valid=true", p.Token},
		{"invalid", "&is_valid=false", p.Token},
		{"invalid of a connection", "&is_valid=false&connection_id=" + p.World.Devices[0].ConnectionID, p.Token},
		{"shared", "&include=driver", stranger},
		{"shared tag", "&tag=" + commonTag, stranger},
	} {
		for _, at := range []struct{ name, query string }{
			{"first", ""}, {"last", "&order=desc"}, {"middle", "&from=" + middle}, {"middle backwards", "&order=desc&to=" + middle},
		} {
			all = append(all, tripPage{filter.name + ", " + at.name, filter.query + at.query, filter.token})
		}
	}
	return all
}

// slowestPage returns the best of several rounds of the slowest page.
func slowestPage(ctx context.Context, p *service.Place) (slowest time.Duration, which string, err error) {
	stranger, err := tag(ctx, p)
	if err != nil {
		return 0, "", err
	}
	for _, page := range pages(p, stranger) {
		var fastest time.Duration
		for range listRounds {
			took, err := readTrips(ctx, p, page)
			if err != nil {
				return 0, "", fmt.Errorf("%s: %w", page.name, err)
			}
			if fastest == 0 || took < fastest {
				fastest = took
			}
		}
		if fastest > slowest {
			slowest, which = fastest, page.name
		}
	}
	return slowest, which, nil
}

// tag gives the devices their tags, and returns the token of whom the first connection is
// shared with.
func tag(ctx context.Context, p *service.Place) (stranger string, err error) {
	c, err := load.Dial(ctx, p.Server.Address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	for i, d := range p.World.Devices {
		tag := commonTag
		if i == len(p.World.Devices)-1 {
			tag = seldomTag
		}
		status, err := c.Send(load.NewRequest(http.MethodPatch, "/device/"+d.ID, p.Token, fmt.Sprintf(`{"tags":[%q]}`, tag)))
		if err != nil || status != http.StatusOK {
			return "", fmt.Errorf("tag a device: %d, %w", status, err)
		}
	}
	return service.LogIn(c, world.Stranger)
}

// readTrips reads a page of trips, which must be a whole one.
func readTrips(ctx context.Context, p *service.Place, page tripPage) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("http://%s/trip?limit=%d%s", p.Server.Address, pageTrips, page.query), nil)
	if err != nil {
		return 0, fmt.Errorf("ask for trips: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+page.token)
	begun := time.Now()
	resp, err := (&http.Client{}).Do(r)
	if err != nil {
		return 0, fmt.Errorf("ask for trips: %w", err)
	}
	defer resp.Body.Close()
	var answer struct{ Data []json.RawMessage }
	err = json.NewDecoder(resp.Body).Decode(&answer)
	took := time.Since(begun)
	if err != nil || len(answer.Data) != pageTrips {
		return 0, fmt.Errorf("status %d and %d trips: %w", resp.StatusCode, len(answer.Data), err)
	}
	return took, nil
}
