package pack_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// TestDocumentedBlock holds the example of the documentation, by which others test
// their readers, to the program.
func TestDocumentedBlock(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/blocks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "\n```\n")
	example, _, _ = strings.Cut(example, "\n```\n")
	block, err := hex.DecodeString(strings.ReplaceAll(example, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	got, err := pack.Decode(block)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)
	want := []drover.StoredPosition{
		{Position: drover.Position{Time: drover.At(at), Latitude: 48.1371, Longitude: 11.5754, SpeedKPH: new(0.0), Ignition: new(false)}},
		{Position: drover.Position{
			Time: drover.At(at.Add(30 * time.Second)), Latitude: 48.1372, Longitude: 11.5751, Heading: new(270.0),
			SpeedKPH: new(31.5), Ignition: new(true), DriverID: new("D-17"),
		}},
		{Position: drover.Position{
			Time: drover.At(at.Add(61 * time.Second)), Latitude: 48.9, Longitude: 11.5751, Heading: new(268.5),
			SpeedKPH: new(30.0), Ignition: new(true), DriverID: new("D-17"),
		}, Suspect: "jump"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
