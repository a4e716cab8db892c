package table

import "testing"

func TestMissedFiguresAreAnError(t *testing.T) {
	t.Parallel()
	var tab Table
	tab.AtMost("idle memory", 50, 64, Mebibytes)
	tab.AtLeast("reads", 30, "bare handler", 100, 0)
	if err := tab.Missed(); err != nil {
		t.Errorf("all targets are reached, yet %v", err)
	}
	tab.AtLeast("reads", 30, "bare handler", 100, 0.5)
	tab.Slower("summary", 10, "before", 30, 1.5)
	if err := tab.Missed(); err == nil || err.Error() != "2 of 4 figures missed their target" {
		t.Errorf("two targets are missed: %v", err)
	}
}
