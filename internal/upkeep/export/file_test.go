package export_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/drover-fleet/drover/internal/upkeep/export"
)

// TestSweepLeavesWhatIsBegunMeanwhile begins a file while it is looked which are in use.
func TestSweepLeavesWhatIsBegunMeanwhile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	stray, begun := filepath.Join(folder, "stray"), filepath.Join(folder, "begun")
	if err := os.WriteFile(stray, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := export.Folder(folder).Sweep(t.Context(), func(context.Context) (map[string]bool, error) {
		return map[string]bool{}, os.WriteFile(begun, nil, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(begun); err != nil {
		t.Errorf("a file that was begun meanwhile: %v", err)
	}
	if _, err := os.Stat(stray); !os.IsNotExist(err) {
		t.Errorf("a file that no one names is still there: %v", err)
	}
}
