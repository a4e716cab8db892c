package gpswox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// settingsFor is how long the settings of the user are taken for the same.
const settingsFor = time.Hour

// settings are what the user has chosen for the server's answers.
type settings struct {
	miles  bool          // not kilometres, nor km/h
	offset time.Duration // of the zone in which times are written
}

// readSettings reads the settings. A user who may not see them is taken to have
// kilometres, and a zone that the answers will show.
func (a *Adapter) readSettings(ctx context.Context) (settings, error) {
	setup, err := client.Get[setup](ctx, a.api, "/edit_setup_data", nil)
	if err != nil && provider.KindOf(err) != provider.KindPermanent {
		return settings{}, fmt.Errorf("read settings: %w", err)
	}
	s := settings{miles: setup.miles(), offset: setup.offset()}
	if err == nil {
		a.cfg.Observe("distance", map[bool]string{true: "miles", false: "kilometres"}[s.miles])
		a.cfg.Observe("zone", zoneName(s.offset))
	}
	return s, nil
}

// offset returns the zone in which a device's times are written.
func (a *Adapter) offset(device string, s settings) time.Duration {
	if offset, ok := a.offsets[device]; ok {
		return offset
	}
	return s.offset
}

// inZone fetches with the zone of a device. fetch returns the zone that the answer
// is written in, nil where it does not show: where it is another, because of
// daylight saving or a zone of the device's own, the window was not the one that
// was meant, and fetch runs once more.
func (a *Adapter) inZone(device string, s settings, fetch func(offset time.Duration) (*time.Duration, error)) error {
	offset := a.offset(device, s)
	found, err := fetch(offset)
	if err != nil || found == nil || *found == offset {
		return err
	}
	a.offsets[device] = *found
	a.cfg.Observe("zone", zoneName(*found))
	_, err = fetch(*found)
	return err
}

// zoneName is a zone as people write it, such as UTC+02:00.
func zoneName(offset time.Duration) string {
	return time.Time{}.In(time.FixedZone("", int(offset.Seconds()))).Format("UTC-07:00")
}

// period writes a window for a query, in the zone of the user and in whole
// minutes: not every server takes seconds.
func period(w window.Window, offset time.Duration) url.Values {
	from := w.From.UTC().Add(offset).Truncate(time.Minute)
	to := w.To.UTC().Add(offset + time.Minute - 1).Truncate(time.Minute)
	return url.Values{
		"device_id": w.Devices,
		"from_date": {from.Format(time.DateOnly)}, "from_time": {from.Format("15:04")},
		"to_date": {to.Format(time.DateOnly)}, "to_time": {to.Format("15:04")},
	}
}

type setup struct {
	Item struct {
		UnitOfDistance wire.Text `json:"unit_of_distance"`
		TimezoneID     wire.Text `json:"timezone_id"`
	} `json:"item"`
	// Timezones is read apart: what has another form than expected is ignored.
	Timezones json.RawMessage `json:"timezones"`
}

func (s setup) miles() bool {
	return strings.HasPrefix(strings.ToLower(s.Item.UnitOfDistance.String()), "mi")
}

var offsetText = regexp.MustCompile(`([+-])\s*(\d{1,2})(?::?(\d{2}))?`)

// offset returns the zone of the user, such as "UTC +02:00"; zero where it is not
// known.
func (s setup) offset() time.Duration {
	var zones []struct {
		ID    wire.Text `json:"id"`
		Value wire.Text `json:"value"`
	}
	if json.Unmarshal(s.Timezones, &zones) != nil {
		return 0
	}
	for _, zone := range zones {
		parts := offsetText.FindStringSubmatch(zone.Value.String())
		if zone.ID != s.Item.TimezoneID || parts == nil {
			continue
		}
		hours, _ := strconv.Atoi(parts[2])
		minutes, _ := strconv.Atoi(parts[3])
		offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
		if parts[1] == "-" {
			return -offset
		}
		return offset
	}
	return 0
}

// zoneOf returns the zone in which local, a time without one, tells the instant
// at; nil where they do not go together.
func zoneOf(local wire.Text, at wire.Time) *time.Duration {
	written, err := wire.ParseTime(local.String())
	if err != nil || written.IsZero() || at.IsZero() {
		return nil
	}
	offset := written.Sub(at.Time)
	if offset.Abs() > 14*time.Hour || offset%(15*time.Minute) != 0 {
		return nil
	}
	return &offset
}
