package bouncie

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var notices = &provider.Notices{
	Help:    "In the Bouncie developer portal, enter the address as the application's webhook, with a key of your own as its authorization, and the same key as webhook_secret.",
	Genuine: genuine,
	Positions: func(body []byte) []provider.Position {
		var n notice
		if json.Unmarshal(body, &n) != nil {
			return nil
		}
		return n.records()
	},
}

// notice is a webhook. That of a trip under way has the positions since the one before.
type notice struct {
	Event wire.Text `json:"eventType"`
	IMEI  wire.Text `json:"imei"`
	Data  []struct {
		Time  wire.Time   `json:"timestamp"`
		Speed wire.Number `json:"speed"` // miles an hour
		GPS   place       `json:"gps"`
	} `json:"data"`
}

// UnmarshalJSON reads a notice. Those of other events have other data, which are left
// alone.
func (n *notice) UnmarshalJSON(b []byte) error {
	var kind struct {
		Event wire.Text `json:"eventType"`
	}
	if err := json.Unmarshal(b, &kind); err != nil || kind.Event != "tripData" {
		return err
	}
	type plain notice
	return json.Unmarshal(b, (*plain)(n))
}

// records returns the positions. Whether the engine runs is not said.
func (n notice) records() []provider.Position {
	var records []provider.Position
	for _, d := range n.Data {
		latitude, longitude := d.GPS.Latitude.Ptr(), d.GPS.Longitude.Ptr()
		if n.IMEI == "" || d.Time.IsZero() || latitude == nil || longitude == nil {
			continue
		}
		records = append(records, provider.Position{SystemDeviceID: n.IMEI.String(), Position: drover.Position{
			Time: d.Time.Record(), Latitude: *latitude, Longitude: *longitude, Heading: d.GPS.Heading.Ptr(),
			SpeedKPH: wire.Map(d.Speed.Ptr(), wire.KPHFromMPH),
		}})
	}
	return records
}

// genuine compares the key that the application sends with each notice. Bouncie signs
// nothing.
func genuine(secret string, header http.Header, _ []byte) bool {
	return subtle.ConstantTimeCompare([]byte(secret), []byte(header.Get("Authorization"))) == 1
}
