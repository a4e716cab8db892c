package navixy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// silence is longer than the 30 seconds after which the platform shows that it is
	// there.
	silence = 2 * time.Minute
	// batching is how long the platform gathers changed states.
	batching = "1s"
	// listedFor is how long the trackers are known that a source belongs to. One that
	// is not known is looked for again after that.
	listedFor = 10 * time.Minute
	// heartbeat is what both sides say to show that they are there.
	heartbeat = "X"
)

// push is the platform's websocket. It says where each tracker is, so that what comes
// late, or at the same moment, is polled.
var push = &provider.Push{Poll: 5 * time.Minute, Freshness: 5 * time.Second, Newest: true}

var _ provider.Pusher = (*Adapter)(nil)

// Push implements provider.Pusher.
func (a *Adapter) Push(ctx context.Context, take func([]provider.Position) error) error {
	s := &states{adapter: a}
	if err := s.list(ctx); err != nil {
		return err
	}
	req, err := wire.Get(ctx, a.api.Base+"/event/subscription", url.Values{
		"X-Atmosphere-tracking-id": {"0"}, "X-Atmosphere-Framework": {"2.3.6-javascript"}, "X-Atmosphere-Transport": {"websocket"},
		"Content-Type": {"application/json"}, "X-atmo-protocol": {"true"},
	})
	if err != nil {
		return err
	}
	socket, err := a.cfg.Pushes.Socket(req, silence)
	if err != nil {
		return err
	}
	defer socket.Close()
	subscribe, err := json.Marshal(object{
		"action": "subscribe", "hash": a.cfg.Credentials["api_key"], "iso_datetime": true,
		"requests": []object{
			{"type": "state_batch", "target": object{"type": "all"}, "rate_limit": batching, "format": "compact"},
		},
	})
	if err != nil {
		return err
	}
	if _, err := socket.Read(); err != nil { // about the protocol; from then on it listens
		return err
	}
	if err := socket.Write(subscribe); err != nil {
		return err
	}
	for {
		data, err := socket.Read()
		if err != nil {
			return err
		}
		data = bytes.TrimSpace(data)
		if string(data) == heartbeat {
			err = socket.Write([]byte(heartbeat))
		} else {
			err = s.read(ctx, data, take)
		}
		if err != nil {
			return err
		}
	}
}

// states reads the messages of the push, which name the source of a tracker and not
// the tracker.
type states struct {
	adapter  *Adapter
	trackers map[string][]string // by their source: clones have the same
	listedAt time.Time
}

// list reads whose source is whose.
func (s *states) list(ctx context.Context) error {
	var trackers list[struct {
		ID     wire.Text `json:"id"`
		Source struct {
			ID wire.Text `json:"id"`
		} `json:"source"`
	}]
	if err := s.adapter.api.Post(ctx, "/tracker/list", object{}, &trackers); err != nil {
		return err
	}
	s.trackers, s.listedAt = map[string][]string{}, s.adapter.cfg.Now()
	for _, t := range trackers.List {
		s.trackers[t.Source.ID.String()] = append(s.trackers[t.Source.ID.String()], t.ID.String())
	}
	return nil
}

// message is what the platform says. Times are in the user's zone where they do not
// name one.
type message struct {
	Type   string `json:"type"`
	Event  string `json:"event"`
	Status struct {
		Code        int    `json:"code"`
		Description string `json:"description"`
	} `json:"status"`
	UserTime string          `json:"user_time"`
	Data     json.RawMessage `json:"data"`
}

type state struct {
	SourceID wire.Text `json:"source_id"`
	GPS      *struct {
		Updated  string      `json:"updated"`
		Heading  wire.Number `json:"heading"`
		Speed    wire.Number `json:"speed"` // km/h
		LBS      bool        `json:"gsm_lbs"`
		Location struct {
			Latitude  wire.Number `json:"lat"`
			Longitude wire.Number `json:"lng"`
		} `json:"location"`
	} `json:"gps"`
}

// read hands on what a message says of positions.
func (s *states) read(ctx context.Context, data []byte, take func([]provider.Position) error) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return provider.Errorf(provider.KindTemporary, "Navixy's push says what is not JSON")
	}
	switch {
	case m.Type == "error":
		failed := &apiError{m.Status.Code, s.adapter.redactor.Redact(fmt.Sprintf("%.200s", m.Status.Description))}
		return &provider.Error{Kind: failed.kind(), Err: failed}
	case m.Type == "response":
		return take(nil) // it is subscribed to
	case m.Event == "logout":
		return provider.Errorf(provider.KindTemporary, "Navixy has ended the push's session")
	case m.Event != "state_batch":
		return nil
	}
	var changed []state
	if err := json.Unmarshal(m.Data, &changed); err != nil {
		return provider.Errorf(provider.KindTemporary, "Navixy's push says what is not a list of states")
	}
	var records []provider.Position
	for _, c := range changed {
		trackers, err := s.of(ctx, c.SourceID.String())
		if err != nil {
			return err
		}
		for _, tracker := range trackers {
			if r, ok := c.record(tracker, s.zone(m.UserTime)); ok {
				records = append(records, r)
			}
		}
	}
	return take(records)
}

// of returns the trackers of a source.
func (s *states) of(ctx context.Context, source string) ([]string, error) {
	if trackers := s.trackers[source]; trackers != nil || s.adapter.cfg.Now().Sub(s.listedAt) < listedFor {
		return trackers, nil
	}
	err := s.list(ctx)
	return s.trackers[source], err
}

// localForm is how the platform writes times in the user's zone.
const localForm = "2006-01-02 15:04:05"

// zone is that of the user: how far the time that a message was written at, by the
// user's clock, is from the present, in quarters of an hour.
func (s *states) zone(userTime string) *time.Location {
	local, err := time.Parse(localForm, userTime)
	if err != nil {
		return time.UTC
	}
	offset := local.Sub(s.adapter.cfg.Now()).Round(15 * time.Minute)
	return time.FixedZone("user", int(offset.Seconds()))
}

// record returns the position; false where there is none, or one guessed from radio
// cells.
func (c state) record(tracker string, zone *time.Location) (provider.Position, bool) {
	if c.GPS == nil || c.GPS.LBS {
		return provider.Position{}, false
	}
	at, err := time.Parse(time.RFC3339, c.GPS.Updated)
	if err != nil {
		at, err = time.ParseInLocation(localForm, c.GPS.Updated, zone)
	}
	latitude, longitude := c.GPS.Location.Latitude.Ptr(), c.GPS.Location.Longitude.Ptr()
	if err != nil || latitude == nil || longitude == nil {
		return provider.Position{}, false
	}
	return provider.Position{SystemDeviceID: tracker, Position: drover.Position{
		Time: drover.At(at), Latitude: *latitude, Longitude: *longitude, Heading: c.GPS.Heading.Ptr(), SpeedKPH: c.GPS.Speed.Ptr(),
	}}, true
}
