package declared

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// mostFiles is how many files a folder may have.
const mostFiles = 500

// ReadFile reads a file. Its error has all mistakes, one a line.
func ReadFile(path string) (*File, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	return parsed(path, text)
}

// readText reads no more of a file than one may have.
func readText(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err == nil && len(text) > largest {
		err = fmt.Errorf("%s: the file is larger than %d KiB", path, largest>>10)
	}
	return text, err
}

// placedText reads a text that was placed, and returns when it was written. What is no regular
// file is not opened: a pipe would wait for ever.
func placedText(path string) (text []byte, written time.Time, err error) {
	at, err := os.Stat(path)
	if err == nil && !at.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	text, err = readText(path)
	return text, at.ModTime(), err
}

func parsed(path string, text []byte) (*File, error) {
	file, mistakes := Parse(text)
	var all []error
	for _, m := range mistakes {
		all = append(all, fmt.Errorf("%s: %s", path, m))
	}
	return file, errors.Join(all...)
}

// listDir returns the paths of a folder that end with .yaml or .yml, in the order of their names.
func listDir(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > mostFiles {
		return nil, fmt.Errorf("%s has more than %d files", dir, mostFiles)
	}
	for _, entry := range entries {
		if slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(entry.Name())) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// ReadDir reads the files of a folder once. One that has mistakes is left out: what is wrong
// with it comes as an error of its own. The last error is that of the folder.
func ReadDir(dir string) (infos []provider.Info, broken []error, err error) {
	f := &Folder{
		Dir: dir, Now: func() time.Time { return time.Time{} }, Each: func(i provider.Info) provider.Info { return i },
		say: func(err error) { broken = append(broken, err) },
	}
	if err := f.look(true); err != nil {
		return nil, nil, err
	}
	return f.infos, broken, nil
}

// lookEvery is how often the folder is looked at, at the most. There is no watch of the file
// system: it does not see what changes on a network's disk or in a volume of Kubernetes, and
// some files of a few KiB cost next to nothing to read. There is no task of its own either:
// anyone who asks for the providers looks.
const lookEvery = 5 * time.Second

// Folder is a folder with files that are read again when they change. It implements
// provider.Files.
type Folder struct {
	Dir    string
	Now    func() time.Time
	Logger *slog.Logger
	// Each completes what comes of a file.
	Each func(provider.Info) provider.Info

	say     func(error)
	mu      sync.Mutex // of those who look
	looked  time.Time
	failure string // of the folder as a whole
	files   map[string]*placed
	infos   []provider.Info
	current atomic.Pointer[map[drover.ProviderName]provider.Info]
}

// placed is one file.
type placed struct {
	version string // of the text that was read last
	next    string // of one that was seen once: it may still be written
	doubled string // of one that has another's name
	missing bool   // at the last look
	info    *provider.Info
}

// Open reads the folder for the first time.
func (f *Folder) Open() error {
	f.say = func(err error) {
		f.Logger.Error("a vendor's file is left out; where an earlier version of it is in use, that stays", "error", err)
	}
	f.looked = f.Now()
	return f.look(true)
}

// Current implements provider.Files. Where someone else is looking, it does not wait.
func (f *Folder) Current() map[drover.ProviderName]provider.Info {
	if f.mu.TryLock() {
		if now := f.Now(); now.Sub(f.looked) >= lookEvery || now.Before(f.looked) {
			f.looked = now
			err := f.look(false)
			if err != nil && err.Error() != f.failure { // once, not at every look
				f.Logger.Error("the folder of vendors' files cannot be read; what was read before stays", "error", err)
			}
			f.failure = ""
			if err != nil {
				f.failure = err.Error()
			}
		}
		f.mu.Unlock()
	}
	return *f.current.Load()
}

// Read implements provider.Files.
func (f *Folder) Read(text string) (provider.Info, error) {
	file, err := parsed("a file that was kept", []byte(text))
	if err != nil {
		return provider.Info{}, err
	}
	return f.info(file, text), nil
}

func (f *Folder) info(file *File, text string) provider.Info {
	info := f.Each(file.Info())
	info.File = &provider.File{Version: versionOf([]byte(text)), Text: text, SeenAt: f.Now(), Cursors: file.cursors()}
	return info
}

// versionOf names a text.
func versionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// look reads the files that have changed. A text counts once it was the same at two looks, as
// is one that is gone: an editor may be in the midst of writing. One with mistakes leaves the
// version before it in use.
func (f *Folder) look(first bool) error {
	paths, err := listDir(f.Dir)
	if err != nil {
		return err
	}
	if f.files == nil {
		f.files = map[string]*placed{}
	}
	for _, path := range paths {
		if f.files[path] == nil {
			f.files[path] = &placed{}
		}
		f.files[path].read(f, path, first)
	}
	table := map[drover.ProviderName]provider.Info{}
	f.infos = nil
	for path, p := range f.files {
		if !slices.Contains(paths, path) {
			if p.missing {
				delete(f.files, path)
			}
			if p.missing = true; p.info != nil {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		p := f.files[path]
		if p == nil || p.info == nil {
			continue
		}
		if _, taken := table[p.info.Name]; taken {
			if p.doubled != p.version { // once, not at every look
				p.doubled = p.version
				f.say(fmt.Errorf("%s: another file has the name %s", path, p.info.Name))
			}
			continue
		}
		table[p.info.Name] = *p.info
		f.infos = append(f.infos, *p.info)
	}
	f.current.Store(&table)
	return nil
}

// read reads one file, if it has changed.
func (p *placed) read(f *Folder, path string, first bool) {
	p.missing = false
	text, placedAt, err := placedText(path)
	version := versionOf(text)
	if err != nil {
		version = err.Error()
	}
	if version == p.version {
		p.next = version
		return
	}
	if !first && version != p.next {
		p.next = version
		return
	}
	p.version = version
	var file *File
	if err == nil {
		file, err = parsed(path, text)
	}
	if err != nil {
		f.say(err)
		return
	}
	p.info = new(f.info(file, string(text)))
	// Other processes may have had a newer text before this one began. A time that says nothing,
	// as in an image that is built reproducibly, does not count.
	if seen := &p.info.File.SeenAt; first && placedAt.Before(*seen) && placedAt.Year() >= 2000 {
		*seen = placedAt
	}
}
