// Command release builds every artefact of a release from one commit: programs, packages, an
// image, the clients, an inventory, provenance, and checksums. The same commit and the same tools
// give the same bytes, in any folder and at any time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	root := flag.String("root", "..", "folder of the project")
	out := flag.String("out", "../dist", "folder for the artefacts, which is emptied first")
	key := flag.String("sign", "", "ssh key, or its public part where an agent has the key, that signs SHA256SUMS")
	flag.Parse()
	if err := run(context.Background(), *root, *out, *key); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, out, key string) error {
	r, err := newRelease(ctx, root, out)
	if err != nil {
		return err
	}
	if err := r.make(ctx); err != nil {
		return err
	}
	if key != "" {
		return r.sign(ctx, key)
	}
	return nil
}

// release is what is made: one version of one commit.
type release struct {
	root, out string
	version   string
	commit    string
	at        time.Time // that of the commit, which all files get
}

// versionLine is where the version is written down; the clients and their packages have it from there.
var versionLine = regexp.MustCompile(`const Version = "(\d+\.\d+\.\d+[-+.0-9A-Za-z]*)"`)

func newRelease(ctx context.Context, root, out string) (*release, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	r := &release{root: root, out: out}
	text, err := os.ReadFile(filepath.Join(root, "client/version.go"))
	if err != nil {
		return nil, err
	}
	found := versionLine.FindSubmatch(text)
	if found == nil {
		return nil, errors.New("client/version.go has no version")
	}
	r.version = string(found[1])
	if changed, err := r.output(ctx, "git", "status", "--porcelain"); err != nil || changed != "" {
		return nil, errors.Join(err, fmt.Errorf("a release is made of what is in a commit, but these differ:\n%s", changed))
	}
	if r.commit, err = r.output(ctx, "git", "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	seconds, err := r.output(ctx, "git", "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return nil, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	r.at = time.Unix(unix, 0).UTC()
	return r, err
}

// make makes all artefacts, in the order in which they need each other.
func (r *release) make(ctx context.Context) error {
	if err := r.empty(); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	programs, err := r.build(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(programs[0].path))
	steps := []func() error{
		func() error { return r.archives(programs) },
		func() error { return r.packages(programs) },
		func() error { return r.image(programs) },
		func() error { return r.chart(ctx) },
		func() error { return r.clients(ctx) },
		func() error { return r.inventory(programs) },
		func() error { return r.provenance(ctx) },
		r.sums,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// empty removes what is in the folder for the artefacts. One that holds the project, or is a repository, was
// named by mistake.
func (r *release) empty() error {
	out, err := filepath.EvalSymlinks(r.out)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	root, failed := filepath.EvalSymlinks(r.root)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	within, err := filepath.Rel(out, root)
	if err != nil {
		return err
	}
	_, err = os.Lstat(filepath.Join(out, ".git"))
	if filepath.IsLocal(within) || err == nil {
		return fmt.Errorf("%s is not emptied: it holds the project, or a repository", r.out)
	}
	return os.RemoveAll(r.out)
}

// output runs a program in the project's folder and returns what it prints.
func (r *release) output(ctx context.Context, name string, args ...string) (string, error) {
	return r.outputIn(ctx, r.root, name, args...)
}

func (r *release) outputIn(ctx context.Context, folder, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.at.Unix(), 10))
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, complaints.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// write adds an artefact.
func (r *release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}

// read reads a file of the project.
func (r *release) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
}
