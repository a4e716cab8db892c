package bouncie

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

func TestGenuine(t *testing.T) {
	t.Parallel()
	if !genuine("key", http.Header{"Authorization": {"key"}}, nil) || genuine("key", http.Header{"Authorization": {"other"}}, nil) ||
		genuine("key", http.Header{}, nil) {
		t.Error("the key is not compared")
	}
}

// TestNoticePositions reads the positions of a trip under way, and none of anything
// else.
func TestNoticePositions(t *testing.T) {
	t.Parallel()
	got := notices.Positions([]byte(`{"eventType":"tripData","imei":"352602113969379","vin":"V","transactionId":"1","data":[
		{"timestamp":"2026-03-10T11:59:00.000Z","speed":25,"gps":{"lat":32.77,"lon":-96.79,"heading":135},"fuelLevelInput":80},
		{"timestamp":"2026-03-10T11:59:15.000Z","speed":null,"gps":{"lat":32.78,"lon":-96.79}},
		{"timestamp":"2026-03-10T11:59:30.000Z","speed":25,"gps":null},
		{"speed":25,"gps":{"lat":32.77,"lon":-96.79,"heading":135}}]}`))
	at := func(second int) drover.Time {
		return drover.At(time.Date(2026, 3, 10, 11, 59, second, 0, time.UTC))
	}
	want := []provider.Position{
		{SystemDeviceID: "352602113969379", Position: drover.Position{
			Time: at(0), Latitude: 32.77, Longitude: -96.79, Heading: new(135.0),
			SpeedKPH: new(40.234),
		}},
		{SystemDeviceID: "352602113969379", Position: drover.Position{Time: at(15), Latitude: 32.78, Longitude: -96.79}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
	for _, other := range []string{
		`{"eventType":"tripStart","imei":"1","start":{"timestamp":"2026-03-10T11:59:00.000Z"}}`,
		`{"eventType":"mil","imei":"1","data":{"value":"ON"}}`,
		`{"eventType":"tripData","imei":"1","data":"nothing"}`,
		`[]`, `null`, `no JSON`,
	} {
		if got := notices.Positions([]byte(other)); len(got) != 0 {
			t.Errorf("%s has %d positions", other, len(got))
		}
	}
}
