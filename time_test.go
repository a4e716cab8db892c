package drover_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

func TestTimePrints(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]time.Time{
		"2026-03-01T12:00:00Z":     time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		"2026-03-01T12:00:00.120Z": time.Date(2026, 3, 1, 12, 0, 0, 120_000_000, time.UTC),
		"2026-03-01T12:00:00.001Z": time.Date(2026, 3, 1, 12, 0, 0, 1_999_999, time.UTC),
		"2026-03-01T11:59:59Z":     time.Date(2026, 3, 1, 11, 59, 59, 999_999, time.UTC),
		"2026-03-01T02:00:00Z":     time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 10*3600)),
	} {
		if got := drover.At(at).String(); got != want {
			t.Errorf("%v prints as %s, want %s", at, got, want)
		}
		text, err := json.Marshal(drover.At(at))
		if err != nil || string(text) != `"`+want+`"` {
			t.Errorf("%v is the JSON %s, %v", at, text, err)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01T12:00:00Z":          "2026-03-01T12:00:00Z",
		"2026-03-01T12:00:00+10:00":     "2026-03-01T02:00:00Z",
		"2026-03-01T12:00:00+1000":      "2026-03-01T02:00:00Z",
		"2026-03-01T12:00:00+10":        "2026-03-01T02:00:00Z",
		"2026-03-01T12:00:00":           "2026-03-01T12:00:00Z",
		"2026-03-01 12:00:00":           "2026-03-01T12:00:00Z",
		"2026-03-01T12:00:00.123456Z":   "2026-03-01T12:00:00.123Z",
		"2026-03-01T12:00Z":             "2026-03-01T12:00:00Z",
		"20260301T120000Z":              "2026-03-01T12:00:00Z",
		"0001-01-01T00:00:00Z":          "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999Z":      "9999-12-31T23:59:59.999Z",
		"2026-03-01":                    "",
		"12:00":                         "",
		"":                              "",
		"1740830400":                    "",
		"2026-02-30T12:00:00Z":          "",
		"2026-03-01T25:00:00Z":          "",
		"0001-01-01T00:00:00+01:00":     "",
		"9999-12-31T23:59:59-01:00":     "",
		"2026-03-01T12:00:00Z trailing": "",
	} {
		got, err := drover.ParseTime(text)
		if want == "" {
			if err == nil {
				t.Errorf("%q was read as %s", text, got)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q was read as %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestTimeInADatabase(t *testing.T) {
	t.Parallel()
	at := drover.Milli(1_740_830_400_123)
	stored, err := at.Value()
	if err != nil || stored != int64(1_740_830_400_123) {
		t.Fatalf("stored as %v, %v", stored, err)
	}
	var back drover.Time
	if err := back.Scan(stored); err != nil || !back.Equal(at.Time) || back.Location() != time.UTC {
		t.Errorf("read back as %v, %v", back, err)
	}
	if err := back.Scan("2026-03-01"); err == nil {
		t.Error("a text was read as a time")
	}
	if drover.TimePtr(time.Time{}) != nil || drover.TimePtr(at.Time) == nil {
		t.Error("only the zero time is nil")
	}
}

func TestTimeFromJSON(t *testing.T) {
	t.Parallel()
	var at drover.Time
	if err := json.Unmarshal([]byte(`"2026-03-01T12:00:00+10:00"`), &at); err != nil || at.String() != "2026-03-01T02:00:00Z" {
		t.Errorf("read as %s, %v", at, err)
	}
	for _, text := range []string{`12`, `"yesterday"`} {
		if err := at.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s was read as %s", text, at)
		}
	}
}
