package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"time"
)

// entry is a file of an archive, or a folder where its name ends in a slash.
type entry struct {
	name    string
	mode    int64
	owner   int
	content []byte
}

func (e entry) isFolder() bool { return e.name[len(e.name)-1] == '/' }

// writeTar writes entries in their order, with one time and without names of users: nothing
// of the machine is in it.
func writeTar(w io.Writer, at time.Time, entries []entry) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		h := tar.Header{Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.content)), ModTime: at, Typeflag: tar.TypeReg}
		if e.isFolder() {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return t.Close()
}

// tarGz is a compressed archive.
func tarGz(at time.Time, entries []entry) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := writeTar(z, at, entries); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// zipped is an archive as Windows knows it.
func zipped(at time.Time, entries []entry) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
