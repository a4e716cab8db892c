package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/work"
)

// alphaLimits are what alpha has, within the limits that hold where none is set.
const alphaLimits = `[{"name":"connections","limit":1000,"used":2},{"name":"devices","limit":100000,"used":3},{"name":"webhooks","limit":100,"used":2},` +
	`{"name":"filter_bytes","limit":1048576,"used":"<any>"},{"name":"open_milestones","limit":10000,"used":3},{"name":"streams","limit":500,"used":0},` +
	`{"name":"sync_jobs","limit":50,"used":0},{"name":"exports","limit":20,"used":2},{"name":"api_keys","limit":100,"used":2},{"name":"users","limit":1000,"used":4},{"name":"links","limit":10000,"used":3},{"name":"requests_per_minute","limit":0,"used":0}]`

// alphaStorage is what alpha has: nothing of it is packed yet.
const alphaStorage = `{"positions":{"rows":"<any>","row_bytes":"<any>","packed":0,"blocks":0,"packed_bytes":0,"bytes_per_position":null,"per_day":null},` +
	`"events":{"rows":"<any>","bytes":"<any>"},"growth_bytes_per_day":null,"generated_at":"<any>",` +
	`"retention":{"position_days":null,"event_days":90,"position_event_days":30}}`

func limitRows() []row {
	return []row{
		{name: "Limits", as: alice, method: "GET", path: "/account/limits", status: 200, want: data(alphaLimits)},
		{name: "Storage", as: alice, method: "GET", path: "/account/storage", status: 200, want: data(alphaStorage)},
		{name: "LimitsForViewer", as: vera, method: "GET", path: "/account/limits", status: 200, want: data(alphaLimits)},
	}
}

// limited gives a tenant room for some more of something.
func (s *service) limited(t *testing.T, tenant string, quota drover.Quota, more int64) int64 {
	t.Helper()
	used, err := s.app.Store.Accounts.Used(t.Context(), s.ids[tenant], quota)
	if err != nil {
		t.Fatal(err)
	}
	s.update(t, func(tx *store.Tx) error { return tx.Accounts.SetLimit(t.Context(), s.ids[tenant], quota, used+more) })
	return used + more
}

// TestLimits has several requests want the last place of a tenant at once: one gets
// it, and the others are refused.
func TestLimits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		names := &names{t: t, world: s.world, fresh: map[string]string{}}
		for _, c := range []struct {
			quota      drover.Quota
			path, body string
			words      string
		}{
			{drover.QuotaConnections, "/connection", input, "connections"},
			{drover.QuotaWebhooks, "/webhook", leastHook, "webhooks"},
			{drover.QuotaOpenMilestones, "/milestone", `{"device_id":"$work_device","start_point":{"latitude":48,"longitude":11},"end_point":{"latitude":49,"longitude":11}}`, "open milestones"},
			{drover.QuotaExports, "/export", leastExport, "exports"},
			{drover.QuotaAPIKeys, "/api-key", `{"name":"last","role":"viewer"}`, "API keys"},
			{drover.QuotaUsers, "/user", `{"username":"last","email":"last@mail.example","role":"viewer","password":"grey-owl"}`, "users"},
			{drover.QuotaSyncJobs, "/connection/$work_conn/sync", "", "sync jobs"},
		} {
			t.Run(string(c.quota), func(t *testing.T) {
				body := names.resolve(c.body)
				takes := int64(1)
				if c.quota == drover.QuotaSyncJobs {
					body, takes = s.historyWindow(t), 2 // positions and trips
				}
				limit := s.limited(t, "work", c.quota, takes)
				got := s.sendAtOnce(t, wanda, request{method: http.MethodPost, path: names.resolve(c.path), body: body}, 4)
				refused := refusal(403, fmt.Sprintf("Limit of %d %s reached", limit, c.words))
				passed := 0
				for _, answer := range got {
					if answer.status == http.StatusOK {
						passed++
					} else if diff := cmp.Diff(tree(t, refused), tree(t, answer.body)); diff != "" || answer.status != http.StatusForbidden {
						t.Errorf("status %d (-want +got):\n%s", answer.status, diff)
					}
				}
				if passed != 1 {
					t.Errorf("%d of %d passed, want 1", passed, len(got))
				}
				for _, l := range s.accountLimits(t, wanda) {
					if l.Name == c.quota && (l.Used != limit || l.Limit != limit) {
						t.Errorf("%s: %d of %d used, want %d of %d", l.Name, l.Used, l.Limit, limit, limit)
					}
				}
			})
		}
	})
}

