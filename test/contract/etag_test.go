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

// TestMatch changes records that are as they were read, and others that are not.
func TestMatch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		ask := func(method, path, body, match string) response {
			header := s.authorized(t, wanda)
			if match != "" {
				header["If-Match"] = match
			}
			return s.send(t, request{method: method, path: path, body: body, header: header})
		}
		expect := func(got response, status int) response {
			t.Helper()
			if got.status != status {
				t.Errorf("status %d, want %d: %s", got.status, status, got.body)
			}
			return got
		}
		for name, change := range map[string]string{
			"connection": `{"business_name":"Other"}`, "device": `{"description":"other"}`, "milestone": `{"end_time":"2024-05-02T12:00:00Z"}`,
			"trip": `{"is_valid":false}`, "webhook": `{"enabled":false}`,
		} {
			record := "new_" + name
			if name == "connection" {
				record = "new_conn"
			}
			path := "/" + name + "/" + s.fresh(t, record)[record]
			tag := expect(ask(http.MethodGet, path, "", ""), 200).header.Get("ETag")
			expect(ask(http.MethodPatch, path, "{}", tag), 200)
			changed := expect(ask(http.MethodPatch, path, change, `"x", `+tag), 200)
			now := expect(ask(http.MethodGet, path, "", ""), 200).header.Get("ETag")
			if now == tag || name != "connection" && changed.header.Get("ETag") != now {
				t.Errorf("%s: the tag was %s, is %s after the change, and %s when read", name, tag, changed.header.Get("ETag"), now)
			}
			expect(ask(http.MethodPatch, path, change, tag), 412)
			if name == "device" || name == "trip" {
				continue
			}
			expect(ask(http.MethodDelete, path, "", tag), 412)
			expect(ask(http.MethodGet, path, "", ""), 200)
			expect(ask(http.MethodDelete, path, "", "*"), 204)
		}
	})
}
