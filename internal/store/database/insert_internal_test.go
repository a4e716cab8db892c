package database

import "testing"

// TestArrayText writes what a text can hold as PostgreSQL reads it.
func TestArrayText(t *testing.T) {
	t.Parallel()
	id, plain, empty, null, odd := "01900000-0000-7000-8000-00000000000a", "KA-1 23", "", "NULL", `a"b\c,{d}`
	for _, c := range []struct {
		want   string
		values []*string
	}{
		{`{}`, nil},
		{`{01900000-0000-7000-8000-00000000000a,NULL}`, []*string{&id, nil}},
		{`{"KA-1 23","","NULL"}`, []*string{&plain, &empty, &null}},
		{`{"a\"b\\c,{d}"}`, []*string{&odd}},
	} {
		if got := arrayText(c.values); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestSameValues leaves out what is the same in all of many rows.
func TestSameValues(t *testing.T) {
	t.Parallel()
	one, other := "a", "b"
	for name, c := range map[string]struct {
		column []any
		want   bool
	}{
		"one text":              {[]any{"a", &one, "a"}, true},
		"two texts":             {[]any{"a", &other, "a"}, false},
		"nothing":               {[]any{nil, (*string)(nil), (*int64)(nil)}, true},
		"nothing and something": {[]any{nil, "a"}, false},
		"a number":              {[]any{int64(3), new(int64(3))}, true},
		"a flag":                {[]any{true, new(true)}, true},
		"two flags":             {[]any{true, new(false)}, false},
		"no bytes":              {[]any{[]byte(nil), nil}, true},
		"bytes":                 {[]any{[]byte("a"), []byte("a")}, false},
	} {
		rows := make([][]any, len(c.column))
		for i, v := range c.column {
			rows[i] = []any{v}
		}
		if got := sameValues(rows, 0); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestRowSource keeps one array at least, which says how many rows there are.
func TestRowSource(t *testing.T) {
	t.Parallel()
	rows := make([][]any, sameFrom)
	for i := range rows {
		rows[i] = []any{"a", int64(1)}
	}
	columns := []Column{Text("name"), Number("n")}
	query, args, n := postgresWords{}.rowSource(columns, rows)
	if want := `SELECT $1::text, r.c2 FROM unnest($2::bigint[]) AS r(c2)`; query != want || n != sameFrom || args[0] != "a" ||
		len(args[1].([]int64)) != sameFrom {
		t.Errorf("got %s with %v, want %s", query, args, want)
	}
	query, _, _ = postgresWords{}.rowSource(columns, rows[1:])
	if want := `SELECT r.c1, r.c2 FROM unnest($1::text[], $2::bigint[]) AS r(c1, c2)`; query != want {
		t.Errorf("got %s, want %s", query, want)
	}
}
