package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// pack is a package with its changes.
type pack struct {
	Dir, ImportPath, Name, Export string
	GoFiles                       []string

	types   map[ast.Expr]types.TypeAndValue
	mutants []mutant
	refused map[string]bool // lines whose changes do not compile
	leftOut int             // changes of these lines
}

// report is what came of the changes of a package.
type report struct {
	survived           []mutant
	all, hung, leftOut int
}

func measure(ctx context.Context, path string) (report, error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return report{}, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	p := &pack{refused: map[string]bool{}}
	if err := p.build(ctx, path, work); err != nil {
		return report{}, err
	}
	text, all, err := p.timed(ctx, work, "-test.v")
	if err != nil {
		return report{}, fmt.Errorf("the tests fail without a change: %w\n%s", err, text)
	}
	slow := slowTests(text)
	_, quick, err := p.timed(ctx, work, "-test.skip="+slow)
	if err != nil {
		return report{}, err
	}
	r := report{all: len(p.mutants), leftOut: p.leftOut}
	lived := make([]bool, len(p.mutants))
	next := make(chan int)
	var wait sync.WaitGroup
	var lock sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				text, err := p.run(ctx, work, i+1, quick, "-test.skip="+slow)
				if err == nil {
					text, err = p.run(ctx, work, i+1, all, "-test.run="+slow)
				}
				lock.Lock()
				lived[i] = err == nil
				if bytes.Contains(text, []byte("panic: test timed out")) {
					r.hung++
				}
				lock.Unlock()
			}
		})
	}
	for i := range p.mutants {
		next <- i
	}
	close(next)
	wait.Wait()
	for i, m := range p.mutants {
		if lived[i] {
			r.survived = append(r.survived, m)
		}
	}
	return r, ctx.Err()
}

// slowTests is an expression for the tests that take long, which run only if the others notice nothing.
func slowTests(text []byte) string {
	names := []string{"none"}
	for _, passed := range regexp.MustCompile(`(?m)^--- PASS: (\w+) \((.*)s\)`).FindAllSubmatch(text, -1) {
		if seconds, err := strconv.ParseFloat(string(passed[2]), 64); err == nil && seconds > 0.2 {
			names = append(names, string(passed[1]))
		}
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// timed runs tests without a change, and says how long they may take with one: a machine may be busy.
func (p *pack) timed(ctx context.Context, work, which string) ([]byte, time.Duration, error) {
	start := time.Now()
	text, err := p.run(ctx, work, 0, time.Hour, which)
	return text, 10*time.Since(start) + 5*time.Second, err
}

// run runs tests with one change, none for 0. A change that fills the memory ends its own process only.
func (p *pack) run(ctx context.Context, work string, id int, limit time.Duration, which string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 8000000; exec "$0" "$@"`, filepath.Join(work, "tests"),
		"-test.failfast", "-test.timeout="+limit.String(), which)
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), "MUTANT="+strconv.Itoa(id), "TMPDIR="+work)
	return cmd.CombinedOutput()
}

// build compiles the tests together with every change, leaving out the lines that the compiler refuses.
func (p *pack) build(ctx context.Context, path, work string) error {
	exports, err := p.list(ctx, path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(files, "gc", open)}
	if _, err := config.Check(p.ImportPath, files, parsed, &info); err != nil {
		return err
	}
	p.types = info.Types
	for {
		if err := p.write(files, parsed, work); err != nil {
			return err
		}
		text, err := exec.CommandContext(ctx, "go", "test", "-c", "-gcflags=-e", "-overlay", filepath.Join(work, "overlay.json"),
			"-o", filepath.Join(work, "tests"), path).CombinedOutput()
		if err == nil {
			return nil
		}
		before := len(p.refused)
		for _, at := range regexp.MustCompile(`(?m)([^/\s]+\.go:\d+):\d+: `).FindAllSubmatch(text, -1) {
			p.refused[string(at[1])] = true
		}
		if len(p.refused) == before {
			return fmt.Errorf("%w\n%s", err, text)
		}
	}
}

// list finds the package's files, and what its imports export.
func (p *pack) list(ctx context.Context, path string) (map[string]string, error) {
	text, err := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=Dir,ImportPath,Name,Export,GoFiles", path).Output()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for all := json.NewDecoder(bytes.NewReader(text)); ; {
		var next pack
		if err := all.Decode(&next); errors.Is(err, io.EOF) {
			return exports, nil // the package itself comes last
		} else if err != nil {
			return nil, err
		}
		exports[next.ImportPath] = next.Export
		p.Dir, p.ImportPath, p.Name, p.GoFiles = next.Dir, next.ImportPath, next.Name, next.GoFiles
	}
}

// write writes the changed files, and which file of the package each stands for.
func (p *pack) write(files *token.FileSet, parsed []*ast.File, work string) error {
	p.mutants, p.leftOut = nil, 0
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	put := func(name, text string) error {
		overlay.Replace[filepath.Join(p.Dir, name)] = filepath.Join(work, name)
		return os.WriteFile(filepath.Join(work, name), []byte(text), 0o600)
	}
	for i, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		s := source{pack: p, text: text, file: files.File(parsed[i].FileStart)}
		if err := put(name, string(text[:s.file.Offset(parsed[i].Package)])+s.rewrite(parsed[i])+"\n"); err != nil {
			return err
		}
	}
	if err := put("mutant.go", helpers(p.Name)); err != nil {
		return err
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "overlay.json"), text, 0o600)
}

// qualify is how a type of another package is named.
func (p *pack) qualify(other *types.Package) string {
	if other.Path() == p.ImportPath {
		return ""
	}
	return other.Name()
}
