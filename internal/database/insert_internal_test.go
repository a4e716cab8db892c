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
