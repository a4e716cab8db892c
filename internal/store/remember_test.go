package store

import "testing"

// TestWrittenBy tells the tables that statements write to. One that is missed
// would leave records remembered that have changed.
func TestWrittenBy(t *testing.T) {
	t.Parallel()
	known := newTables("device", "trip")
	tests := map[string]string{
		"SELECT id FROM device":                          "",
		"PRAGMA data_version":                            "",
		"SAVEPOINT one":                                  "",
		"ROLLBACK TO one":                                "",
		"INSERT INTO device (id) VALUES (?)":             "device",
		"INSERT INTO device(id) VALUES (?)":              "device",
		"\n\tUPDATE trip SET id = $1":                    "trip",
		"DELETE FROM trip WHERE id = $1":                 "trip",
		"INSERT INTO device_latest AS l (id) VALUES (?)": "",
		"UPDATE connection SET state = $1":               "",
		"INSERT OR FAIL INTO trip (id) VALUES (?)":       "trip",
		"INSERT OR FAIL INTO position (id) VALUES (?)":   "",
		"INSERT OR REPLACE INTO device (id) VALUES (?)":  "all",
		"UPDATE OR IGNORE device SET id = $1":            "all",
		"WITH gone AS (SELECT 1) DELETE FROM device":     "all",
		"REPLACE INTO device (id) VALUES (?)":            "all",
		"update device set id = $1":                      "all",
		"":                                               "all",
	}
	for query, want := range tests {
		got := known.writtenBy(query)
		switch want {
		case "":
			if len(got) != 0 {
				t.Errorf("%q writes to %d tables", query, len(got))
			}
		case "all":
			if len(got) != len(known) {
				t.Errorf("%q writes to %d tables, want all", query, len(got))
			}
		default:
			if len(got) != 1 || got[0] != known[want] {
				t.Errorf("%q does not write to %s alone", query, want)
			}
		}
	}
}
