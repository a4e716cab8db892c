package database_test

import (
	"path/filepath"
	"testing"

	"github.com/drover-fleet/drover/internal/store/database"
)

// TestGathered reads rows in one value that are the same as one by one.
func TestGathered(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Options{Path: filepath.Join(t.TempDir(), "drover.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // nothing was left undone
	gather := func(query string) (g database.Gathered) {
		if err := db.Reader().QueryRowContext(t.Context(), query).Scan(&g.Rest); err != nil {
			t.Fatal(err)
		}
		return g
	}
	const rows = `SELECT gathered(a, b, c, d, e) FROM (SELECT -7 AS a, 0.1 AS b, NULL AS c, 1 AS d, 'it''s' AS e UNION ALL SELECT 9007199254740993, -0.0, 2.5, NULL, NULL UNION ALL SELECT 0, 1e300, NULL, 0, '' ORDER BY 2)`
	g := gather(rows)
	for n, want := range []struct {
		a     int64
		b, c  float64
		cSome bool
		d     bool
		dSome bool
		e     string
		eSome bool
	}{
		{a: 9007199254740993, c: 2.5, cSome: true},
		{a: -7, b: 0.1, d: true, dSome: true, e: "it's", eSome: true},
		{a: 0, b: 1e300, dSome: true, eSome: true},
	} {
		got := want
		got.a, got.b = g.Int(), g.Real()
		got.c, got.cSome = g.Float()
		got.d, got.dSome = g.Flag()
		text := g.Text()
		if got.e, got.eSome = "", text != nil; text != nil {
			got.e = *text
		}
		if got != want {
			t.Errorf("row %d is %+v, want %+v", n, got, want)
		}
	}
	if len(g.Rest) != 0 || g.Err != nil {
		t.Errorf("%d bytes are left: %v", len(g.Rest), g.Err)
	}
	if none := gather(`SELECT gathered(1) WHERE FALSE`); len(none.Rest) != 0 {
		t.Errorf("no rows are %d bytes", len(none.Rest))
	}
	if err := db.Reader().QueryRowContext(t.Context(), `SELECT gathered(x'00')`).Scan(&g.Rest); err == nil {
		t.Error("a blob was gathered")
	}
}

// TestGatheredBroken reads what is cut off or of another kind.
func TestGatheredBroken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bytes []byte
		read  func(g *database.Gathered)
	}{
		"Empty":        {nil, func(g *database.Gathered) { g.Int() }},
		"NumberCut":    {[]byte{1, 2, 3}, func(g *database.Gathered) { g.Int() }},
		"TextCut":      {[]byte{3, 5, 'a'}, func(g *database.Gathered) { g.Text() }},
		"LengthCut":    {[]byte{3, 0x80}, func(g *database.Gathered) { g.Text() }},
		"AnotherKind":  {[]byte{2, 0, 0, 0, 0, 0, 0, 0, 0}, func(g *database.Gathered) { g.Int() }},
		"IntNotNull":   {[]byte{0}, func(g *database.Gathered) { g.Int() }},
		"RealNotNull":  {[]byte{0}, func(g *database.Gathered) { g.Real() }},
		"NoFlagAtText": {[]byte{3, 0}, func(g *database.Gathered) { g.Flag() }},
	} {
		g := database.Gathered{Rest: test.bytes}
		if test.read(&g); g.Err == nil || len(g.Rest) != 0 {
			t.Errorf("%s: %d bytes are left, %v", name, len(g.Rest), g.Err)
		}
	}
}
