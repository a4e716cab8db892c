package wire_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

func TestShapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]wire.Text{
		`7`: "7", ` {"name":"b"}`: "b", `{"id":1,"name":"b"}`: "1", `{"id":null,"name":"b"}`: "b", `{}`: "", `null`: "",
	} {
		if got, err := wire.TextIn([]byte(text), "id", "name"); err != nil || got != want {
			t.Errorf("text in %s is %q, %v", text, got, err)
		}
	}
	for text, want := range map[string][]int{`[1,2]`: {1, 2}, `{"a":[3],"b":[4]}`: {3}, `{"b":[4]}`: {4}, `{"A":[5]}`: {5}, `{"a":[]}`: {}} {
		got, err := wire.ListIn[int]([]byte(text), "a", "b")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("list in %s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{`[]`, `{"id":`} {
		if got, err := wire.TextIn([]byte(text), "id"); err == nil {
			t.Errorf("text in %s is %q", text, got)
		}
	}
	for _, text := range []string{`7`, `{"a":7}`, `{"a":`, `{"c":[1]}`, `{}`, `null`, `{"a":null}`} {
		if got, err := wire.ListIn[int]([]byte(text), "a"); err == nil {
			t.Errorf("list in %s is %v", text, got)
		}
	}
}

func TestListOfOneAlone(t *testing.T) {
	t.Parallel()
	type row struct{ A int }
	for text, want := range map[string]wire.List[row]{`[{"a":1},{"a":2}]`: {{1}, {2}}, `{"a":3}`: {{3}}, `[]`: {}, `""`: nil, `null`: nil} {
		var got wire.List[row]
		if err := json.Unmarshal([]byte(text), &got); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	place := wire.Coordinate(new(1.0), new(2.0))
	if diff := cmp.Diff(&drover.Coordinate{Latitude: 1, Longitude: 2}, place); diff != "" || wire.Coordinate(nil, new(2.0)) != nil ||
		wire.Coordinate(new(1.0), nil) != nil {
		t.Error("Coordinate", diff)
	}
	if got := wire.Difference(new(1.0), new(3.5)); got == nil || *got != 2.5 {
		t.Error("Difference", got)
	}
	if wire.Difference(nil, new(1.0)) != nil || wire.Difference(new(1.0), nil) != nil || wire.Difference(new(2.0), new(1.0)) != nil {
		t.Error("a difference of what is not known, or went back")
	}
	if wire.Text("0").ID() != nil || wire.Text("").ID() != nil || *wire.Text("10").ID() != "10" {
		t.Error("Text.ID")
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 1, 12, 15, 30, 250_400_000, time.FixedZone("", 7200))
	for got, want := range map[string]string{
		wire.ISO(at):                            "2024-05-01T10:15:30Z",
		wire.ISOMilli(at):                       "2024-05-01T10:15:30.250Z",
		wire.ISO(wire.CeilSecond(at)):           "2024-05-01T10:15:31Z",
		wire.ISOMilli(at.Truncate(time.Second)): "2024-05-01T10:15:30.000Z",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFix(t *testing.T) {
	t.Parallel()
	at := wire.TimeOf(time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC))
	got, ok := wire.Fix("d", at, new(1.0), new(0.0))
	want := provider.Position{SystemDeviceID: "d", Position: drover.Position{Time: at.Record(), Latitude: 1}}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("ok %t (-want +got):\n%s", ok, diff)
	}
	if _, ok := wire.Fix("d", wire.Time{}, new(1.0), new(2.0)); ok {
		t.Error("a fix without a time")
	}
	if _, ok := wire.Fix("d", at, nil, new(2.0)); ok {
		t.Error("a fix without a latitude")
	}
	if _, ok := wire.Fix("d", at, new(1.0), nil); ok {
		t.Error("a fix without a longitude")
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	if got := wire.Without(nil, 60); got != nil {
		t.Errorf("without what is not known: %v", *got)
	}
	for part, want := range map[float64]float64{0: 60, 20: 40, 90: 0} {
		if got := wire.Without(&part, 60); got == nil || *got != want {
			t.Errorf("60 without %v is %v, want %v", part, got, want)
		}
	}
}
