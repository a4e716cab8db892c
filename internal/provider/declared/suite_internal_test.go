package declared

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecordedPages holds that a path by which pages are followed, and that no answer has, is
// reported: as a fault where the answer is no last page.
func TestRecordedPages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/vendors/carrier_lynx.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const row = `{"eventDateTimeUTC": "2026-05-06T07:58:12Z", "assetInfo": {"assetId": "a"}, "positionInfo": {"lat": 1, "long": 2}}`
	for _, c := range []struct{ pages, answer, found, fault string }{
		{"{cursor: c, next: nextToken}", `"nextToken": "x"`, "1 rows, 1 records", ""},
		{"{cursor: c, next: nextToken}", `"nextToken": null`, "1 rows, 1 records", ""},
		{"{cursor: c, next: page.next}", `"nextToken": "x"`, `1 rows, 1 records, and nothing at "page.next", as in a last page: a longer list shows whether it is right`, ""},
		{"{cursor: c, next: page.next, size: 1}", `"nextToken": "x"`, "1 rows, 1 records", `positions.newest.json has nothing at "page.next", by which pages are followed`},
		{"{cursor: c, next: page.next, total: total}", `"total": 2`, "1 rows, 1 records", `positions.newest.json has nothing at "page.next", by which pages are followed`},
		{"{number: n, total: all, size: 5}", `"total": 2`, "1 rows, 1 records", `positions.newest.json has nothing at "all", by which pages are followed`},
	} {
		pages := "{cursor: nextToken, next: nextToken}\n    records: data\n    device: assetInfo"
		file, mistakes := Parse([]byte(strings.Replace(string(text), pages, c.pages+"\n    records: data\n    device: assetInfo", 1)))
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "positions.newest.json"), []byte(`{"data": [`+row+`], `+c.answer+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		recorded, err := file.Recorded(dir)
		if err != nil {
			t.Fatal(err)
		}
		found, err := (&suite{file: file, recorded: recorded}).readsRecorded(t.Context())
		if fault := fmt.Sprint(err); found != "positions.newest: "+c.found || fault != cmp.Or(c.fault, "<nil>") {
			t.Errorf("%s with %s: %s, %s", c.pages, c.answer, found, fault)
		}
	}
}
