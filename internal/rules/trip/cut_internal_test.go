package trip

import (
	"math"
	"testing"
)

// TestLooks begins at six hours, looks four times as far each time, and at everything at last.
func TestLooks(t *testing.T) {
	t.Parallel()
	want := int64(6 * 3600 * 1000)
	for i, look := range looks[:len(looks)-1] {
		if look != want {
			t.Errorf("look %d reaches %d ms back, want %d", i, look, want)
		}
		want *= 4
	}
	if last := looks[len(looks)-1]; last != math.MaxInt64 {
		t.Errorf("the last look reaches %d ms back", last)
	}
}
