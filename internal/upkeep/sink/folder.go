package sink

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// Folder keeps the files in a folder.
type Folder string

// Version reads the version out of a file.
func (f Folder) Version(_ context.Context, name string) (string, error) {
	file, err := os.Open(f.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	content, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return "", fmt.Errorf("it is no Parquet file, move it away: %w", err)
	}
	version, _ := content.Lookup(versionName)
	return version, nil
}

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Put writes a file beside its place and then moves it there. What a process that was
// killed left behind is overwritten.
func (f Folder) Put(_ context.Context, name, _ string, write func(io.Writer) error) error {
	path := f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	part := path + ".part"
	err := writeFile(part, write)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return syncFolder(filepath.Dir(path))
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(file, 1<<20)
	if err = write(buffer); err == nil {
		err = errors.Join(buffer.Flush(), file.Sync())
	}
	return errors.Join(err, file.Close())
}

// syncFolder makes sure that a file that was moved is still there after a crash.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
