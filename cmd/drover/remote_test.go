package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover/client"
)

// fakeService answers what the remote commands ask.
func fakeService(t *testing.T) string {
	t.Helper()
	polls, gone := 0, false
	export := func(state string, percent string) string {
		return `{"data":{"id":"7","kind":"trip","format":"csv","filters":{},"state":"` + state + `","progress_percent":` + percent +
			`,"records":3,"bytes":4,"created_at":"2024-05-02T10:15:30Z"}}`
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
			if sent := string(body); !strings.Contains(sent, `"filters":{"connection_id":["1","2","3"],"is_valid":"true"}`) {
				t.Errorf("the export is made by %s", sent)
			}
			fmt.Fprint(w, export("queued", "0"))
		case "GET /export/7":
			if gone {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"error":{"code":404,"message":"Export with ID 7 not found"}}`)
				return
			}
			if polls++; polls == 1 {
				fmt.Fprint(w, export("running", "50"))
				return
			}
			fmt.Fprint(w, export("done", "100"))
		case "GET /export/7/file":
			if gone {
				t.Error("the file is asked for after it was deleted")
			}
			fmt.Fprint(w, "id\n1\n")
		case "DELETE /export/7":
			gone = true
			w.WriteHeader(http.StatusNoContent)
		case "GET /stream":
			if r.Header.Get("Last-Event-ID") != "" {
				w.WriteHeader(http.StatusForbidden) // the test has seen enough
				return
			}
			fmt.Fprint(w, "id: 5\ndata: {\"id\":\"e\",\"sequence\":5,\"type\":\"trip.completed\",\"timestamp\":\"2024-05-02T10:15:30Z\",\"data\":{\"n\":1}}\n\n")
		default:
			t.Errorf("no one expects %s %s", r.Method, r.URL)
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
	if out := succeed(t, "", "api", "PATCH", "/device/1", "-f", "description=Truck 7, the red one", "-f", "year=2020", "-f",
		`tags=["a","b"]`); !strings.Contains(out, `"description": "Truck 7, the red one"`) || !strings.Contains(out, `"year": 2020`) {
		t.Errorf("sent %s", out)
	}
	// No service is asked: none is there.
	misuse(t, "does not exist", "", "export", "trip", "-o", filepath.Join(folder, "none", "trips.csv"), "--url", "http://127.0.0.1:1",
		"--api-key", "drv_x")
	file := filepath.Join(folder, "trips.csv")
	export := []string{
		"export", "trip", "-f", "is_valid=true", "-f", "connection_id=1", "-f", "connection_id=2", "-f", "connection_id=3",
		"-o", file, "--every", "1ms",
	}
	r := execute(t.Context(), "", append(export, "--keep")...)
	content, err := os.ReadFile(file)
	if r.code != 0 || err != nil || string(content) != "id\n1\n" || !strings.Contains(r.err, " 50 %") ||
		!strings.Contains(r.err, "done: 3 records") {
		t.Errorf("exported %q: %+v, %v", content, r, err)
	}
	if out := succeed(t, "", "api", "GET", "/export/7"); !strings.Contains(out, "done") {
		t.Errorf("with --keep the service has %s", out)
	}
	if r := execute(t.Context(), "", export...); r.code != 0 {
		t.Errorf("exported again: %+v", r)
	}
	if r := execute(t.Context(), "", "api", "GET", "/export/7"); r.code != 1 || !strings.Contains(r.err, "not found") {
		t.Errorf("the export that was fetched is left at the service: %+v", r)
	}
}

// TestRemoteInATenant: a key of the operator acts where it is told to, and is told what it lacks.
func TestRemoteInATenant(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Required-Scope", "act")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"error":{"code":403,"message":"%s in %s"}}`, r.URL.Path, r.Header.Get("X-Drover-Tenant"))
	}))
	t.Cleanup(s.Close)
	for path, command := range map[string][]string{
		"/device": {"api", "GET", "/device"},
		"/stream": {"listen", "--forward", "http://127.0.0.1:1", "--secret", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="},
		"/export": {"export", "trip", "-o", filepath.Join(t.TempDir(), "trips.csv")},
	} {
		refuse(t, path+" in 7 (the scope act is missing)", "", append(command, "--url", s.URL, "--api-key", "drv_x", "--tenant", "7")...)
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

// TestListenToNoOne holds that a receiver that is not there is said in plain words.
func TestListenToNoOne(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	url := fakeService(t)
	succeed(t, "drv_key", "login", url, "--username", "demo")
	receiver := httptest.NewServer(http.NotFoundHandler())
	receiver.Close()
	if r := execute(t.Context(), "", "listen", "--forward", receiver.URL); !strings.Contains(r.out, "5 trip.completed: connection refused\n") {
		t.Errorf("printed %q", r.out)
	}
}

// TestExportInterrupted holds that an export that someone has given up is cancelled at
// the service, and forgotten.
func TestExportInterrupted(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	var deleted atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodDelete:
			deleted.Add(1)
			w.WriteHeader(http.StatusNoContent)
		case http.MethodGet:
			interrupt()
			fallthrough
		default:
			fmt.Fprint(w, `{"data":{"id":"7","kind":"trip","format":"csv","filters":{},"state":"running","progress_percent":1,"records":0,"bytes":0,"created_at":"2024-05-02T10:15:30Z"}}`)
		}
	}))
	t.Cleanup(s.Close)
	r := execute(ctx, "", "export", "trip", "--url", s.URL, "--api-key", "drv_key", "--every", "1ms")
	if r.code != 1 || deleted.Load() != 2 {
		t.Errorf("deleted %d times: %+v", deleted.Load(), r)
	}
}
