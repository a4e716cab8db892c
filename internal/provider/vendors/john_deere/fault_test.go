package johndeere

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestAlerts reads alerts in the vendor's shape: those without a definition are no faults.
func TestAlerts(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"@type":"DiagnosticTroubleCodeAlert","duration":{"valueAsInteger":"3","unit":"Seconds"},"occurrences":"2","bus":"0",
			"definition":{"suspectParameterName":"524019","failureModeIndicator":"31","bus":"0","sourceAddress":"140","threeLetterAcronym":"AIC",
			"id":"1234567","description":"Reverser lever left in incorrect position."},"id":"123456789","time":"2024-05-18T09:15:11.000Z",
			"color":"RED","severity":"HIGH","acknowledgementStatus":"N"}`: "j1939 SPN 524019 FMI 31 at 140 high 2",
		`{"definition":{"suspectParameterName":"524019"},"time":"2024-05-18T09:15:11Z","severity":"INFO"}`:          "oem 524019 at 0 - 0",
		`{"definition":{"suspectParameterName":"EIC 12","failureModeIndicator":"x"},"time":"2024-05-18T09:15:11Z"}`: "oem EIC 12 at 0 - 0",
		`{"@type":"GeofenceAlert","time":"2024-05-18T09:15:11Z","severity":"HIGH"}`:                                 "",
		`{"definition":{"suspectParameterName":"1","failureModeIndicator":"2"}}`:                                    "",
		`{"definition":{},"time":"2024-05-18T09:15:11Z"}`:                                                           "",
	} {
		var a alert
		if err := json.Unmarshal([]byte(payload), &a); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := a.report("7"); ok {
			said, source, severity, count := r.Faults[0], int64(0), "-", int64(0)
			if said.SourceAddress != nil {
				source = *said.SourceAddress
			}
			if said.Severity != nil {
				severity = string(*said.Severity)
			}
			if said.Occurrences != nil {
				count = *said.Occurrences
			}
			got = fmt.Sprintf("%s %s at %d %s %d", said.Protocol, said.Code, source, severity, count)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// TestAlertsOfMachines reads machine by machine, a week at a time. A machine that may not be seen
// does not keep others from being read; where none may be, that is a refusal.
func TestAlertsOfMachines(t *testing.T) {
	t.Parallel()
	const machines = 45
	var list, devices []string
	for i := range machines {
		list = append(list, fmt.Sprintf(`{"principalId":%d,"serialNumber":"S%02d"}`, 100+i, i))
		devices = append(devices, fmt.Sprintf("S%02d", i))
	}
	devices = append(devices, "unknown")
	for name, test := range map[string]struct {
		seen    func(machine string) bool
		refused bool
		want    int
		pages   int
	}{
		"all":            {func(string) bool { return true }, false, machines, 3},
		"every other":    {func(m string) bool { return m[len(m)-1]%2 == 0 }, false, 23, 2},
		"the last alone": {func(m string) bool { return m == "144" }, false, 1, 1},
		"none":           {func(string) bool { return false }, true, 0, 0},
	} {
		asked := map[string]int{}
		p := cannedAdapter(t, canned{"/isg/equipment": `{"values":[` + strings.Join(list, ",") + `]}`})
		p.(*Adapter).platform.HTTP = providertest.Doer(func(req *http.Request) (*http.Response, error) {
			machine := strings.Split(req.URL.Path, "/")[3]
			from, errFrom := time.Parse(time.RFC3339, req.URL.Query().Get("startDate"))
			to, errTo := time.Parse(time.RFC3339, req.URL.Query().Get("endDate"))
			if errFrom != nil || errTo != nil || to.Sub(from) > 7*24*time.Hour {
				t.Errorf("%s: asked for %s", name, req.URL.RawQuery)
			}
			if !test.seen(machine) {
				return providertest.Refuse(http.StatusForbidden)
			}
			asked[machine]++
			return providertest.Answer(`{"values":[{"time":"` + from.Format(time.RFC3339) +
				`","definition":{"suspectParameterName":"1","failureModeIndicator":"2"}}]}`)
		})
		q := provider.Query{From: now.Add(-10 * 24 * time.Hour), Devices: devices}
		pages, rows := 0, map[string]int{}
		var err error
		for more := true; more && err == nil; {
			var page provider.Page[provider.FaultReport]
			if page, err = p.(provider.FaultReader).Faults(t.Context(), q); err != nil {
				break
			}
			for _, r := range page.Records {
				rows[r.SystemDeviceID]++
			}
			pages++
			q.Cursor, more = page.Cursor, page.More
		}
		if (provider.StatusOf(err) == http.StatusForbidden) != test.refused || err != nil && !test.refused {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]int{test.want, test.pages}, []int{len(rows), pages}); diff != "" {
			t.Errorf("%s: machines and pages (-want +got):\n%s", name, diff)
		}
		for machine, n := range asked {
			if n != 2 {
				t.Errorf("%s: machine %s was asked for %d times, want twice for ten days", name, machine, n)
			}
		}
	}
}
