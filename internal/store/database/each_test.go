package database_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestReadEach reads values and nulls into the same variables, row after row, with
// arguments that are written by their own types.
func TestReadEach(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Empty(t, name)
			db, err := database.Open(t.Context(), database.Options{URL: o.URL, Path: o.Path})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			type row struct {
				time   int64
				number database.NullFloat
				text   database.NullText
			}
			const query = `SELECT CAST($1 AS BIGINT), 1.5E0, 'a' UNION ALL SELECT 8, NULL, NULL ORDER BY 1`
			var v row
			var rows []row
			err = db.ReadEach(t.Context(), query, []any{drover.Milli(7)}, func(s database.Scanner) error {
				err := s.Scan(&v.time, &v.number, &v.text)
				rows = append(rows, v)
				return err
			})
			want := []row{
				{7, database.NullFloat{Float64: 1.5, Valid: true}, database.NullText{String: "a", Valid: true}},
				{time: 8},
			}
			if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{})); err != nil || diff != "" {
				t.Errorf("got %v, want + to be -:\n%s", err, diff)
			}
			if err := db.ReadEach(t.Context(), `SELECT nothing`, nil, func(database.Scanner) error { return nil }); err == nil {
				t.Error("a query that cannot be run gave no error")
			}
		})
	}
}
