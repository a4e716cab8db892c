package secret

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// maxFileBytes bounds what is read: a thousand keys, and not a device file that
// never ends.
const maxFileBytes = 64 << 10

// LoadOrCreateMaster reads master keys from a file, in the form ParseMaster
// reads. Where there is no file it makes one with a new key taken from rand,
// for its owner only. A file that its group or others may touch is refused.
//
// Processes that start at once agree on one key: the file appears whole or not
// at all, and anyone who comes second reads what the first one wrote.
func LoadOrCreateMaster(path string, rand io.Reader) (*Master, error) {
	m, err := loadMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := createMaster(path, rand); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("create master key file: %w", err)
	}
	return loadMaster(path)
}

func loadMaster(path string) (*Master, error) {
	text, err := readPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("read master key file: %w", err)
	}
	defer clear(text)
	m, err := ParseMaster(string(text))
	if err != nil {
		return nil, fmt.Errorf("master key file %s: %w", path, err)
	}
	return m, nil
}

// OpenToOthers reports whether a mode lets others than the owner in. On Windows the mode does not
// say that: who may read a file stands in its list of rights.
func OpenToOthers(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 && runtime.GOOS != "windows" }

func readPrivate(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	// The open file is asked, not the path, which may name another by now.
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); OpenToOthers(mode) {
		return nil, fmt.Errorf("%s has mode %#o: it must be accessible to its owner only (chmod 600)", path, mode)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxFileBytes)
	}
	return text, nil
}

// createMaster writes beside path and links the finished file into place: a
// link, unlike a rename, fails where path has come to exist meanwhile.
func createMaster(path string, rand io.Reader) error {
	raw := make([]byte, keyBytes)
	defer clear(raw)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".master-*") // exclusive, mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := writeSynced(f, base64.StdEncoding.EncodeToString(raw)+"\n"); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

func writeSynced(f *os.File, text string) error {
	_, err := f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the new name last: a key that seals data and is gone after a
// power cut takes the data with it.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
