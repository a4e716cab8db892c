package contract_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/road"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// tileRows are the tiles that are not made.
func tileRows() []row {
	refused := func(name, path, message string) row {
		return row{name: name, as: alice, method: "GET", path: "/tile/" + path, status: 400, want: refusal(400, "No such tile: "+message)}
	}
	const zooms = "z must be from 10 to 14"
	return []row{
		refused("TooFar", "9/0/0", zooms),
		refused("TooNear", "15/0/0", zooms),
		refused("NoZoom", "x/0/0", "z must be a whole number from 0"),
		refused("East", "10/1024/0", "x must be from 0 to 1023 at zoom 10"),
		refused("South", "10/0/1024", "y must be from 0 to 1023 at zoom 10"),
		refused("West", "10/-1/0", "x must be a whole number from 0"),
		refused("Half", "10/0/1.5", "y must be a whole number from 0"),
		refused("Named", "10/0/0.mvt", "y must be a whole number from 0"),
		refused("Huge", "10/0/99999999999999999999", "y must be a whole number from 0"),
		{
			name: "Extra", as: alice, method: "GET", path: "/tile/10/0/0?style=x", status: 422,
			want: invalid("extra_forbidden", "Extra inputs are not permitted", "query", "style"),
		},
	}
}

// addRoads lets alpha's connection have driven near its device.
func (w *world) addRoads(tb testing.TB) {
	tb.Helper()
	drawing := road.Drawing{}
	at := drover.Coordinate{Latitude: 48.4, Longitude: 11.5}
	drawing.Line(at, geo.Destination(at, 90, 900))
	var roads []store.Road
	for q, cells := range drawing {
		roads = append(roads, store.Road{
			ConnectionID: w.ids["conn"], Week: history.Week(drover.At(present)), Square: int64(q), Sum: cells.Sum(), Cells: cells.Pack(),
		})
	}
	w.update(tb, func(tx *store.Tx) error { return tx.Trips.SetRoads(tb.Context(), w.ids["alpha"], roads) })
}

// TestTile reads tiles as those who may see the roads and those who may not, and asks again
// for what is there: once the share has ended, or the connection is being erased, the roads
// are gone at once, also for those who were given a tile before.
func TestTile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		s.addRoads(t)
		get := func(user, path string, header map[string]string) response {
			t.Helper()
			h := s.authorized(t, user)
			maps.Copy(h, header)
			return s.send(t, request{method: http.MethodGet, path: path, header: h})
		}
		const near, far = "/tile/14/8715/5667", "/tile/14/8715/5000"
		zipped := map[string]string{"Accept-Encoding": "gzip"}
		own := get(alice, near, zipped)
		if own.status != 200 || len(own.body) == 0 || own.header.Get("Content-Type") != "application/vnd.mapbox-vector-tile" ||
			own.header.Get("Content-Encoding") != "gzip" || own.header.Get("Cache-Control") != "private, no-cache" {
			t.Fatalf("status %d, %d bytes, %v", own.status, len(own.body), own.header)
		}
		if plain := get(alice, near, map[string]string{"Accept-Encoding": "identity"}); plain.header.Get("Content-Encoding") != "" ||
			len(plain.body) == 0 || plain.body == own.body {
			t.Errorf("without gzip: %d bytes, %v", len(plain.body), plain.header)
		}
		for z, path := range map[int]string{13: "/tile/13/4357/2833", 12: "/tile/12/2178/1416", 11: "/tile/11/1089/708", 10: "/tile/10/544/354"} {
			if got := get(alice, path, zipped); got.status != 200 || len(got.body) == 0 {
				t.Errorf("zoom %d: status %d, %d bytes", z, got.status, len(got.body))
			}
		}
		if none := get(alice, far, zipped); none.status != 200 || none.body != "" {
			t.Errorf("where no one has driven: status %d, %d bytes", none.status, len(none.body))
		}
		if foreign := get(bob, near, zipped); foreign.status != 200 || foreign.body != "" {
			t.Errorf("another tenant: status %d, %d bytes", foreign.status, len(foreign.body))
		}
		shared := get(carol, near, zipped)
		if shared.body != own.body {
			t.Errorf("shared: status %d, %d bytes, the owner's has %d", shared.status, len(shared.body), len(own.body))
		}
		tag := map[string]string{"If-None-Match": shared.header.Get("ETag"), "Accept-Encoding": "gzip"}
		if again := get(carol, near, tag); again.status != 304 || again.body != "" {
			t.Errorf("again: status %d, %d bytes", again.status, len(again.body))
		}
		if guessed := get(bob, near, tag); guessed.status != 200 || guessed.body != "" {
			t.Errorf("another tenant with the tag: status %d, %d bytes", guessed.status, len(guessed.body))
		}
		if err := s.app.Fleet.Shares.Unshare(t.Context(), s.admin("alpha"), s.ids["conn"], s.ids["gamma"]); err != nil {
			t.Fatal(err)
		}
		if ended := get(carol, near, tag); ended.status != 200 || ended.body != "" {
			t.Errorf("after the share: status %d, %d bytes", ended.status, len(ended.body))
		}
		s.update(t, func(tx *store.Tx) error {
			_, err := tx.Trips.EraseRoads(t.Context(), s.ids["alpha"], s.ids["conn"])
			return err
		})
		if gone := get(alice, near, tag); gone.status != 200 || gone.body != "" {
			t.Errorf("once it is erased: status %d, %d bytes", gone.status, len(gone.body))
		}
	})
}
