package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// clients packs the three clients as their languages' registries take them. That of TypeScript was built before.
func (r *release) clients(ctx context.Context) error {
	return errors.Join(r.goModule(), r.npmPackage(ctx), r.pythonPackages(ctx))
}

// goModule is the project as a module proxy serves it; the client is a package of it.
func (r *release) goModule() error {
	var out bytes.Buffer
	version := module.Version{Path: "github.com/drover-fleet/drover", Version: "v" + r.version}
	if err := modzip.CreateFromVCS(&out, version, r.root, r.commit, ""); err != nil {
		return err
	}
	return r.write("drover-go-"+r.version+".zip", out.Bytes())
}

func (r *release) npmPackage(ctx context.Context) error {
	folder := filepath.Join(r.root, "clients/typescript")
	if _, err := os.Stat(filepath.Join(folder, "dist/src/index.js")); err != nil {
		return errors.New("the TypeScript client is not built: make client-typescript")
	}
	packed, err := os.MkdirTemp("", "drover-npm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(packed)
	name, err := r.outputIn(ctx, folder, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", packed)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(packed, name))
	if err != nil {
		return err
	}
	// The umask of the machine would otherwise be in it.
	if content, err = r.levelled(content); err != nil {
		return err
	}
	return r.write(name, content)
}

// buildPython is what Python runs to make a wheel and an archive of the source, without fetching anything.
const buildPython = `import os, sys
from setuptools import build_meta
os.umask(0o022) # that of the machine would otherwise be in the wheel
folder = sys.argv[1] # setuptools changes the arguments
build_meta.build_wheel(folder)
build_meta.build_sdist(folder)`

// pythonPackages makes a wheel and an archive of the source, in a copy of the folder: setuptools leaves files behind.
func (r *release) pythonPackages(ctx context.Context) error {
	python, err := pythonWithWheel(ctx)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "drover-python")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	source, packed := filepath.Join(temporary, "source"), filepath.Join(temporary, "packed")
	names, err := r.output(ctx, "git", "ls-files", "--", "clients/python")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(names, "\n") {
		content, err := r.read(name)
		if err != nil {
			return err
		}
		path := filepath.Join(source, strings.TrimPrefix(name, "clients/python/"))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			return err
		}
		// So would it by the modes of these.
		if err := os.Chmod(path, 0o644); err != nil {
			return err
		}
	}
	if err := os.Mkdir(packed, 0o755); err != nil {
		return err
	}
	if _, err := r.outputIn(ctx, source, python, "-c", buildPython, packed); err != nil {
		return err
	}
	made, err := os.ReadDir(packed)
	if err != nil {
		return err
	}
	for _, file := range made {
		content, err := os.ReadFile(filepath.Join(packed, file.Name()))
		if err == nil && strings.HasSuffix(file.Name(), ".tar.gz") {
			content, err = r.levelled(content)
		}
		if err != nil {
			return err
		}
		// Versions of setuptools differ in the name; this is the one that was agreed upon.
		if err := r.write(strings.Replace(file.Name(), "drover-client", "drover_client", 1), content); err != nil {
			return err
		}
	}
	return nil
}

// levelled is an archive without the times, users, modes and order that the machine gave it.
func (r *release) levelled(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue // the folders come of themselves
		}
		content, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: strings.Replace(h.Name, "drover-client-", "drover_client-", 1), mode: 0o644, content: content})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return tarGz(r.at, entries)
}

// pythonWithWheel is a Python that can make a wheel: that of the system can where another comes before it in the path.
func pythonWithWheel(ctx context.Context) (string, error) {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(ctx, python, "-c", "import setuptools, wheel").Run() == nil {
			return python, nil
		}
	}
	return "", errors.New("no Python has setuptools and wheel: run scripts/test-tools")
}
