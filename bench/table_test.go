package main

import "testing"

func TestMissedFiguresAreAnError(t *testing.T) {
	t.Parallel()
	var tab table
	tab.atMost("idle memory", 50, 64, mebibytes)
	tab.atLeast("reads", 30, "bare handler", 100, 0)
	if err := tab.missed(); err != nil {
		t.Errorf("all targets are reached, yet %v", err)
	}
	tab.atLeast("reads", 30, "bare handler", 100, 0.5)
	tab.slower("summary", 10, "before", 30, 1.5)
	if err := tab.missed(); err == nil || err.Error() != "2 of 4 figures missed their target" {
		t.Errorf("two targets are missed: %v", err)
	}
	tab.remark("not judged: two cores")
	if err := tab.missed(); err == nil || err.Error() != "1 of 4 figures missed their target" {
		t.Errorf("a figure with a remark is not judged: %v", err)
	}
}
