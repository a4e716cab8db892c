package e2e

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

const (
	lateVehicles  = 12
	lateDays      = 6
	lateLongitude = 13.5
)

// lateVendor is Bouncie with vehicles of which it knows no more than their names, and
// that sends where they were days ago.
type lateVendor struct {
	began time.Time
	conn  drover.Connection
	path  string // of its notices
}

// newLateVendor connects a user with the vendor.
func newLateVendor(t *testing.T, c *client, began time.Time) *lateVendor {
	t.Helper()
	var list []string
	for n := range lateVehicles {
		list = append(list, fmt.Sprintf(`{"imei":%q,"nickName":"Van %d","model":{"make":"M","name":"V","year":2020},"stats":{}}`, imei(n), n))
	}
	vehicles := "[" + strings.Join(list, ",") + "]"
	answer := func(body func(*http.Request) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body(r)))
		}
	}
	mux := http.NewServeMux()
	mux.Handle("POST /oauth/token", answer(func(*http.Request) string {
		return `{"access_token":"a","refresh_token":"unused","expires_in":3600,"token_type":"Bearer"}`
	}))
	mux.Handle("GET /v1/vehicles", answer(func(r *http.Request) string {
		if r.URL.Query().Has("skip") {
			return "[]"
		}
		return vehicles
	}))
	mux.Handle("GET /v1/trips", answer(func(*http.Request) string { return "[]" }))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	v := &lateVendor{began: began}
	c.must(t, &v.conn, http.MethodPost, "/connection", fmt.Sprintf(
		`{"integration_name":%q,"business_name":"Late","collection_start_time":%q,"credentials":{"base_url":%q,"client_id":"i","client_secret":"s","redirect_uri":"https://a.invalid","authorization_code":"c"}}`,
		drover.Bouncie, began.Format(time.RFC3339), server.URL))
	var made drover.InboundAddress
	c.must(t, &made, http.MethodPost, "/connection/"+v.conn.ID+"/inbound", "")
	v.path = made.URL[strings.Index(made.URL, "/inbound/"):]
	return v
}

func imei(n int) string { return fmt.Sprintf("35000000000%04d", n) }

// latitude is where all vehicles are at a time: each position tells its own time.
func (v *lateVendor) latitude(milli int64) float64 {
	return float64(50_000_000+(milli-v.began.UnixMilli())/1000) / 1e6
}

// lateNotice is what the vendor sends: positions of one vehicle.
type lateNotice struct {
	imei  string
	times []int64
	late  *lateVendor
}

func (n lateNotice) body() string {
	var points []string
	for _, at := range n.times {
		points = append(points, fmt.Sprintf(`{"timestamp":%q,"gps":{"lat":%s,"lon":%v}}`, drover.Milli(at),
			strconv.FormatFloat(n.late.latitude(at), 'g', -1, 64), lateLongitude))
	}
	return fmt.Sprintf(`{"eventType":"tripData","imei":%q,"data":[%s]}`, n.imei, strings.Join(points, ","))
}

// first are notices of all vehicles and days.
func (v *lateVendor) first() iter.Seq[lateNotice] {
	return func(yield func(lateNotice) bool) {
		for vehicle := range lateVehicles {
			n := lateNotice{imei: imei(vehicle), late: v}
			for at := v.began; at.Before(v.began.AddDate(0, 0, lateDays)); at = at.Add(15 * time.Minute) {
				n.times = append(n.times, at.UnixMilli())
			}
			if !yield(n) {
				return
			}
		}
	}
}

// more are notices of seconds that may have been sent before or not.
func (v *lateVendor) more(random *rand.Rand, number int) []lateNotice {
	notices := make([]lateNotice, number)
	for i := range notices {
		n := lateNotice{imei: imei(random.IntN(lateVehicles)), late: v}
		for range 1 + random.IntN(60) {
			n.times = append(n.times, v.began.Add(time.Duration(random.IntN(lateDays*24*3600))*time.Second).UnixMilli())
		}
		slices.Sort(n.times)
		n.times = slices.Compact(n.times)
		notices[i] = n
	}
	return notices
}
