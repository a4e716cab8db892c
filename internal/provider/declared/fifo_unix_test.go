//go:build unix

package declared_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/drover-fleet/drover/internal/provider/declared"
)

// TestFolderWithPipe holds that a pipe, which has no end, is left out.
func TestFolderWithPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "a.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	infos, broken, err := declared.ReadDir(dir)
	if err != nil || len(infos) != 0 || len(broken) != 1 || !strings.Contains(broken[0].Error(), "no regular file") {
		t.Errorf("%v, %v, %v", infos, broken, err)
	}
}
