package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover/client"
)

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

var sentAt = time.Date(2024, 5, 2, 10, 15, 30, 0, time.UTC)

// sign makes the headers of a delivery. The service has a library do it; the tests run
// where the client is all there is.
func sign(id string, body []byte) http.Header {
	mac := hmac.New(sha256.New, []byte("0123456789abcdef0123456789abcdef"))
	_, _ = fmt.Fprintf(mac, "%s.%d.%s", id, sentAt.Unix(), body)
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", fmt.Sprint(sentAt.Unix()))
	h.Set("webhook-signature", "v1,b3RoZXI= v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return h
}

func TestVerify(t *testing.T) {
	t.Parallel()
	now, body := sentAt, []byte(`{"type":"trip.completed"}`)
	h := sign("id", body)
	for name, c := range map[string]struct {
		secret string
		body   []byte
		now    time.Time
		want   error
	}{
		"Good":        {secret, body, now.Add(5 * time.Minute), nil},
		"TooOld":      {secret, body, now.Add(5*time.Minute + time.Second), client.ErrTimestamp},
		"Changed":     {secret, append([]byte(" "), body...), now, client.ErrSignature},
		"OtherSecret": {"whsec_YWJj", body, now, client.ErrSignature},
		"NoSecret":    {"whsec_", body, now, client.ErrSecret},
	} {
		if err := client.Verify(c.secret, h, c.body, c.now); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestParseDelivery(t *testing.T) {
	t.Parallel()
	parse := func(body string) client.Delivery {
		t.Helper()
		d, err := client.ParseDelivery(secret, sign("e1", []byte(body)), []byte(body), sentAt)
		if err != nil || d.ID != "e1" {
			t.Fatalf("%+v: %v", d, err)
		}
		return d
	}
	d := parse(`{"type":"trip.completed","timestamp":"2024-05-02T10:15:30Z","sequence":7,"data":{"id":"t1","distance_metres":15230.4}}`)
	trip, ok := d.Data.(*client.Trip)
	if !ok || trip.ID != "t1" || *trip.DistanceMetres != 15230.4 || *d.Sequence != 7 || !d.Timestamp.Equal(sentAt) {
		t.Errorf("the delivery is %+v with %#v", d, d.Data)
	}
	batch, ok := parse(`{"type":"position.updated","sequence":8,"data":{"positions":[{"device_id":"d1","latitude":1.5}]}}`).Data.(*client.PositionUpdatedData)
	if !ok || batch.Positions[0].DeviceID != "d1" || batch.Positions[0].Latitude != 1.5 {
		t.Errorf("the positions are %#v", batch)
	}
	test := parse(`{"type":"webhook.test","sequence":null,"data":{"message":"hello"}}`)
	if data, ok := test.Data.(*client.WebhookTestData); !ok || data.Message != "hello" || test.Sequence != nil {
		t.Errorf("the test is %+v", test)
	}
	if data, ok := parse(`{"type":"moon.landed","sequence":9,"data":{"crew":3}}`).Data.(client.UnknownData); !ok ||
		string(data) != `{"crew":3}` {
		t.Errorf("the data of a type of the future is %s", data)
	}
	body := []byte(`{"type":"trip.completed","data":{}}`)
	if d, err := client.ParseDelivery("whsec_YWJj", sign("e1", body), body, sentAt); !errors.Is(err, client.ErrSignature) || d.Data != nil {
		t.Errorf("a delivery that another has signed is read: %+v, %v", d, err)
	}
	body = []byte(`{"type":"trip.completed","data":{"id":1}}`)
	if _, err := client.ParseDelivery(secret, sign("e1", body), body, sentAt); err == nil {
		t.Error("an id that is a number is read")
	}
}

// TestEventRecord reads the data of every type that the client names.
func TestEventRecord(t *testing.T) {
	t.Parallel()
	for typ, want := range map[client.EventType]client.EventData{
		client.EventTypeDeviceUpdated:          &client.Device{ID: "1"},
		client.EventTypeTripUpdated:            &client.Trip{ID: "1"},
		client.EventTypeMilestoneCreated:       &client.Milestone{ID: "1"},
		client.EventTypeMilestoneStarted:       &client.MilestoneStep{ID: "1"},
		client.EventTypeConnectionCreated:      &client.Connection{ID: "1"},
		client.EventTypeConnectionFailing:      &client.ConnectionFailure{ID: "1"},
		client.EventTypeConnectionDoubtful:     &client.ConnectionDoubt{ID: "1"},
		client.EventTypeConnectionCoverageLost: &client.CoverageLoss{ID: "1"},
	} {
		got, err := client.Event{Type: typ, Data: json.RawMessage(`{"id":"1"}`)}.Record()
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) || err != nil {
			t.Errorf("the data of %s is %T, want %T: %v", typ, got, want, err)
		}
	}
	batch, err := client.Event{Type: client.EventTypePositionUpdated, Data: json.RawMessage(`{"positions":[{"device_id":"d1"}]}`)}.Record()
	if b, ok := batch.(*client.PositionBatch); !ok || b.Positions[0].DeviceID != "d1" {
		t.Errorf("the data is %#v: %v", batch, err)
	}
}
