package database

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestHasMoved(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"could not find valid entry for shard 102012":      true,
		`relation "public.trip_102012" does not exist`:     true,
		`relation "trip" does not exist`:                   false,
		"duplicate key value violates unique constraint":   false,
		"could not find valid entry for node \"db1:5432\"": false,
	} {
		if got := hasMoved(fmt.Errorf("store: %w", &pgconn.PgError{Message: message})); got != want {
			t.Errorf("%s: %t, want %t", message, got, want)
		}
	}
	if !hasMoved(&pgconn.PgError{Hint: "A concurrent shard split may have moved the data into a new set of shards."}) || hasMoved(errors.New("x")) {
		t.Error("a hint is not read, or another error is taken for it")
	}
}

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
