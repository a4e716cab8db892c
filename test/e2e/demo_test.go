package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

var demoLine = regexp.MustCompile(`drover demo at http://(\S+)[\s\S]*Ctrl-C`)

// startDemo runs the demo and waits for its greeting. It is killed at the end of the test, so
// that only the test can delete its folder.
func startDemo(t *testing.T, args ...string) *process {
	t.Helper()
	p := startWith(t, []string{"TMPDIR=" + t.TempDir()}, append([]string{"demo", "--listen", "127.0.0.1:0"}, args...)...)
	p.address = p.await(t, p.stdout, demoLine)
	return p
}

func TestDemo(t *testing.T) {
	t.Parallel()
	p := startDemo(t)
	greeting := p.stdout.String()
	for _, login := range []string{"demo     demo    admin", "viewer   demo    viewer", "other    other   admin", "drover-demo"} {
		if !strings.Contains(greeting, login) {
			t.Errorf("the greeting lacks %q:\n%s", login, greeting)
		}
	}
	t.Run("CurlLines", func(t *testing.T) {
		t.Parallel()
		checkCurlLines(t, greeting)
		checkReadme(t, p.address)
	})
	t.Run("Monitoring", func(t *testing.T) {
		t.Parallel()
		c := logIn(t, p, "demo")
		checkMonitoring(t, c)
		checkQuiet(t, c)
	})
	t.Run("Milestones", func(t *testing.T) {
		t.Parallel()
		checkMilestones(t, logIn(t, p, "demo"))
	})
	t.Run("DoubtfulData", func(t *testing.T) {
		t.Parallel()
		c := logIn(t, p, "demo")
		var connections []drover.Connection
		c.must(t, &connections, http.MethodGet, "/connection", "")
		var doubted []string
		for _, conn := range connections {
			var health drover.ConnectionDiagnosis
			c.must(t, &health, http.MethodGet, "/connection/"+conn.ID+"/health", "")
			if q := health.Quality; q != nil && q.Verdict == drover.VerdictDoubtful {
				doubted = append(doubted, conn.BusinessName)
			}
		}
		if !slices.Equal(doubted, []string{"Murray Plant Hire"}) {
			t.Errorf("the data of %v are doubted", doubted)
		}
	})
	t.Run("Trips", func(t *testing.T) {
		t.Parallel()
		c := logIn(t, p, "demo")
		for _, valid := range []bool{true, false} {
			var trips []drover.Trip
			c.must(t, &trips, http.MethodGet, fmt.Sprintf("/trip?is_valid=%t", valid), "")
			if len(trips) == 0 {
				t.Errorf("no trip has is_valid %t", valid)
			}
			for _, trip := range trips {
				if (trip.ValidationComments == nil) != valid {
					t.Errorf("trip %s has is_valid %t and the comments %v", trip.ID, valid, trip.ValidationComments)
				}
			}
		}
	})
	t.Run("Shared", func(t *testing.T) {
		t.Parallel()
		checkShared(t, logIn(t, p, "demo"), logIn(t, p, "other"))
	})
	t.Run("WebhooksAreRealOnes", func(t *testing.T) {
		t.Parallel()
		c := logIn(t, p, "demo")
		var webhooks []drover.Webhook
		c.must(t, &webhooks, http.MethodGet, "/webhook", "")
		if len(webhooks) != 2 {
			t.Fatalf("there are %d webhooks, want 2", len(webhooks))
		}
		for _, hook := range webhooks {
			var made drover.WebhookSecret
			c.must(t, &made, http.MethodPost, "/webhook/"+hook.ID+"/rotate-secret", "")
			if !strings.HasPrefix(made.Secret, "whsec_") || made.PreviousExpiresAt == nil {
				t.Errorf("the secrets of %s are %+v", hook.URL, made)
			}
		}
	})
	t.Run("ViewerOnlyReads", func(t *testing.T) {
		t.Parallel()
		c := logIn(t, p, "viewer")
		c.status(t, http.StatusOK, http.MethodGet, "/webhook", "")
		c.status(t, http.StatusForbidden, http.MethodPost, "/connection", connectionBody("x", "y"))
	})
}

// checkCurlLines runs the three lines that the greeting proposes, in one shell.
func checkCurlLines(t *testing.T, greeting string) {
	t.Helper()
	lines := regexp.MustCompile(`(?m)^  (.*curl -s .*)$`).FindAllStringSubmatch(greeting, -1)
	if len(lines) != 3 {
		t.Fatalf("%d curl lines, want 3:\n%s", len(lines), greeting)
	}
	var script strings.Builder
	for _, line := range lines {
		script.WriteString(line[1] + "\n")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "sh", "-ec", script.String()).Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, script.String())
	}
	answers := json.NewDecoder(strings.NewReader(string(out)))
	var account struct{ Data drover.AccountSummary }
	var device struct{ Data drover.Device }
	if err := answers.Decode(&account); err != nil || account.Data.TenantName != "demo" || account.Data.Trips.Total == 0 {
		t.Errorf("the account summary is %+v, %v", account.Data, err)
	}
	if err := answers.Decode(&device); err != nil || device.Data.SystemDeviceID == "" {
		t.Errorf("the device is %+v, %v", device.Data, err)
	}
}

