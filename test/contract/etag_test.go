package contract_test

import (
	"net/http"
	"testing"
)

// TestNotModified reads a record again that has not changed, and one that has.
func TestNotModified(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	path := "/device/" + s.fresh(t, "new_device")["new_device"]
	read := func(known string) response {
		header := s.authorized(t, will)
		header["If-None-Match"] = known
		return s.send(t, request{method: http.MethodGet, path: path, header: header})
	}
	first := read("")
	tag := first.header.Get("ETag")
	if first.status != http.StatusOK || tag == "" {
		t.Fatalf("status %d, ETag %q", first.status, tag)
	}
	for _, known := range []string{tag, `"other", ` + tag, "*"} {
		if got := read(known); got.status != http.StatusNotModified || got.body != "" || got.header.Get("ETag") != tag {
			t.Errorf("If-None-Match %s: status %d, body %q", known, got.status, got.body)
		}
	}
	patch := request{method: http.MethodPatch, path: path, body: `{"description":"other"}`, header: s.authorized(t, will)}
	if got := s.send(t, patch); got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	if got := read(tag); got.status != http.StatusOK || got.header.Get("ETag") == tag {
		t.Errorf("after a change: status %d, ETag %q", got.status, got.header.Get("ETag"))
	}
	if got := s.send(t, request{method: http.MethodGet, path: "/device", header: s.authorized(t, will)}); got.header.Get("ETag") != "" {
		t.Error("a list has a tag")
	}
}