// TestErasureLimit has several drivers erased at once where one more may be: one is.
func TestErasureLimit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		s.update(t, func(tx *store.Tx) error {
			for i := range 99 {
				if err := tx.Jobs.AddDriverErasure(t.Context(), work.DriverErasure{
					TenantID: s.ids["work"], DriverID: fmt.Sprint(i),
					DriverErasure: drover.DriverErasure{ID: store.NewID(), State: drover.JobQueued, RequestedAt: drover.At(present)},
				}); err != nil {
					return err
				}
			}
			return nil
		})
		header := s.authorized(t, wanda)
		statuses := make([]int, 8)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() {
				statuses[i] = s.send(t, request{method: http.MethodDelete, path: fmt.Sprintf("/driver/last-%d", i), header: header}).status
			})
		}
		all.Wait()
		slices.Sort(statuses)
		if statuses[0] != http.StatusOK || statuses[1] != http.StatusForbidden {
			t.Errorf("one of %v may pass", statuses)
		}
	})
}

// TestRetentionOfAccount has an operator set for how long a tenant's positions are kept.
func TestRetentionOfAccount(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		for _, c := range []struct {
			set  *int
			want string
		}{{new(365), "365"}, {new(0), "null"}, {nil, "null"}} {
			s.update(t, func(tx *store.Tx) error {
				return tx.Accounts.SetRetention(t.Context(), account.Retention{TenantID: s.ids["work"], PositionDays: c.set})
			})
			got := s.send(t, request{method: http.MethodGet, path: "/account/storage", header: s.authorized(t, wanda)})
			if want := `"retention":{"position_days":` + c.want + `,"event_days":90,`; !strings.Contains(got.body, want) {
				t.Errorf("%s, want %s", got.body, want)
			}
		}
	})
}

// historyWindow lets a connection begin earlier, so that it has a past, and asks for
// that.
func (s *service) historyWindow(t *testing.T) string {
	t.Helper()
	patch := request{
		method: http.MethodPatch, path: "/connection/" + s.ids["work_conn"],
		body: `{"collection_start_time":"2024-05-01T00:00:00Z"}`, header: s.authorized(t, wanda),
	}
	if resp := s.send(t, patch); resp.status != http.StatusOK {
		t.Fatalf("status %d: %s", resp.status, resp.body)
	}
	return `{"from":"2024-05-01T00:00:00Z","to":"2024-05-02T00:00:00Z"}`
}

// sendAtOnce sends a request several times at once.
func (s *service) sendAtOnce(t *testing.T, user string, q request, n int) []response {
	t.Helper()
	if user != "" {
		q.header = s.authorized(t, user)
	}
	out := make([]response, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { out[i] = s.send(t, q) })
	}
	all.Wait()
	return out
}

func (s *service) accountLimits(t *testing.T, user string) []drover.AccountLimit {
	t.Helper()
	limits, _ := get[[]drover.AccountLimit](t, s, user, "/account/limits")
	return limits
}

// TestFilterLimit changes the filters of webhooks: more than the limit is refused,
// and less is always possible.
func TestFilterLimit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		id := s.fresh(t, "new_webhook")["new_webhook"]
		tags := func(n int) string {
			list := make([]string, n)
			for i := range list {
				list[i] = fmt.Sprintf("tag-%03d", i)
			}
			return jsonText(map[string]any{"filters": map[string]any{"tags": list}})
		}
		patch := func(body string, status int) response {
			t.Helper()
			resp := s.send(t, request{method: http.MethodPatch, path: "/webhook/" + id, body: body, header: s.authorized(t, wanda)})
			if resp.status != status {
				t.Errorf("status %d, want %d: %s", resp.status, status, resp.body)
			}
			return resp
		}
		patch(tags(10), http.StatusOK)
		used, err := s.app.Store.Accounts.Used(t.Context(), s.ids["work"], drover.QuotaFilterBytes)
		if err != nil {
			t.Fatal(err)
		}
		const oneTag = int64(len(`,"tag-000"`))
		set := func(most int64) {
			s.update(t, func(tx *store.Tx) error {
				return tx.Accounts.SetLimit(t.Context(), s.ids["work"], drover.QuotaFilterBytes, most)
			})
		}
		set(used + oneTag)
		patch(tags(11), http.StatusOK)
		if got := patch(tags(12), http.StatusForbidden); !strings.Contains(got.body,
			fmt.Sprintf("Limit of %d bytes of webhook filters reached", used+oneTag)) {
			t.Errorf("the refusal says %s", got.body)
		}
		set(1)
		patch(tags(9), http.StatusOK)
		post := s.send(t, request{method: http.MethodPost, path: "/webhook", body: leastHook, header: s.authorized(t, wanda)})
		if post.status != http.StatusForbidden || !json.Valid([]byte(post.body)) {
			t.Errorf("a new webhook: status %d", post.status)
		}
	})
}
