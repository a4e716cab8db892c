package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// network carries requests to the vendor's handler within the process, and has
// the faults in between.
type network struct {
	handler http.Handler
	now     func() time.Time

	mu      sync.Mutex
	fault   fault
	calls   []call
	refused int // as too many
}

// call is a request that reached the network.
type call struct {
	at        time.Time
	path      string
	operation string
}

// fault stands between a request and the vendor.
type fault func(req *http.Request, vendor func(*http.Request) (*http.Response, error)) (*http.Response, error)

// plant puts a fault in front of the vendor; nil takes it away.
func (n *network) plant(f fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault = f
}

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.calls = append(n.calls, call{n.now(), req.URL.Path, outbound.Operation(req.Context())})
	f := n.fault
	n.mu.Unlock()
	if f == nil {
		return n.serve(req)
	}
	return f(req, n.serve)
}

func (n *network) serve(req *http.Request) (*http.Response, error) {
	resp := Carry(n.handler, req)
	if resp.StatusCode == http.StatusTooManyRequests {
		n.mu.Lock()
		n.refused++
		n.mu.Unlock()
	}
	return resp, nil
}

func answer(status int, contentType, body string) *http.Response {
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {contentType}},
		Body:       io.NopCloser(strings.NewReader(body)),
	}
}

type vendorFunc = func(*http.Request) (*http.Response, error)

const retryAfter = 120 * time.Second

func tooMany(*http.Request, vendorFunc) (*http.Response, error) {
	resp := answer(http.StatusTooManyRequests, "text/plain", "slow down")
	resp.Header.Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	return resp, nil
}

// unavailable repeats the request in its answer, as careless servers do.
func unavailable(req *http.Request, _ vendorFunc) (*http.Response, error) {
	return answer(http.StatusServiceUnavailable, "text/plain", fmt.Sprint("cannot serve ", req.URL, req.Header)), nil
}

// unreachable fails as a dialer would, with the whole URL in the error.
func unreachable(req *http.Request, _ vendorFunc) (*http.Response, error) {
	return nil, fmt.Errorf("dial %s with %v: no route", req.URL, req.Header)
}

func garbage(*http.Request, vendorFunc) (*http.Response, error) {
	return answer(http.StatusOK, "text/html", "<html><body>Scheduled maintenance</body></html>"), nil
}

// cutBody ends the connection in the middle of each answer.
func cutBody(req *http.Request, vendor vendorFunc) (*http.Response, error) {
	return altered(req, vendor, func(body []byte) io.Reader {
		return io.MultiReader(bytes.NewReader(body[:len(body)/2]), failingReader{})
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// once lets a fault happen to the first request only.
func once(f fault) fault {
	var mu sync.Mutex
	done := false
	return func(req *http.Request, vendor vendorFunc) (*http.Response, error) {
		mu.Lock()
		first := !done
		done = true
		mu.Unlock()
		if first {
			return f(req, vendor)
		}
		return vendor(req)
	}
}

// reversed turns each list of objects in an answer around.
func reversed(req *http.Request, vendor vendorFunc) (*http.Response, error) {
	return rewritten(req, vendor, func(list []any) []any {
		slices.Reverse(list)
		return list
	})
}

// repeated has each object of each list in an answer twice.
func repeated(req *http.Request, vendor vendorFunc) (*http.Response, error) {
	return rewritten(req, vendor, func(list []any) []any { return append(list, list...) })
}

// rewritten changes the lists of a JSON answer; any other passes as it is.
func rewritten(req *http.Request, vendor vendorFunc, change func([]any) []any) (*http.Response, error) {
	return altered(req, vendor, func(body []byte) io.Reader {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber() // ids of 19 digits stay what they are
		var value any
		if err := decoder.Decode(&value); err != nil {
			return bytes.NewReader(body)
		}
		changed, err := json.Marshal(walk(value, change))
		if err != nil {
			return bytes.NewReader(body)
		}
		return bytes.NewReader(changed)
	})
}

func walk(value any, change func([]any) []any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = walk(member, change)
		}
	case []any:
		for i, member := range v {
			v[i] = walk(member, change)
		}
		if len(v) > 0 {
			if _, objects := v[0].(map[string]any); objects {
				return change(v)
			}
		}
	}
	return value
}

func altered(req *http.Request, vendor vendorFunc, change func([]byte) io.Reader) (*http.Response, error) {
	resp, err := vendor(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(change(body))
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}
