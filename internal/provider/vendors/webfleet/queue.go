package webfleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	createQueue = "createQueueExtern"
	popQueue    = "popQueueMessagesExtern"
	ackQueue    = "ackQueueMessagesExtern"

	// queueField says whether the user's queue of messages is read.
	queueField = "message_queue"
	queueOn    = "yes"
	queueOff   = "no"

	// queueAgain is how often a queue is made: a few times a day are permitted.
	queueAgain = 3 * time.Hour
)

// allMessages is the class of all that vehicles send.
var allMessages = url.Values{"msgclass": {"0"}}

// queueCursor is where the reading of the queue stands.
type queueCursor struct {
	// Stored are the messages of the page that was read last, in short. They are
	// acknowledged when they come again, or when this adapter got them itself and nothing
	// since: what was not stored stays in the queue.
	Stored string `json:"stored"`
}

// queued reads the messages that vehicles have sent since the last poll. There is one
// queue for each user, which hands the same messages out until they are acknowledged: a
// poll goes on until there are none.
func (a *Adapter) queued(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	var c queueCursor
	if json.Unmarshal([]byte(q.Cursor), &c) != nil {
		return a.beginQueue(ctx)
	}
	if a.popped != "" && a.popped == c.Stored {
		if err := a.acknowledge(ctx); err != nil {
			return provider.Page[provider.Position]{}, err
		}
	}
	messages, err := a.pop(ctx)
	if err == nil && a.popped != "" && a.popped == c.Stored {
		if err = a.acknowledge(ctx); err == nil {
			messages, err = a.pop(ctx)
		}
	}
	if provider.KindOf(err) == provider.KindPermanent && err != nil { // there is no queue any more
		return a.beginQueue(ctx)
	}
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	return provider.Page[provider.Position]{
		Records: wire.Records(messages, queueMessage.record), Cursor: queueCursor{a.popped}.encode(), More: len(messages) > 0,
	}, nil
}

// beginQueue makes the queue and reads the newest position of each vehicle: a queue
// holds what comes from now on. One that is there already is as good.
func (a *Adapter) beginQueue(ctx context.Context) (provider.Page[provider.Position], error) {
	a.popped = ""
	if now := a.cfg.Now(); now.Sub(a.madeAt) > queueAgain {
		a.madeAt = now
		if _, err := report[struct{}](ctx, a, createQueue, allMessages); provider.Canceled(err) {
			return provider.Page[provider.Position]{}, err
		}
	}
	records, err := a.newest(ctx)
	return provider.Page[provider.Position]{Records: records, Cursor: queueCursor{}.encode()}, err
}

// pop returns the oldest messages, and keeps which they are.
func (a *Adapter) pop(ctx context.Context) ([]queueMessage, error) {
	messages, err := report[queueMessage](ctx, a, popQueue, allMessages)
	if err != nil {
		return nil, err
	}
	a.popped = ""
	if len(messages) > 0 {
		all := sha256.New()
		for _, m := range messages {
			all.Write(fmt.Appendf(nil, "%s %s %s;", m.ID, m.ObjectUID, m.Time.Time))
		}
		a.popped = hex.EncodeToString(all.Sum(nil)[:16])
	}
	return messages, nil
}

// acknowledge takes the messages that were handed out last from the queue.
func (a *Adapter) acknowledge(ctx context.Context) error {
	a.popped = "" // whether it succeeds or not: what is there is looked at again
	_, err := report[struct{}](ctx, a, ackQueue, allMessages)
	return err
}

func (c queueCursor) encode() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // a text always marshals
	}
	return string(text)
}

// queueMessage is what a vehicle sent. What it does not know is empty, or zero.
type queueMessage struct {
	ID        wire.Text   `json:"msgid"`
	ObjectUID wire.Text   `json:"objectuid"`
	Time      wire.Time   `json:"pos_time"`
	Latitude  wire.Number `json:"pos_latitude"` // millionths of a degree
	Longitude wire.Number `json:"pos_longitude"`
	Status    wire.Text   `json:"status"`
	Speed     wire.Number `json:"speed"` // km/h
	Course    wire.Number `json:"course"`
	Ignition  wire.Bool   `json:"ign"`
	Odometer  wire.Number `json:"odometer"` // 100 m
	DriverUID wire.Text   `json:"driveruid"`
}

// record returns the position; false for a message that has none.
func (m queueMessage) record() (provider.Position, bool) {
	place := place(m.Latitude, m.Longitude)
	if place == nil || m.Time.IsZero() || m.Status == invalidFix || m.ObjectUID == "" {
		return provider.Position{}, false
	}
	return provider.Position{SystemDeviceID: m.ObjectUID.String(), Position: drover.Position{
		Time: m.Time.Record(), Latitude: place.Latitude, Longitude: place.Longitude, Heading: m.Course.Ptr(), SpeedKPH: m.Speed.Ptr(),
		DriverID: m.DriverUID.Ptr(), Ignition: m.Ignition.Ptr(), OdometerMetres: wire.Map(m.Odometer.Ptr(), metresFromHectometres),
	}}, true
}
