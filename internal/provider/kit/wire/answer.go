package wire

import (
	"io"
	"net/http"
	"strings"

	"github.com/drover-fleet/drover/internal/provider"
)

// Answer sends one call and keeps what stands beside the body of its answer, for
// vendors that put cursors and waiting times into headers. It stands before the
// Doer of a call with outbound.JSON. An answer without content reads as null, so
// that vendors which say "nothing" with 204 give an empty list.
type Answer struct {
	Doer   provider.Doer
	Status int
	Header http.Header
}

// Do implements provider.Doer.
func (a *Answer) Do(req *http.Request) (*http.Response, error) {
	resp, err := a.Doer.Do(req)
	if err != nil {
		return nil, err
	}
	a.Status, a.Header = resp.StatusCode, resp.Header
	if resp.StatusCode == http.StatusNoContent {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{strings.NewReader("null"), resp.Body}
	}
	return resp, nil
}
