package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	pushTarget      = 30_000 // positions a second
	pushConnections = 8
	pushVehicles    = 200 // of each connection
	pushEach        = drover.MaxRecords / pushVehicles
	pushBatches     = 10 // of each connection in one measurement
	pushSenders     = 4  // that send at once
	pushStep        = 5 * time.Second
	pushSlice       = pushConnections * pushBatches * drover.MaxRecords
)

// pushes measures the way of positions that programs send over HTTP into the store, with
// trips and all that follows. The senders share the machine.
func (b *bench) pushes(ctx context.Context) error {
	for _, database := range b.databases() {
		if err := b.pushInto(ctx, database); err != nil {
			return fmt.Errorf("push, %s: %w", database, err)
		}
	}
	return nil
}

func (b *bench) pushInto(ctx context.Context, database string) (err error) {
	b.progress("push, " + database)
	options, drop, err := b.newStore(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	s, err := newPushed(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := s.slice(ctx); err != nil { // which makes the devices
		return err
	}
	var rates, costs, own []float64
	for range b.rounds {
		var rate float64
		var inProgram time.Duration
		used, err := b.spent(database).during(func() (err error) {
			inProgram, err = b.spent("embedded").during(func() (err error) {
				rate, err = s.slice(ctx)
				return err
			})
			return err
		})
		if err != nil {
			return err
		}
		rates, costs, own = append(rates, rate), append(costs, used.Seconds()/pushSlice), append(own, inProgram.Seconds()/pushSlice)
	}
	b.table.AtLeast("positions sent over HTTP, "+database, slices.Max(rates), "target", pushTarget, 1)
	b.table.AtMost("processor time of one, with that of its sender, of two cores, "+database, slices.Min(costs), 2.0/pushTarget, inMicroseconds)
	if database != "embedded" {
		b.table.AtMost("the same without that of PostgreSQL's server", slices.Min(own), 2.0/pushTarget, inMicroseconds)
	}
	return nil
}

// pushed is a service that positions are sent to, with a clock that is moved.
type pushed struct {
	app         *app.App
	server      *httptest.Server
	client      *http.Client
	key         string
	connections []string
	present     atomic.Int64
}

func (s *pushed) now() time.Time { return time.UnixMilli(s.present.Load()).UTC() }

func newPushed(ctx context.Context, o store.Options) (*pushed, error) {
	s := &pushed{}
	s.present.Store(time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC).UnixMilli())
	c := config.Serve{
		Store: config.Store{Data: filepath.Dir(o.Path), Database: o.URL}, AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour,
		MaxInFlight: 512, MaxStreams: 10, MilestoneTimeout: time.Hour, MilestoneRadius: 200, ProviderExtra: drover.ExtraProviderNames,
	}
	if o.URL != "" {
		c.MasterKey = "abababababababababababababababababababababababababababababababab"
	}
	var err error
	if s.app, err = app.New(ctx, c, app.Options{Logger: slog.New(slog.DiscardHandler), Version: "bench", Now: s.now}); err != nil {
		return nil, err
	}
	s.server = httptest.NewServer(s.app.API)
	s.client = s.server.Client()
	return s, s.connect(ctx)
}

func (s *pushed) close() error {
	s.server.Close()
	return s.app.Close()
}

// connect makes a tenant with its connections, and a key that sends.
func (s *pushed) connect(ctx context.Context) error {
	p := drover.Principal{TenantID: store.NewID(), Role: drover.RoleAdmin, Name: "bench"}
	err := s.app.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: p.TenantID, Name: "bench", CreatedAt: drover.At(s.now())})
	})
	if err != nil {
		return err
	}
	made, err := s.app.Fleet.Identity.CreateAPIKey(ctx, p, drover.APIKeyInput{
		Name: "bench", Scopes: []drover.Permission{drover.PermissionPush}, Owner: drover.KeyOfTenant,
	})
	if err != nil {
		return err
	}
	s.key = made.Key
	for range pushConnections {
		c, err := s.app.Fleet.Connections.CreateConnection(ctx, p, drover.ConnectionInput{
			IntegrationName: drover.ProviderPush, BusinessName: "bench", Credentials: map[string]string{},
		})
		if err != nil {
			return err
		}
		s.connections = append(s.connections, c.ID)
	}
	return nil
}

// slice sends some positions of each vehicle, and returns how many were stored a second.
// What is sent is written before.
func (s *pushed) slice(ctx context.Context) (float64, error) {
	var batches [pushConnections][pushBatches][]byte
	for i := range pushBatches {
		s.present.Add((pushEach * pushStep).Milliseconds())
		for n := range pushConnections {
			body, err := s.batch(n)
			if err != nil {
				return 0, err
			}
			batches[n][i] = body
		}
	}
	var senders errgroup.Group
	senders.SetLimit(pushSenders)
	begin := time.Now()
	for n := range pushConnections {
		senders.Go(func() error {
			for _, body := range batches[n] {
				if err := s.send(ctx, s.connections[n], body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := senders.Wait()
	return pushSlice / time.Since(begin).Seconds(), err
}

// batch has the newest positions of all vehicles of a connection, which drive north.
func (s *pushed) batch(n int) ([]byte, error) {
	records := make([]drover.Record, 0, drover.MaxRecords)
	for vehicle := range pushVehicles {
		for i := range pushEach {
			at := s.now().Add(-time.Duration(pushEach-1-i) * pushStep)
			driven := at.Sub(at.Truncate(24*time.Hour)).Hours() * 50 / 111 // degrees
			records = append(records, drover.Record{
				Type: drover.RecordPosition, SystemDeviceID: fmt.Sprint("v", vehicle), Timestamp: new(drover.At(at)),
				Latitude: new(-37 + driven), Longitude: new(140 + float64(n) + float64(vehicle)/1000), Heading: new(0.0),
				Speed: &drover.Speed{SpeedKPH: 50}, Ignition: new(true),
			})
		}
	}
	return json.Marshal(records)
}

func (s *pushed) send(ctx context.Context, connection string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+"/connection/"+connection+"/record", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var answer struct{ Data drover.RecordResult }
	if err := json.Unmarshal(text, &answer); err != nil || answer.Data.Stored != drover.MaxRecords {
		return fmt.Errorf("%s: %.300s", res.Status, text)
	}
	return nil
}
