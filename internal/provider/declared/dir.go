package declared

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/drover-fleet/drover/internal/provider"
)

// mostFiles is how many files a folder may have.
const mostFiles = 500

// ReadFile reads a file. Its error has all mistakes, one a line.
func ReadFile(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > largest { // not even to be read
		return nil, fmt.Errorf("%s: the file is larger than %d KiB", path, largest>>10)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, mistakes := Parse(text)
	var all []error
	for _, m := range mistakes {
		all = append(all, fmt.Errorf("%s: %s", path, m))
	}
	return file, errors.Join(all...)
}

// ReadDir reads the files of a folder that end with .yaml or .yml, in the order of their names.
// One that has mistakes is left out: what is wrong with it comes as an error of its own. The
// last error is that of the folder.
func ReadDir(dir string) (infos []provider.Info, broken []error, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) > mostFiles {
		return nil, nil, fmt.Errorf("%s has more than %d files", dir, mostFiles)
	}
	for _, entry := range entries {
		if !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(entry.Name())) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		file, err := ReadFile(path)
		if err == nil && slices.ContainsFunc(infos, func(i provider.Info) bool { return string(i.Name) == file.Name }) {
			err = fmt.Errorf("%s: another file has the name %s", path, file.Name)
		}
		if err != nil {
			broken = append(broken, err)
			continue
		}
		infos = append(infos, file.Info())
	}
	return infos, broken, nil
}
