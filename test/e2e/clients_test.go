package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	api "github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/test/e2e/world"
)

var (
	sandboxLine    = regexp.MustCompile(`with 4 vehicles at (\S+)`)
	connectionLine = regexp.MustCompile(`(?m)^  (\{"integration_name".*\})$`)
)

// sandboxConnection runs a fake provider, as a user would, and returns the connection
// that it says to make.
func sandboxConnection(t *testing.T) string {
	t.Helper()
	p := start(t, "sandbox", "traccar", "--listen", "127.0.0.1:0", "--vehicles", "4")
	p.await(t, p.stdout, sandboxLine)
	return p.await(t, p.stdout, connectionLine)
}

// TestGoClientJourney goes from the login to a verified delivery and the stream by the
// Go client alone. The other clients do the same: see make test-clients.
func TestGoClientJourney(t *testing.T) {
	t.Parallel()
	p := serve(t, newSite(t, "sqlite"), collecting...)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	c := api.New("http://" + p.address)
	if _, err := c.Login(ctx, world.Admin, world.Password); err != nil {
		t.Fatal(err)
	}
	var body api.ConnectionInput
	if err := json.Unmarshal([]byte(sandboxConnection(t)), &body); err != nil {
		t.Fatal(err)
	}
	body.CollectionStartTime = api.Some(time.Now().Add(-36 * time.Hour))
	conn := got(c.PostConnection(ctx, body))(t)
	devices := all(ctx, t, func() iter.Seq2[api.Device, error] {
		return c.ListDevices(ctx, api.ListDevicesQuery{ConnectionID: conn.ID})
	})
	trips := all(ctx, t, func() iter.Seq2[api.TripView, error] {
		return c.ListTrips(ctx, api.ListTripsQuery{ConnectionID: conn.ID})
	})
	if len(devices) != 4 || trips[0].ID == "" {
		t.Errorf("%d devices, first trip %+v", len(devices), trips[0])
	}

	deliveries := make(chan delivery, 1)
	receiver := httptest.NewServer(receive(deliveries))
	t.Cleanup(receiver.Close)
	hook := got(c.PostWebhook(ctx, api.WebhookInput{
		URL: receiver.URL, Filters: api.Some(api.WebhookFiltersInput{EventTypes: api.Some([]api.EventType{api.EventTypeMilestoneCreated})}),
	}))(t)
	newest := first(t, c.ListEvents(ctx, api.ListEventsQuery{Order: "desc", Limit: 1}))
	made := got(c.PostMilestone(ctx, api.MilestoneInput{
		DeviceID: devices[0].ID, StartTime: api.Some(time.Now()), StartPoint: api.Coordinate{Latitude: -33.86, Longitude: 151.2}, EndPoint: api.Coordinate{Latitude: -33.9, Longitude: 151.1},
	}))(t)
	select {
	case d := <-deliveries:
		if err := api.Verify(hook.Secret, d.header, d.body, time.Now()); err != nil {
			t.Error(err)
		}
		var sent struct{ Data api.Milestone }
		if err := json.Unmarshal(d.body, &sent); err != nil || sent.Data.ID != made.ID {
			t.Errorf("delivered %s: %v", d.body, err)
		}
	case <-ctx.Done():
		t.Fatal("nothing was delivered")
	}
	event := first(t, c.GetStream(ctx, newest.Sequence, api.GetStreamQuery{Type: []api.EventType{api.EventTypeMilestoneCreated}}))
	var reported api.Milestone
	if err := json.Unmarshal(event.Data, &reported); err != nil || reported.ID != made.ID {
		t.Errorf("the stream has %s: %v", event.Data, err)
	}
	if update := got(c.GetMilestoneUpdate(ctx, made.ID))(t); update.DeviceID != devices[0].ID {
		t.Errorf("the update is %+v", update)
	}
	if err := errors.Join(c.DeleteMilestone(ctx, made.ID), c.DeleteWebhook(ctx, hook.ID), c.DeleteConnection(ctx, conn.ID, api.DeleteConnectionQuery{})); err != nil {
		t.Error(err)
	}
}

// delivery is what a receiver was sent.
type delivery struct {
	header http.Header
	body   []byte
}

// receive accepts deliveries and hands them on.
func receive(to chan<- delivery) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		to <- delivery{r.Header, body}
	})
}

// got is the answer of a call that has to succeed.
func got[T any](answer T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// all reads a list again until it has records.
func all[T any](ctx context.Context, t *testing.T, read func() iter.Seq2[T, error]) (records []T) {
	t.Helper()
	within(t, 2*patience, func() error {
		records = nil
		for record, err := range read() {
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		if len(records) == 0 {
			return errors.Join(errors.New("the list is empty"), ctx.Err())
		}
		return nil
	})
	return records
}

// first is the first record of a list, or event of a stream.
func first[T any](t *testing.T, records iter.Seq2[T, error]) T {
	t.Helper()
	for record, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		return record
	}
	t.Fatal("there is none")
	panic("not reached")
}
