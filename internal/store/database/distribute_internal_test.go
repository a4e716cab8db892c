package database

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	got := split(`-- one; no statement
CREATE TABLE a (b TEXT DEFAULT 'x; -- y'); -- of a; b
CREATE FUNCTION c() RETURNS trigger AS $$ BEGIN; END; $$;

COMMENT ON TABLE a IS 'it''s; "odd"';; DROP INDEX "d;e"`)
	want := []string{
		"-- one; no statement\nCREATE TABLE a (b TEXT DEFAULT 'x; -- y')",
		"-- of a; b\nCREATE FUNCTION c() RETURNS trigger AS $$ BEGIN; END; $$",
		`COMMENT ON TABLE a IS 'it''s; "odd"'`,
		`DROP INDEX "d;e"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it is split otherwise (-want +got):\n%s", diff)
	}
}
