// Command journey goes from the login to a copy of the trips, a verified delivery and the
// stream by the Go client alone, for the end-to-end tests and as a larger example:
//
//	go run ./client/example/journey URL USERNAME PASSWORD CONNECTION
//
// CONNECTION is the body of a connection as JSON, such as drover sandbox prints it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"time"

	"github.com/drover-fleet/drover/client"
)

const patience = 5 * time.Minute

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: journey URL USERNAME PASSWORD CONNECTION")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, username, password, connection string) error {
	c := client.New(url)
	if _, err := c.Login(ctx, username, password); err != nil {
		return err
	}
	var input client.ConnectionInput
	if err := json.Unmarshal([]byte(connection), &input); err != nil {
		return err
	}
	input.CollectionStartTime = client.Some(time.Now().Add(-36 * time.Hour))
	conn, err := c.PostConnection(ctx, input)
	if err != nil {
		return err
	}
	devices, err := until(ctx, func() iter.Seq2[client.Device, error] {
		return c.ListDevices(ctx, client.ListDevicesQuery{ConnectionID: conn.ID})
	})
	if err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	trips, err := until(ctx, func() iter.Seq2[client.TripView, error] {
		return c.ListTrips(ctx, client.ListTripsQuery{ConnectionID: conn.ID})
	})
	if err != nil {
		return fmt.Errorf("trips: %w", err)
	}
	d := duplicate{trips: map[string]client.TripView{}}
	if err := d.until(ctx, c, func() (bool, error) { return d.equals(ctx, c) }); err != nil {
		return err
	}
	if err := notify(ctx, c, devices[0].ID); err != nil {
		return err
	}
	if err := c.DeleteConnection(ctx, conn.ID, client.DeleteConnectionQuery{Purge: client.Some(true)}); err != nil {
		return err
	}
	if err := d.until(ctx, c, func() (bool, error) { return d.lacks(trips), nil }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "%d devices, %d trips\n", len(devices), len(trips))
	return err
}

// duplicate is a copy of the service's trips, and where it goes on.
type duplicate struct {
	trips  map[string]client.TripView
	cursor string
}

// until reads on until the copy is as it has to be.
func (d *duplicate) until(ctx context.Context, c *client.Client, settled func() (bool, error)) error {
	for {
		for page, err := range client.Changes[client.TripView](ctx, c, "/trip", d.cursor) {
			if err != nil {
				return err
			}
			if page.Restart != (d.cursor == "") {
				return errors.New("the copy begins again, although it has a cursor")
			}
			for _, t := range page.Changed {
				d.trips[t.ID] = t
			}
			for _, id := range page.Deleted {
				delete(d.trips, id)
			}
			d.cursor = page.Cursor
		}
		if done, err := settled(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the copy of %d trips is not that of the service: %w", len(d.trips), ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// equals reports whether the copy has the trips that the list has.
func (d *duplicate) equals(ctx context.Context, c *client.Client) (bool, error) {
	n := 0
	for t, err := range c.ListTrips(ctx, client.ListTripsQuery{}) {
		if err != nil {
			return false, err
		}
		if _, copied := d.trips[t.ID]; !copied {
			return false, nil
		}
		n++
	}
	return n == len(d.trips), nil
}

// lacks reports whether the copy has none of some trips.
func (d *duplicate) lacks(gone []client.TripView) bool {
	return !slices.ContainsFunc(gone, func(t client.TripView) bool { return d.trips[t.ID].ID != "" })
}

// notify makes a milestone and sees it delivered and streamed.
func notify(ctx context.Context, c *client.Client, deviceID string) error {
	deliveries := make(chan received, 1)
	receiver := httptest.NewServer(receive(deliveries))
	defer receiver.Close()
	types := []client.EventType{client.EventTypeMilestoneCreated}
	hook, err := c.PostWebhook(ctx, client.WebhookInput{
		URL:     receiver.URL,
		Filters: client.Some(client.WebhookFiltersInput{DeviceIDs: client.Some([]string{deviceID}), EventTypes: client.Some(types)}),
	})
	if err != nil {
		return err
	}
	newest, err := first(c.ListEvents(ctx, client.ListEventsQuery{Order: "desc", Limit: 1}))
	if err != nil {
		return err
	}
	made, err := c.PostMilestone(ctx, client.MilestoneInput{
		DeviceID: deviceID, StartTime: client.Some(time.Now()),
		StartPoint: client.Coordinate{Latitude: -33.86, Longitude: 151.2}, EndPoint: client.Coordinate{Latitude: -33.9, Longitude: 151.1},
	})
	if err != nil {
		return err
	}
	select {
	case r := <-deliveries:
		d, err := client.ParseDelivery(hook.Secret, r.header, r.body, time.Now())
		if err != nil {
			return err
		}
		if m, ok := d.Data.(*client.Milestone); !ok || m.ID != made.ID {
			return fmt.Errorf("delivered %s", r.body)
		}
	case <-ctx.Done():
		return errors.New("nothing was delivered")
	}
	event, err := first(c.GetStream(ctx, newest.Sequence, client.GetStreamQuery{Type: types}))
	if err != nil {
		return err
	}
	record, err := event.Record()
	if err != nil {
		return err
	}
	if m, ok := record.(*client.Milestone); !ok || m.ID != made.ID {
		return fmt.Errorf("the stream has %s", event.Data)
	}
	update, err := c.GetMilestoneUpdate(ctx, made.ID)
	if err != nil {
		return err
	}
	if update.DeviceID != deviceID {
		return fmt.Errorf("the update is %+v", update)
	}
	return errors.Join(c.DeleteMilestone(ctx, made.ID), c.DeleteWebhook(ctx, hook.ID))
}

// received is what was sent to a webhook.
type received struct {
	header http.Header
	body   []byte
}

// receive accepts deliveries and hands them on.
func receive(to chan<- received) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		to <- received{r.Header, body}
	})
}

// until reads a list again until it has records.
func until[T any](ctx context.Context, read func() iter.Seq2[T, error]) ([]T, error) {
	for {
		var records []T
		for record, err := range read() {
			if err != nil {
				return nil, err
			}
			records = append(records, record)
		}
		if len(records) > 0 {
			return records, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// first is the first record of a list, or event of a stream.
func first[T any](records iter.Seq2[T, error]) (T, error) {
	for record, err := range records {
		return record, err
	}
	var none T
	return none, errors.New("the list is empty")
}
