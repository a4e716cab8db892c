package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is by how much a delivery's time may differ from the receiver's: an old
// one may have been recorded and sent again by anyone.
const tolerance = 5 * time.Minute

// The faults of a delivery.
var (
	ErrSecret    = errors.New("the secret is not one of a webhook: whsec_ and base64")
	ErrTimestamp = errors.New("the delivery has no time, or one that is too far from now")
	ErrSignature = errors.New("the delivery is not signed with the secret")
)

// Verify checks that a delivery was signed with the webhook's secret and is of now, as
// Standard Webhooks 1.0 has it. Body is the request's, to the byte.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return ErrSecret
	}
	seconds, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrTimestamp
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(h.Get("webhook-id") + "." + h.Get("webhook-timestamp") + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	for signature := range strings.FieldsSeq(h.Get("webhook-signature")) {
		given, ok := strings.CutPrefix(signature, "v1,")
		if got, err := base64.StdEncoding.DecodeString(given); ok && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}

// Delivery is what a webhook receives.
type Delivery struct {
	// ID is that of the event, the same for every attempt: a receiver that keeps it
	// handles a delivery once.
	ID        string
	Type      EventType
	Timestamp time.Time
	// Sequence is the event's place in the feed; nil of a test, which is no event.
	Sequence *int64
	// Data is a record by Type: a *Trip of trip.completed. The data of a type that this
	// client does not know is UnknownData.
	Data EventData
}

// ParseDelivery verifies a delivery and reads it. Body is the request's, to the byte.
func ParseDelivery(secret string, h http.Header, body []byte, now time.Time) (Delivery, error) {
	if err := Verify(secret, h, body, now); err != nil {
		return Delivery{}, err
	}
	var d struct {
		Type      EventType
		Timestamp time.Time
		Sequence  *int64
		Data      json.RawMessage
	}
	if err := json.Unmarshal(body, &d); err != nil {
		return Delivery{}, fmt.Errorf("read the delivery: %w", err)
	}
	data, err := readData(deliveryRecord(d.Type), d.Data)
	return Delivery{h.Get("webhook-id"), d.Type, d.Timestamp, d.Sequence, data}, err
}

// UnknownData is the data of an event whose type is newer than this client.
type UnknownData json.RawMessage

func (UnknownData) eventData() {}

// Record is the data of an event as a record by its type: a *Trip of trip.completed. The
// data of a type that this client does not know is UnknownData.
func (e Event) Record() (EventData, error) { return readData(eventRecord(e.Type), e.Data) }

func readData(into EventData, text json.RawMessage) (EventData, error) {
	if into == nil {
		return UnknownData(text), nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("read the data of an event: %w", err)
	}
	return into, nil
}