// checkMilestones wants all three statuses and both variants of an update.
func checkMilestones(t *testing.T, c *client) {
	t.Helper()
	var milestones []drover.Milestone
	c.must(t, &milestones, http.MethodGet, "/milestone", "")
	var statuses []drover.MilestoneStatus
	valid, timedOut := 0, 0
	for _, m := range milestones {
		statuses = append(statuses, m.Status)
		var update drover.MilestoneProgress
		c.must(t, &update, http.MethodGet, "/milestone/"+m.ID+"/update", "")
		if update.Variant() == drover.MilestoneValidState {
			valid++
		} else {
			timedOut++
		}
	}
	for _, status := range drover.MilestoneStatuses {
		if !slices.Contains(statuses, status) {
			t.Errorf("no milestone has the status %s", status)
		}
	}
	if valid == 0 || timedOut == 0 {
		t.Errorf("%d valid and %d timed out updates, want some of each", valid, timedOut)
	}
}

// checkShared wants one connection of demo that other reads without its
// credentials, and one that it does not.
func checkShared(t *testing.T, owner, other *client) {
	t.Helper()
	var own, seen []drover.Connection
	owner.must(t, &own, http.MethodGet, "/connection", "")
	other.must(t, &seen, http.MethodGet, "/connection", "")
	shared, kept := 0, 0
	for _, c := range own {
		path := "/connection/" + c.ID
		if !slices.ContainsFunc(seen, func(s drover.Connection) bool { return s.ID == c.ID }) {
			kept++
			other.status(t, http.StatusForbidden, http.MethodGet, path, "")
			continue
		}
		shared++
		other.status(t, http.StatusOK, http.MethodGet, path, "")
		other.status(t, http.StatusForbidden, http.MethodGet, path+"/credentials", "")
	}
	if shared != 1 || kept == 0 {
		t.Errorf("%d connections are shared and %d are not, want 1 and some", shared, kept)
	}
}

// TestDemoCleansUp leaves nothing behind of a demo that was given no folder.
func TestDemoCleansUp(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startWith(t, []string{"TMPDIR=" + folder}, "demo", "--listen", "127.0.0.1:0")
	p.await(t, p.stdout, demoLine)
	if left := names(t, folder); len(left) != 1 {
		t.Errorf("while it runs, the folder holds %q, want one folder", left)
	}
	p.terminate(t)
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, p.log)
	}
	if left := names(t, folder); len(left) != 0 {
		t.Errorf("%q is left", left)
	}
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

// TestDemoWantsAnEmptyFolder keeps the demo from real data.
func TestDemoWantsAnEmptyFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if code := start(t, "tenant", "add", "northern", "--data", folder).wait(t); code != 0 {
		t.Fatalf("exit code %d of tenant add", code)
	}
	refused := start(t, "demo", "--listen", "127.0.0.1:0", "--data", folder)
	if code := refused.wait(t); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	want := "drover: " + folder + " has data that is not a demo's; give the demo an empty folder\n"
	if got := refused.log.String(); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestDemoGoesOn ends a demo and goes on with it: same records, and what happened meanwhile.
func TestDemoGoesOn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := startDemo(t, "--data", folder, "--start", "2026-11-12T09:00:00Z")
	before := logIn(t, first, "demo").status(t, http.StatusOK, http.MethodGet, "/device?limit=100", "")
	first.terminate(t)
	first.wait(t)
	earlier := start(t, "demo", "--listen", "127.0.0.1:0", "--data", folder, "--start", "2026-11-12T08:00:00Z")
	if code := earlier.wait(t); code != 2 || !strings.Contains(earlier.log.String(), "started at 2026-11-12T09:00:00Z") {
		t.Errorf("exit code %d, want 2: %s", code, earlier.log)
	}
	c := logIn(t, startDemo(t, "--data", folder, "--start", "2026-11-12T10:00:00Z"), "demo")
	if after := c.status(t, http.StatusOK, http.MethodGet, "/device?limit=100", ""); after != before {
		t.Errorf("the devices are\n%s\nwant\n%s", after, before)
	}
	eventually(t, func() error {
		var trips []drover.Trip
		c.must(t, &trips, http.MethodGet, "/trip?from=2026-11-12T09:00:00Z&to=2026-11-12T10:00:00Z", "")
		if len(trips) == 0 {
			return errors.New("no trip of the hour between is there")
		}
		return nil
	})
}

