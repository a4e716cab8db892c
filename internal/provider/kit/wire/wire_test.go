package wire_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

type scalars struct {
	N wire.Number `json:"n"`
	T wire.Text   `json:"t"`
	B wire.Bool   `json:"b"`
}

func TestScalars(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json string
		n    *float64
		t    string
		b    *bool
	}{
		"plain":  {`{"n":1.5,"t":"x","b":true}`, new(1.5), "x", new(true)},
		"text":   {`{"n":" 1.5","t":1709358234985168961,"b":"0"}`, nil, "", nil},
		"quoted": {`{"n":"1.5","t":-1709358234985168961,"b":"0"}`, new(1.5), "-1709358234985168961", new(false)},
		"null":   {`{"n":null,"t":null,"b":null}`, nil, "", nil},
		"absent": {`{}`, nil, "", nil},
		"empty":  {`{"n":"","t":"","b":""}`, nil, "", nil},
		"words":  {`{"n":0,"t":true,"b":"ON"}`, new(0.0), "true", new(true)},
		"other":  {`{"b":"ERROR"}`, nil, "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got scalars
			err := json.Unmarshal([]byte(test.json), &got)
			if name == "text" {
				if err == nil {
					t.Error("a number with a blank was read")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.n, got.N.Ptr()); diff != "" {
				t.Errorf("number: %s", diff)
			}
			if diff := cmp.Diff(test.b, got.B.Ptr()); diff != "" {
				t.Errorf("bool: %s", diff)
			}
			if got.T.String() != test.t {
				t.Errorf("text = %q, want %q", got.T, test.t)
			}
		})
	}
}

func TestScalarsRefuseObjects(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"n":{}}`, `{"t":[]}`, `{"b":{}}`, `{"n":"x"}`, `{"n":"NaN"}`} {
		if err := json.Unmarshal([]byte(text), &scalars{}); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 1, 10, 15, 30, 0, time.UTC)
	tests := map[string]time.Time{
		`"2024-05-01T10:15:30.000+00:00"`: at,
		`"2024-05-01T20:15:30+10:00"`:     at,
		`"2024-05-01T10:15:30"`:           at,
		`"2024-05-01 10:15:30.000Z"`:      at,
		`"2024-05-01T10:15:30.25Z"`:       at.Add(250 * time.Millisecond),
		`1714558530`:                      at,
		`1714558530.25`:                   at.Add(250 * time.Millisecond),
		`1714558530000`:                   at,
		`"1714558530"`:                    at,
		`null`:                            {},
		`""`:                              {},
		`0`:                               {},
		`"0001-01-01T00:00:00Z"`:          {},
	}
	for text, want := range tests {
		var got wire.Time
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if !got.Equal(want) || (!want.IsZero() && got.Location() != time.UTC) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
	var got wire.Time
	if err := json.Unmarshal([]byte(`"yesterday"`), &got); err == nil {
		t.Error("yesterday was read as a time")
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	tests := map[string][2]float64{
		"knots":        {wire.KPHFromKnots(21.598), 39.999},
		"mph":          {wire.KPHFromMPH(45), 72.42},
		"kilometres":   {wire.MetresFromKM(123.4567), 123456.7},
		"miles":        {wire.MetresFromMiles(12.5), 20116.8},
		"microdegrees": {wire.Degrees(-8440639), -8.440639},
	}
	for name, pair := range tests {
		if pair[0] != pair[1] {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestOptional(t *testing.T) {
	t.Parallel()
	if wire.NonZero("") != nil || *wire.NonZero(3) != 3 {
		t.Error("NonZero")
	}
	if got := wire.First(nil, new(2), new(3)); *got != 2 {
		t.Errorf("First = %v", *got)
	}
	if wire.Map[float64, float64](nil, wire.MetresFromKM) != nil || *wire.Map(new(2.0), wire.MetresFromKM) != 2000 {
		t.Error("Map")
	}
	if wire.Text(" \t").Ptr() != nil || *wire.Text(" x ").Ptr() != "x" {
		t.Error("Text.Ptr")
	}
	if (wire.Number{}).Whole() != nil || *wire.NumberOf(2.9).Whole() != 2 {
		t.Error("a whole number")
	}
	if wire.NumberOf(0).Int() != nil || *wire.NumberOf(2015).Int() != 2015 {
		t.Error("Number.Int")
	}
}
