// Package backup saves a database to one file and restores it. The file is a compressed tar of the
// copy and a manifest with its checksum and schema version. It does not contain the master key.
package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover/internal/store"
)

// Manifest says what a backup holds.
type Manifest struct {
	Format   int       `json:"format"`
	Database string    `json:"database"` // sqlite or postgres
	Schema   int64     `json:"schema"`
	Made     time.Time `json:"made"`
	Drover   string    `json:"drover"` // the version that made it
	Size     int64     `json:"size"`
	SHA256   string    `json:"sha256"`
}

const (
	format       = 1
	copyName     = "copy"
	manifestName = "manifest.json"
	// maxManifest bounds what is read as one.
	maxManifest = 1 << 16
)

// Create copies the database as it is at one moment, while others go on using it,
// into a file for its owner alone. A file of that name must not be there. URL is
// the address of PostgreSQL; it is empty for SQLite.
func Create(ctx context.Context, s *store.Store, url, file string, m Manifest) (Manifest, error) {
	schema, _, err := s.Schema(ctx)
	if err != nil {
		return m, err
	}
	m.Format, m.Database, m.Schema = format, s.Database(), schema
	if _, err := os.Lstat(file); err == nil {
		return m, fmt.Errorf("%s is there already", file)
	}
	folder, err := os.MkdirTemp(filepath.Dir(file), ".drover-backup-")
	if err != nil {
		return m, fmt.Errorf("make a folder for the copy: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // what is left is a copy
	whole := filepath.Join(folder, copyName)
	if url == "" {
		err = s.CopyTo(ctx, whole)
	} else {
		err = dump(ctx, url, whole)
	}
	if err != nil {
		return m, err
	}
	packed := filepath.Join(folder, "packed")
	if m, err = pack(packed, whole, m); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	if err := os.Link(packed, file); err != nil { // unlike a rename it replaces nothing
		return m, fmt.Errorf("put the backup in its place: %w", err)
	}
	return m, nil
}

// pack writes the copy and its manifest into one file, and has it on disk.
func pack(file, whole string, m Manifest) (Manifest, error) {
	from, err := os.Open(whole) //nolint:gosec // a file of ours
	if err != nil {
		return m, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return m, err
	}
	m.Size = info.Size()
	out, err := os.OpenFile(filepath.Clean(file), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return m, err
	}
	defer out.Close()
	zip, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return m, err
	}
	archive := tar.NewWriter(zip)
	sum := sha256.New()
	if err := add(archive, copyName, m.Size, io.TeeReader(from, sum), m.Made); err != nil {
		return m, err
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	if err := addBytes(archive, manifestName, text, m.Made); err != nil {
		return m, err
	}
	return m, errors.Join(archive.Close(), zip.Close(), out.Sync())
}

// extract unpacks the copy of a backup into a new file and returns the manifest.
// A copy that is not what the manifest says is refused.
func extract(file, to string) (Manifest, error) {
	var m Manifest
	in, err := os.Open(filepath.Clean(file))
	if err != nil {
		return m, fmt.Errorf("read the backup: %w", err)
	}
	defer in.Close()
	zip, err := gzip.NewReader(in)
	if err != nil {
		return m, fmt.Errorf("%s is no backup of drover", file)
	}
	archive := tar.NewReader(zip)
	header, err := archive.Next()
	if err != nil || header.Name != copyName {
		return m, fmt.Errorf("%s is no backup of drover", file)
	}
	sum, size, err := writeOut(archive, to)
	if err != nil {
		return m, fmt.Errorf("%s is damaged: %w", file, err)
	}
	if header, err = archive.Next(); err != nil || header.Name != manifestName {
		return m, fmt.Errorf("%s is damaged: it has no manifest", file)
	}
	if err := json.NewDecoder(io.LimitReader(archive, maxManifest)).Decode(&m); err != nil {
		return m, fmt.Errorf("%s is damaged: its manifest cannot be read", file)
	}
	switch {
	case m.Format != format:
		return m, fmt.Errorf("%s has format %d, and this drover knows %d", file, m.Format, format)
	case m.SHA256 != sum || m.Size != size:
		return m, fmt.Errorf("%s is damaged: its checksum is wrong", file)
	}
	return m, nil
}

func writeOut(from io.Reader, to string) (sum string, size int64, err error) {
	out, err := os.OpenFile(filepath.Clean(to), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", 0, err
	}
	defer out.Close()
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(out, hash), from) //nolint:gosec // it is as large as the database was
	return hex.EncodeToString(hash.Sum(nil)), size, errors.Join(err, out.Sync())
}
