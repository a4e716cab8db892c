package redact

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Call is a call that was made, without what was in it.
type Call struct {
	Method, Path string
	Query        []string // names of parameters
	Began        time.Time
	Status       int    // 0 where there was no answer
	Type         string // of the answer's content
	Bytes        int
	Took         time.Duration
	Body         []byte
}

// Tap notes the calls that go through it. It is an http.RoundTripper.
type Tap struct {
	Next http.RoundTripper
	Now  func() time.Time

	mu    sync.Mutex
	calls []Call
}

// maxBody bounds what is kept of an answer.
const maxBody = 4 << 20

// RoundTrip implements http.RoundTripper. It reads the answer as a whole, so that the
// time is that of all of it.
func (t *Tap) RoundTrip(req *http.Request) (*http.Response, error) {
	call := Call{Method: req.Method, Path: req.URL.Path, Query: names(req.URL.Query()), Began: t.Now()}
	res, err := t.Next.RoundTrip(req)
	if err == nil {
		call.Status, call.Type = res.StatusCode, res.Header.Get("Content-Type")
		var kept bytes.Buffer
		_, failed := io.Copy(&kept, io.LimitReader(res.Body, maxBody))
		call.Body, call.Bytes = kept.Bytes(), kept.Len()
		var rest io.Reader = res.Body
		if failed != nil {
			rest = failure{failed}
		}
		res.Body = body{io.MultiReader(bytes.NewReader(call.Body), rest), res.Body}
	}
	call.Took = t.Now().Sub(call.Began)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, call)
	return res, err
}

// Take returns the calls since the last Take.
func (t *Tap) Take() []Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	calls := t.calls
	t.calls = nil
	return calls
}

func names(q url.Values) []string {
	var out []string
	for name := range q {
		out = append(out, safeKey(name))
	}
	slices.Sort(out)
	return out
}

// body is an answer that was read before.
type body struct {
	io.Reader
	io.Closer
}

// failure is the end of an answer that broke off.
type failure struct{ err error }

func (f failure) Read([]byte) (int, error) { return 0, f.err }