var (
	seriesAsked = regexp.MustCompile(`\b(drover_\w+)(?:\{([^}]*)\})?`)
	labelAsked  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
)

// servedLater are series that come with the first delivery, or on Citus alone, where TestCitusFailure asks for them.
var servedLater = []string{"drover_deliver_attempts_total", "drover_database_place_answers"}

// checkMonitoring holds what the alerts and the dashboard ask for to what is served: a
// rule about a series or a label that does not exist is quiet, or always true.
func checkMonitoring(t *testing.T, c *client) {
	t.Helper()
	served := c.status(t, http.StatusOK, http.MethodGet, "/metrics", "")
	for _, name := range []string{"alerts.yml", "dashboard.json"} {
		text, err := os.ReadFile("../../deploy/monitoring/" + name)
		if err != nil {
			t.Fatal(err)
		}
		asked := seriesAsked.FindAllStringSubmatch(string(text), -1)
		if len(asked) < 5 {
			t.Errorf("%s asks for %d series", name, len(asked))
		}
		for _, series := range asked {
			line := regexp.MustCompile(`(?m)^` + series[1] + `(\{[^}]*\})? `).FindString(served)
			if slices.Contains(servedLater, series[1]) {
				continue
			}
			if line == "" {
				t.Errorf("%s asks for %s, which is not served", name, series[1])
			}
			for _, label := range labelAsked.FindAllStringSubmatch(series[2], -1) {
				if !strings.Contains(line, label[1]+`="`) {
					t.Errorf("%s asks for the label %s of %s, which has %s", name, label[1], series[1], line)
				}
			}
		}
	}
}

// metricLine is a series with its value, as it is served.
var metricLine = regexp.MustCompile(`(?m)^(drover_\w+(?:\{[^}]*\})?) (\S+)$`)

// pagesOf is the provider of a series of pages.
var pagesOf = regexp.MustCompile(`^drover_collect_pages_total\{.*provider="(\w+)"`)

// checkQuiet runs the alerts on what the demo serves, as if each minute brought as much as
// there has been so far: after ten minutes and after more than an hour none of them fires.
func checkQuiet(t *testing.T, c *client) {
	t.Helper()
	scrape := func() map[string]float64 {
		out := map[string]float64{}
		for _, m := range metricLine.FindAllStringSubmatch(c.status(t, http.StatusOK, http.MethodGet, "/metrics", ""), -1) {
			if v, err := strconv.ParseFloat(m[2], 64); err == nil {
				out[m[1]] = v
			}
		}
		return out
	}
	alerts, err := filepath.Abs("../../deploy/monitoring/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(alerts)
	if err != nil {
		t.Fatal(err)
	}
	var served map[string]float64
	eventually(t, func() error { // it has begun with each provider
		served = scrape()
		ok, failed := map[string]float64{}, map[string]float64{}
		for series, v := range served {
			if m := pagesOf.FindStringSubmatch(series); m != nil && strings.Contains(series, `outcome="ok"`) {
				ok[m[1]] += v
			} else if m != nil {
				failed[m[1]] += v
			}
		}
		for provider, n := range failed {
			if ok[provider] < 3*n {
				return fmt.Errorf("%s has answered %v times and failed %v times", provider, ok[provider], n)
			}
		}
		if len(ok) == 0 {
			return errors.New("nothing is collected")
		}
		return nil
	})
	var text strings.Builder
	fmt.Fprintf(&text, "rule_files: [%s]\nevaluation_interval: 1m\ntests:\n  - name: the demo\n    interval: 1m\n    input_series:\n", alerts)
	add := func(series string, from, step float64) {
		fmt.Fprintf(&text, "      - series: '%s'\n        values: '%g+%gx90'\n", series, from, step)
	}
	add(`up{job="drover", instance="demo"}`, 1, 0)
	asked := 0
	for series, v := range served {
		name, labels, _ := strings.Cut(strings.TrimSuffix(series, "}"), "{")
		// How fast this machine answers is not what is tested.
		if !strings.Contains(string(rules), name) || strings.Contains(name, "duration") {
			continue
		}
		step := 0.0
		if strings.HasSuffix(name, "_total") { // the others are no counters
			step = v
		}
		asked++
		add(name+"{"+strings.TrimPrefix(labels+`, instance="demo"`, ", ")+"}", v, step)
	}
	if asked < 5 {
		t.Fatalf("the demo serves %d series that an alert asks for", asked)
	}
	text.WriteString("    alert_rule_test:\n")
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		for _, minute := range []int{10, 80} {
			fmt.Fprintf(&text, "      - {eval_time: %dm, alertname: %s}\n", minute, m[1])
		}
	}
	file := filepath.Join(t.TempDir(), "demo.yml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("the alerts are not quiet on the demo: %v\n%s", err, out)
	}
}
