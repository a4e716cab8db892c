package contract_test

import (
	"strings"
	"testing"
)

// alphaRecords are the names of everything that only alpha may see.
var alphaRecords = []string{
	"alpha", "conn", "plain_conn", "device", "bare_device", "private_device", "trip", "bare_trip", "private_trip", "stop", "bare_stop",
	"private_stop", "open_stop", "ended_stop", "driver", "private_driver",
	"milestone", "silent_milestone", "stale_milestone", "ended_milestone", "webhook", "bare_webhook", "recompute", "other_recompute", "note", "trip_note",
	"export", "newer_export",
	"alice_sub", "mark_sub", "vera_sub", "api_key", "alice_session", "passkey", "milestone_link", "conn_link", "delivery",
}

// checkForeignRecord sends another tenant to every operation that names a record.
// It gets the same answer for all of them, and none is changed.
func checkForeignRecord(t *testing.T, s *service) {
	t.Helper()
	before := snapshot(t, s)
	for _, o := range s.doc().operations() {
		if len(o.parameters("path")) == 0 || o.public() ||
			o.path == "/driver/{driver_id}" && o.method == "DELETE" || o.path == "/tile/{z}/{x}/{y}" { // whom and where each tenant has of its own
			continue
		}
		r := row{as: bob, method: o.method, path: pathOf(t, o), body: o.example(), status: 403, want: forbidden}
		t.Run(o.OperationID, func(t *testing.T) { r.run(t, s) })
	}
	if after := snapshot(t, s); after != before {
		t.Errorf("alpha's records were\n%s\nand are\n%s", before, after)
	}
}

// snapshot is what alpha reads of all its records.
func snapshot(t *testing.T, s *service) string {
	t.Helper()
	var all strings.Builder
	for _, o := range s.doc().operations() {
		// The audit says that the snapshot itself has read secrets.
		// Opening a link is counted.
		if o.method != "GET" || o.streams() || o.path == "/audit" || o.public() || o.operator() {
			continue
		}
		names := &names{t: t, world: s.world, fresh: map[string]string{}}
		path := names.resolve(pathOf(t, o))
		resp := s.send(t, request{method: o.method, path: path, header: s.authorized(t, alice)})
		if resp.status != 200 {
			t.Fatalf("%s: status %d, body %s", o, resp.status, resp.body)
		}
		all.WriteString(o.String() + " " + resp.body)
	}
	return all.String()
}

// checkForeignLists reads everything that names no record as another tenant, also
// filtered by alpha's records: nothing of alpha is in it.
func checkForeignLists(t *testing.T, s *service) {
	t.Helper()
	for _, o := range s.doc().operations() {
		if o.method != "GET" || len(o.parameters("path")) > 0 || o.streams() {
			continue
		}
		t.Run(o.OperationID, func(t *testing.T) {
			names := &names{t: t, world: s.world, fresh: map[string]string{}}
			path := o.path
			if path == "/audit" { // the refusals name what bob has asked for above
				path += "?outcome=done"
			}
			expectNothingOfAlpha(t, s, path)
			for _, parameter := range o.parameters("query") {
				if record, ok := records[parameter]; ok {
					expectNothingOfAlpha(t, s, withQuery(path, parameter+"="+names.resolve(record)))
				}
			}
		})
	}
}

func expectNothingOfAlpha(t *testing.T, s *service, path string) {
	t.Helper()
	resp := s.send(t, request{method: "GET", path: path, header: s.authorized(t, bob)})
	if resp.status >= 500 {
		t.Errorf("%s: status %d", path, resp.status)
	}
	for _, name := range alphaRecords {
		if strings.Contains(resp.body, s.ids[name]) {
			t.Errorf("%s shows $%s to another tenant: %s", path, name, cut(resp.body))
		}
	}
}
