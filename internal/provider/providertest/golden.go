package providertest

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
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
