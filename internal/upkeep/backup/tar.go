package backup

import (
	"archive/tar"
	"bytes"
	"io"
	"time"
)

// add writes a member of an archive.
func add(archive *tar.Writer, name string, size int64, from io.Reader, made time.Time) error {
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: made}); err != nil {
		return err
	}
	_, err := io.Copy(archive, from)
	return err
}

func addBytes(archive *tar.Writer, name string, text []byte, made time.Time) error {
	return add(archive, name, int64(len(text)), bytes.NewReader(text), made)
}
