package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is the service, built for one kind of machine.
type program struct {
	system, arch string
	path         string
}

func (p program) platform() string { return p.system + "-" + p.arch }

// How large the program may be, with its console: on Linux, which servers run, and elsewhere, where the formats of
// programs take about a MiB more for the same code.
const (
	maxProgram      = 48 << 20
	maxProgramOther = 50 << 20
)

// linkerFlags leave out what debuggers read.
const linkerFlags = "-s -w -X main.version="

// build builds the program for each kind of machine. Nothing of the folder, of the machine and of
// the time gets into it.
func (r *release) build(ctx context.Context) (built []program, err error) {
	folder, err := os.MkdirTemp("", "drover-release")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder) // the error says what matters
		}
	}()
	programs := []program{
		{system: "linux", arch: "amd64"},
		{system: "linux", arch: "arm64"},
		{system: "darwin", arch: "amd64"},
		{system: "darwin", arch: "arm64"},
		{system: "windows", arch: "amd64"},
	}
	for i := range programs {
		p := &programs[i]
		p.path = filepath.Join(folder, p.platform())
		c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", linkerFlags+r.version,
			"-o", p.path, "./cmd/drover")
		c.Dir = r.root
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOOS="+p.system, "GOARCH="+p.arch)
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build for %s: %w: %s", p.platform(), err, out)
		}
		info, err := os.Stat(p.path)
		if err != nil {
			return nil, err
		}
		most := int64(maxProgramOther)
		if p.system == "linux" {
			most = maxProgram
		}
		if info.Size() > most {
			return nil, fmt.Errorf("the program for %s has %d bytes, more than %d", p.platform(), info.Size(), most)
		}
		fmt.Printf("%-14s %5.1f MiB\n", p.platform(), float64(info.Size())/(1<<20))
	}
	return programs, nil
}

// papers are the texts that belong to the program wherever it is: its licence, and those of what others wrote.
func (r *release) papers() ([]entry, error) {
	licence, err := r.read("LICENSE")
	if err != nil {
		return nil, err
	}
	changes, err := r.read("CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	notices, err := r.notices()
	if err != nil {
		return nil, err
	}
	return []entry{
		{name: "CHANGELOG.md", mode: 0o644, content: changes},
		{name: "LICENSE", mode: 0o644, content: licence},
		{name: "THIRD-PARTY-LICENCES.txt", mode: 0o644, content: notices},
	}, nil
}

// notices are the licences of what others wrote, which the console's build collects.
func (r *release) notices() ([]byte, error) {
	notices, err := r.read("web/out/licences.txt")
	if err != nil {
		return nil, fmt.Errorf("the console is not built: %w", err)
	}
	return notices, nil
}

// chart packs the Helm chart. The link to the alerts is followed: helm packs what it leads to.
func (r *release) chart(ctx context.Context) error {
	const folder = "deploy/helm/"
	names, err := r.output(ctx, "git", "ls-files", "--", folder+"drover")
	if err != nil {
		return err
	}
	var entries []entry
	for name := range strings.SplitSeq(names, "\n") {
		content, err := r.read(name)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name: strings.TrimPrefix(name, folder), mode: 0o644, content: content})
	}
	packed, err := tarGz(r.at, entries)
	if err != nil {
		return err
	}
	return r.write("drover-chart-"+r.version+".tgz", packed)
}

// archives packs each program with its papers.
func (r *release) archives(programs []program) error {
	papers, err := r.papers()
	if err != nil {
		return err
	}
	for _, p := range programs {
		name, pack, ending, file := "drover-"+r.version+"-"+p.platform(), tarGz, ".tar.gz", "drover"
		if p.system == "windows" {
			pack, ending, file = zipped, ".zip", "drover.exe"
		}
		content, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		entries := []entry{{name: name + "/" + file, mode: 0o755, content: content}}
		for _, paper := range papers {
			paper.name = name + "/" + paper.name
			entries = append(entries, paper)
		}
		packed, err := pack(r.at, entries)
		if err != nil {
			return err
		}
		if err := r.write(name+ending, packed); err != nil {
			return err
		}
	}
	return nil
}
