package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

func TestListedCodes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"P0420 p0171":   {"obd P0420", "obd P0171"},
		"P0420,U0100; ": {"obd P0420", "obd U0100"},
		"SPN3031-FMI9":  {"unknown SPN3031-FMI9"},
		"":              {},
		"  ":            {},
		"3":             nil,
		"0":             nil,
		"P0420 2":       {"obd P0420"},
	} {
		r := provider.ListedCodes(text)
		var got []string
		if r != nil {
			got = []string{}
			for _, said := range r.Faults {
				got = append(got, string(said.Protocol)+" "+said.Code)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSeverityOf(t *testing.T) {
	t.Parallel()
	if s := provider.SeverityOf(" High "); s == nil || *s != drover.FaultHigh {
		t.Errorf("High is %v", s)
	}
	for _, word := range []string{"", "17", "severe"} {
		if s := provider.SeverityOf(word); s != nil {
			t.Errorf("%q is %s", word, *s)
		}
	}
}
