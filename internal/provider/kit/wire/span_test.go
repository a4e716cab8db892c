package wire

import (
	"encoding/json"
	"testing"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		`"00:42:10"`: 2530, `"4.16:41:16"`: 405676, `"00:12:41.2930000"`: 761.293, `"-00:00:01"`: -1,
		`90`: 90, `"90.5"`: 90.5, `"00:00:00"`: 0,
	} {
		var s Span
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Seconds() == nil || *s.Seconds() != want {
			t.Errorf("%s is %v, %v; want %v", text, s.Seconds(), err, want)
		}
	}
	for _, text := range []string{`null`, `""`, `" "`} {
		var s Span
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Seconds() != nil {
			t.Errorf("%s is %v, %v; want unknown", text, s.Seconds(), err)
		}
	}
	for _, text := range []string{`"1:2"`, `"a:00:00"`, `"00:00:x"`, `"x.00:00:00"`, `[]`, `"NaN"`, `1e300`} {
		if err := json.Unmarshal([]byte(text), new(Span)); err == nil {
			t.Errorf("%s is a length of time", text)
		}
	}
}

func TestTextInt(t *testing.T) {
	t.Parallel()
	for text, want := range map[Text]int{"2021": 2021, " 7 ": 7, "": 0, "0": 0, "unknown": 0, "2021.5": 0} {
		if got := text.Int(); (got == nil) != (want == 0) || (got != nil && *got != want) {
			t.Errorf("%q is %v, want %d", text, got, want)
		}
	}
}
