package web

import (
	"embed"
	"io/fs"
)

// The folder is filled by make; in a checkout that has not built the console it
// holds one empty file, and the placeholder is served in its stead.
//
//go:embed all:dist
var dist embed.FS

//go:embed placeholder.html
var placeholder embed.FS

func embedded() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder's name is a constant that is sound
	}
	return files
}
