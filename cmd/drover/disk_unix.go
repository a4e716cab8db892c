//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// freeBytes is the room on the disk of a folder.
func freeBytes(folder string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return 0, fmt.Errorf("look at the disk: %w", err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil // a block size is positive
}
