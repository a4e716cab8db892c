package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/client"
)

// fakeService answers what the remote commands ask.
func fakeService(t *testing.T) string {
	t.Helper()
	polls := 0
	export := func(state string, percent string) string {
		return `{"data":{"id":"7","kind":"trip","format":"csv","filters":{},"state":"` + state + `","progress_percent":` + percent + `,"records":3,"bytes":4,"created_at":"2024-05-02T10:15:30Z"}}`
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.Method + " " + r.URL.Path {
		case "POST /token":
			fmt.Fprint(w, `{"data":{"access_token":"a","refresh_token":"r","sub":"s"}}`)
		case "GET /device":
			fmt.Fprint(w, `{"data":[{"id":"1"}]}`)
		case "PATCH /device/1":
			fmt.Fprint(w, `{"data":`+string(body)+`}`)
		case "POST /export":
			fmt.Fprint(w, export("queued", "0"))
		case "GET /export/7":
			if polls++; polls == 1 {
				fmt.Fprint(w, export("running", "50"))
				return
			}
			fmt.Fprint(w, export("done", "100"))
		case "GET /export/7/file":
			fmt.Fprint(w, "id\n1\n")
		case "GET /stream":
			if r.Header.Get("Last-Event-ID") != "" {
				w.WriteHeader(http.StatusForbidden) // the test has seen enough
				return
			}
			fmt.Fprint(w, "id: 5\ndata: {\"id\":\"e\",\"sequence\":5,\"type\":\"trip.completed\",\"timestamp\":\"2024-05-02T10:15:30Z\",\"data\":{\"n\":1}}\n\n")
		default:
			t.Errorf("nobody expects %s %s", r.Method, r.URL)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestRemoteCommands(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", folder)
	url := fakeService(t)
	if r := execute(t.Context(), "", "api", "GET", "/device"); r.code != 1 || !strings.Contains(r.err, "run drover login") {
		t.Errorf("without a login: %+v", r)
	}
	succeed(t, "secret\n", "login", url, "--username", "demo")
	info, err := os.Stat(filepath.Join(folder, "drover", "login.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the login is kept with %v: %v", info, err)
	}
	if out := succeed(t, "", "api", "GET", "/device"); out != "[\n  {\n    \"id\": \"1\"\n  }\n]\n" {
		t.Errorf("printed %q", out)
	}
	if out := succeed(t, "", "api", "GET", "/device", "--paginate"); out != "{\"id\":\"1\"}\n" {
		t.Errorf("printed %q", out)
	}
	if out := succeed(t, "", "api", "PATCH", "/device/1", "-f", "description=Truck 7, the red one", "-f", "year=2020", "-f", `tags=["a","b"]`); !strings.Contains(out, `"description": "Truck 7, the red one"`) || !strings.Contains(out, `"year": 2020`) {
		t.Errorf("sent %s", out)
	}
	file := filepath.Join(folder, "trips.csv")
	r := execute(t.Context(), "", "export", "trip", "-f", "is_valid=true", "-o", file, "--every", "1ms")
	content, err := os.ReadFile(file)
	if r.code != 0 || err != nil || string(content) != "id\n1\n" || !strings.Contains(r.err, " 50 %") || !strings.Contains(r.err, "done: 3 records") {
		t.Errorf("exported %q: %+v, %v", content, r, err)
	}
}

func TestListenForwardsSigned(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	url := fakeService(t)
	succeed(t, "drv_key", "login", url, "--username", "demo")
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	received := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := client.Verify(secret, r.Header, body, time.Now()); err != nil {
			t.Error(err)
		}
		received <- string(body)
	}))
	t.Cleanup(receiver.Close)
	r := execute(t.Context(), "", "listen", "--forward", receiver.URL, "--secret", secret)
	if body := <-received; body != `{"data":{"n":1},"sequence":5,"timestamp":"2024-05-02T10:15:30Z","type":"trip.completed"}` {
		t.Errorf("forwarded %s", body)
	}
	if !strings.Contains(r.out, "5 trip.completed: 200 OK") {
		t.Errorf("printed %q", r.out)
	}
}
