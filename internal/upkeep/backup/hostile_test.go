package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/upkeep/backup"
)

// TestHostileBackup restores archives that someone else made: nothing is written beside the
// place of the database, and no database is made.
func TestHostileBackup(t *testing.T) {
	t.Parallel()
	const text = "no database"
	sum := sha256.Sum256([]byte(text))
	manifest := func(sum string, size int) string {
		return fmt.Sprintf(`{"format":1,"database":"sqlite","schema":1,"size":%d,"sha256":%q}`, size, sum)
	}
	right := manifest(hex.EncodeToString(sum[:]), len(text))
	file := func(name, text string) member { return member{tar.Header{Name: name, Size: int64(len(text))}, text} }
	link := func(kind byte, name, to string) member {
		return member{tar.Header{Name: name, Typeflag: kind, Linkname: to}, ""}
	}
	empty := sha256.Sum256(nil)
	none := hex.EncodeToString(empty[:])
	for name, members := range map[string][]member{
		"path upwards":         {file("../outside", text), file("manifest.json", right)},
		"absolute path":        {file("/outside", text), file("manifest.json", right)},
		"a copy upwards":       {file("../copy", text), file("manifest.json", right)},
		"symbolic link":        {link(tar.TypeSymlink, "copy", "/etc/passwd"), file("manifest.json", manifest(none, 0))},
		"hard link":            {link(tar.TypeLink, "copy", "/etc/passwd"), file("manifest.json", manifest(none, 0))},
		"another size":         {file("copy", text), file("manifest.json", manifest(hex.EncodeToString(sum[:]), 1<<40))},
		"another sum":          {file("copy", text), file("manifest.json", manifest(none, len(text)))},
		"no manifest":          {file("copy", text)},
		"manifest upwards":     {file("copy", text), file("../manifest.json", right)},
		"manifest without end": {file("copy", text), file("manifest.json", `{"x":"`+strings.Repeat("x", 2<<20)+`"}`)},
		"what is no database":  {file("copy", text), file("manifest.json", right)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := t.TempDir()
			archive, data := filepath.Join(place, "in", "backup.tar.gz"), filepath.Join(place, "data")
			if err := os.MkdirAll(filepath.Dir(archive), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(archive, packed(t, members), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Restore(t.Context(), archive, backup.Target{Path: filepath.Join(data, "drover.db")}); err == nil {
				t.Error("it was restored")
			}
			var left []string
			err := filepath.WalkDir(place, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && path != archive {
					left = append(left, path)
				}
				return err
			})
			if err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

type member struct {
	tar.Header
	text string
}

func packed(t *testing.T, members []member) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for _, m := range members {
		m.Mode = 0o600
		if err := archive.WriteHeader(&m.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
