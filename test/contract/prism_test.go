//go:build prism

package contract_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestPrism sends the whole table through Prism, a proxy that holds what passes to
// the served document, and expects it to find nothing wrong with any answer. Requests
// of the table are often meant to be wrong. It runs with make test-openapi, which
// installs Prism.
func TestPrism(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	watched := &violations{next: s.client.Transport}
	if watched.next == nil {
		watched.next = http.DefaultTransport
	}
	document := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(document, plainDocument(t, s), 0o600); err != nil {
		t.Fatal(err)
	}
	s.server.URL = startPrism(t, document, s.server.URL)
	s.client.Transport = watched
	all := tables()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, r := range all[name] {
			names := &names{t: t, world: s.world, fresh: map[string]string{}}
			for _, step := range append([]row{r}, r.then...) {
				watched.send(t, s, names, step)
			}
		}
	}
	if watched.answers < 500 {
		t.Errorf("only %d answers passed", watched.answers)
	}
	for _, fault := range watched.faults {
		t.Error(fault)
	}
}

// plainDocument is the served document without GeoJSON. Prism takes any type that ends
// in +json for JSON and would hold plain answers to it; the table has none of it.
func plainDocument(t *testing.T, s *service) []byte {
	t.Helper()
	var tree struct {
		Paths map[string]map[string]map[string]any `json:"paths"`
		Rest  map[string]json.RawMessage           `json:"-"`
	}
	text := []byte(s.send(t, request{method: "GET", path: "/openapi.json"}).body)
	if err := errors.Join(json.Unmarshal(text, &tree), json.Unmarshal(text, &tree.Rest)); err != nil {
		t.Fatal(err)
	}
	for _, methods := range tree.Paths {
		for _, o := range methods {
			ok, _ := o["responses"].(map[string]any)["200"].(map[string]any)
			if content, _ := ok["content"].(map[string]any); content["application/json"] != nil {
				delete(content, "application/geo+json")
			}
		}
	}
	tree.Rest["paths"] = json.RawMessage(jsonText(tree.Paths))
	return []byte(jsonText(tree.Rest))
}

// startPrism runs the proxy until the test ends, and returns its address. Another program
// may take the port before the proxy does: then it is tried with another.
func startPrism(t *testing.T, document, upstream string) string {
	t.Helper()
	for range 5 {
		if address, listens := tryPrism(t, document, upstream); listens {
			return address
		}
	}
	t.Fatal("Prism did not start")
	return ""
}

// tryPrism runs the proxy on a port that is free at this moment.
func tryPrism(t *testing.T, document, upstream string) (address string, listens bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "../openapi/node_modules/.bin/prism", "proxy", document, upstream, "--host", "127.0.0.1",
		"--port", port)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "Prism is listening") {
			go func() { _, _ = io.Copy(io.Discard, out) }() // it would wait for a reader
			return "http://127.0.0.1:" + port, true
		}
	}
	return "", false
}

// violations notes what Prism finds wrong with answers.
type violations struct {
	next http.RoundTripper

	mu      sync.Mutex
	answers int
	faults  []string
}

func (v *violations) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := v.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answers++
	var found []struct {
		Location []string
		Message  string
	}
	_ = json.Unmarshal([]byte(resp.Header.Get("sl-violations")), &found) // there is none where nothing is wrong
	for _, f := range found {
		if len(f.Location) > 0 && f.Location[0] == "response" {
			v.faults = append(v.faults, fmt.Sprintf("%s %s: %d: %v %s", r.Method, r.URL.RequestURI(), resp.StatusCode, f.Location, f.Message))
		}
	}
	return resp, nil
}

// send sends a step of the table, whatever comes of it: other tests judge that.
func (v *violations) send(t *testing.T, s *service, names *names, step row) {
	t.Helper()
	q := request{method: step.method, path: names.resolve(step.path), body: names.resolve(step.body), header: map[string]string{}}
	s.clock.Set(present.Add(step.after))
	defer s.clock.Set(present)
	if step.as != "" {
		q.header = s.authorized(t, step.as)
	}
	for name, value := range step.header {
		q.header[name] = names.resolve(value)
	}
	s.send(t, q)
}
