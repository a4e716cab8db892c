package rfms

import (
	"encoding/json"
	"testing"
)

// TestDriverForms reads drivers as objects, as texts in their place, and where there is none.
func TestDriverForms(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"tachoDriverIdentification":{"driverIdentification":"123","cardIssuingMemberState":"S"}}`:  "S123",
		`{"tachoDriverIdentification":"123"}`:                                                        "123",
		`{"tachoDriverIdentification":"","oemDriverIdentification":{"oemDriverIdentification":"D"}}`: "D",
		`{"oemDriverIdentification":"D"}`:                                                            "D",
		`"D"`:                                                                                        "D",
		`""`:                                                                                         "",
		`{}`:                                                                                         "",
	} {
		var r report
		if err := json.Unmarshal([]byte(`{"driver1Id":`+payload+`}`), &r); err != nil {
			t.Errorf("%s: %v", payload, err)
			continue
		}
		if id := r.Driver.id(); id == nil && want != "" || id != nil && *id != want {
			t.Errorf("%s: %v, want %q", payload, id, want)
		}
	}
}
