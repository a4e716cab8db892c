package main

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// freeBytes is the room on the disk of a folder.
func freeBytes(folder string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, fmt.Errorf("look at the disk: %w", err)
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return 0, fmt.Errorf("look at the disk: %w", err)
	}
	return free, nil
}
