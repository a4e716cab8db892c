package collect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/demo/sandbox"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie"
)

// TestNoticeWithPositions lets Bouncie send the positions of a trip under way: they are
// announced once, however often they are sent, and beside those of the polls. Those of
// a device that it has never listed are not taken.
func TestNoticeWithPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		info := bouncie.Info
		info.Limits = nil // time stands still
		r.options.Providers[info.Name] = info
		vendor, err := sandbox.New(sandbox.Options{Provider: info.Name, Vehicles: 2, Seed: 3, Now: r.clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		r.network.serve("bouncie.invalid", vendor)
		conn := r.connect(info.Name, noon, vendor.Credentials("https://bouncie.invalid"))
		made, err := r.fleet.Connections.MakeInbound(t.Context(), r.principal, conn.ID)
		if err != nil {
			t.Fatal(err)
		}
		_, token, _ := strings.Cut(made.URL, conn.ID+"/")
		r.run()
		var imei, device string
		for id, d := range r.devices(conn) {
			imei, device = id, d.ID
		}
		latitude, longitude := -37.5, 144.9
		if seen := r.positions(device); len(seen) > 0 { // one that drives is where it can be by then
			latitude, longitude = seen[len(seen)-1].Latitude, seen[len(seen)-1].Longitude
		}
		before := len(r.announced())
		send := func(imei string) {
			t.Helper()
			body := fmt.Sprintf(`{"eventType":"tripData","imei":%q,"data":[
				{"timestamp":%q,"speed":20,"gps":{"lat":%f,"lon":%f,"heading":10}},
				{"timestamp":%q,"speed":21,"gps":{"lat":%f,"lon":%f,"heading":10}}]}`,
				imei, drover.At(noon.Add(time.Second)), latitude, longitude,
				drover.At(noon.Add(2*time.Second)), latitude+1e-4, longitude)
			if err := r.notice(conn.ID, token, http.Header{}, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		r.clock.Advance(7 * time.Second)
		for range 3 {
			send(imei)
		}
		send("123456789012345")
		if n := len(r.announced()) - before; n != 2 {
			t.Errorf("%d positions are announced, want the 2 of the notice", n)
		}
		if _, known := r.devices(conn)["123456789012345"]; known {
			t.Error("a notice has made a device")
		}
		r.run() // the notice is a reason to look
		if at := r.readAt(conn); !at.Equal(r.clock.Now()) {
			t.Errorf("read at %s, noticed at %s", at, r.clock.Now())
		}
	})
}
