package fleet

import "testing"

// TestAllRead refuses a list that may lack some.
func TestAllRead(t *testing.T) {
	t.Parallel()
	for read, refused := range map[int]bool{0: false, 9: false, 10: true, 11: true} {
		if err := allRead(read, 10); (err != nil) != refused {
			t.Errorf("%d of at most 10 were read: %v", read, err)
		}
	}
}
