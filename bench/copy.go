package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	copyPage = 1000
	// copied is how many trips the time of a copy is stated for, by the rate that was
	// measured.
	copied = 10_000_000
	// noted is how many trips are stored to see what noting their changes costs, and
	// notedRounds how often.
	noted       = 5000
	notedRounds = 3
)

// copies measures how fast a program takes a first copy of all trips by the list of
// changes, and what noting the changes costs those who store them.
func (b *bench) copies(ctx context.Context) error {
	if err := b.install(ctx); err != nil {
		return err
	}
	for _, p := range b.places {
		if !p.Grown {
			if err := b.grow(ctx, p); err != nil {
				return err
			}
		}
		b.progress("a copy of all trips, " + p.Name)
		rate, err := copyTrips(ctx, p)
		if err != nil {
			return fmt.Errorf("a copy of all trips, %s: %w", p.Name, err)
		}
		b.table.Add(fmt.Sprintf("copy of %s trips by changes, %s", table.Thousands(float64(b.trips)), p.Name), table.PerSecond(rate),
			"ten million at that rate", fmt.Sprintf("%.0f s", copied/rate), "", "", "")
	}
	for _, database := range b.databases() {
		b.progress("what noting changes costs, " + database)
		with, without, err := b.noteChanges(ctx, database)
		if err != nil {
			return fmt.Errorf("what noting changes costs, %s: %w", database, err)
		}
		b.table.Paired("trips stored, with their changes noted, "+database, with, "not noted", without, with/without, 0)
	}
	return nil
}

// copyTrips walks through the list of changes from its beginning to its end.
func copyTrips(ctx context.Context, p *service.Place) (rate float64, err error) {
	rows, cursor, begun := 0, "", time.Now()
	for {
		address := fmt.Sprintf("http://%s/trip?sort=updated_at&limit=%d", p.Server.Address, copyPage)
		if cursor != "" {
			address += "&cursor=" + url.QueryEscape(cursor)
		}
		n, next, end, err := copyOnce(ctx, address, p.Token)
		if err != nil {
			return 0, err
		}
		if rows += n; end {
			return float64(rows) / time.Since(begun).Seconds(), nil
		}
		cursor = next
	}
}

func copyOnce(ctx context.Context, address, token string) (rows int, next string, end bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", false, fmt.Errorf("ask for changes: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", false, fmt.Errorf("ask for changes: %w", err)
	}
	defer resp.Body.Close()
	var answer struct{ Data []json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		return 0, "", false, fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	return len(answer.Data), resp.Header.Get("X-Next-Cursor"), resp.Header.Get("Link") == "", nil
}

// noteChanges stores trips as the collector does, in turn with the triggers that note
// changes and without them, and returns the best rate of each.
func (b *bench) noteChanges(ctx context.Context, database string) (with, without float64, err error) {
	for range notedRounds {
		for _, triggers := range []bool{true, false} {
			rate, err := b.storeTrips(ctx, database, triggers)
			if err != nil {
				return 0, 0, err
			}
			if triggers {
				with = max(with, rate)
			} else {
				without = max(without, rate)
			}
		}
	}
	return with, without, nil
}

func (b *bench) storeTrips(ctx context.Context, database string, triggers bool) (rate float64, err error) {
	o, remove, err := b.newStore(ctx, database)
	if err != nil {
		return 0, err
	}
	s, err := store.Open(ctx, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close(), remove()) }()
	if _, err := s.Migrate(ctx); err != nil {
		return 0, err
	}
	if !triggers {
		if err := s.Close(); err != nil { // it holds the embedded database
			return 0, err
		}
		if err := dropTriggers(ctx, o); err != nil {
			return 0, err
		}
		if s, err = store.Open(ctx, o); err != nil {
			return 0, err
		}
	}
	tenant, connection, device, at := store.NewID(), store.NewID(), store.NewID(), time.Now()
	begun := time.Now()
	for from := 0; from < noted; from += copyPage / 10 {
		err := s.UpdateBulk(ctx, func(tx *store.Tx) error {
			for i := from; i < from+copyPage/10; i++ {
				begin := at.Add(time.Duration(i) * time.Hour)
				t := store.Trip{Access: store.Access{TenantID: tenant}, ConnectionID: connection}
				t.Trip = drover.Trip{
					ID: store.NewID(), DeviceID: device, SystemTripID: fmt.Sprint(i), StartTime: drover.At(begin),
					EndTime: drover.At(begin.Add(time.Hour)), DurationSeconds: 3600, IsValid: true,
				}
				if err := tx.Trips.AddTrip(ctx, t); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return noted / time.Since(begun).Seconds(), nil
}

// dropTriggers leaves trips that note no change.
func dropTriggers(ctx context.Context, o store.Options) (err error) {
	db, err := fill.Open(o.Path, o.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	on := ""
	if db.Postgres {
		on = " ON trip"
	}
	return db.Run(ctx, `DROP TRIGGER trip_added`+on, `DROP TRIGGER trip_changed`+on, `DROP TRIGGER trip_deleted`+on)
}
