package providertest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
)

// GoldenOf checks the conversion of a payload that is decoded into P, as Golden
// does.
func GoldenOf[P, T any](t *testing.T, file string, convert func(P) []T) {
	t.Helper()
	Golden(t, file, func(payload []byte) ([]T, error) {
		var decoded P
		if err := json.Unmarshal(payload, &decoded); err != nil {
			return nil, err
		}
		return convert(decoded), nil
	})
}

// Golden checks a conversion against a file that holds a vendor's payload and the
// records that it gives: {"payload": …, "want": […]}, with the fields of the
// records by their Go names.
func Golden[T any](t *testing.T, file string, convert func(payload []byte) ([]T, error)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pair struct {
		Payload json.RawMessage
		Want    []T
	}
	if err := json.Unmarshal(text, &pair); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	got, err := convert(pair.Payload)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(pair.Want) == 0 {
		t.Errorf("%s wants no record: the test checks nothing", file)
	}
	if diff := cmp.Diff(pair.Want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// GoldenCalls checks what an adapter reads of payloads, as Golden does: files of devices by
// Devices, of trips by Trips, and others by Positions, from q on.
func GoldenCalls(t *testing.T, q provider.Query, adapter func(payload []byte) provider.Provider, files ...string) {
	t.Helper()
	for _, name := range files {
		file := "testdata/" + name
		switch {
		case strings.HasPrefix(name, "devices"):
			Golden(t, file, func(payload []byte) ([]provider.Device, error) {
				page, err := adapter(payload).Devices(t.Context(), "")
				return page.Records, err
			})
		case strings.HasPrefix(name, "trips"):
			Golden(t, file, func(payload []byte) ([]provider.Trip, error) {
				page, err := adapter(payload).Trips(t.Context(), q)
				return page.Records, err
			})
		default:
			Golden(t, file, func(payload []byte) ([]provider.Position, error) {
				page, err := adapter(payload).Positions(t.Context(), q)
				return page.Records, err
			})
		}
	}
}
