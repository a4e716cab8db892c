//go:build clients

package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	api "github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/test/e2e/world"
)

var (
	sandboxLine    = regexp.MustCompile(`with 4 vehicles at (\S+)`)
	connectionLine = regexp.MustCompile(`(?m)^  (\{"integration_name".*\})$`)
	journeyLine    = regexp.MustCompile(`^4 devices, [1-9]\d* trips\n$`)
)

const root = "../.."

// TestPackedClients packs each client as it is published, installs it in a folder where
// nothing else is, and there runs its tests and a whole journey against the program.
func TestPackedClients(t *testing.T) {
	t.Parallel()
	p := serve(t, newSite(t, "sqlite"), collecting...)
	connection := sandboxConnection(t)
	for name, install := range map[string]func(*testing.T, *folder) []string{
		"Go": installGo, "Python": installPython, "TypeScript": installTypeScript,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &folder{path: t.TempDir()}
			journey := install(t, f)
			if out := f.run(t, append(journey, "http://"+p.address, world.Admin, world.Password, connection)...); !journeyLine.MatchString(out) {
				t.Errorf("the journey says %s", out)
			}
		})
	}
}

// sandboxConnection runs a fake provider, as a user would, and returns the connection
// that it says to make.
func sandboxConnection(t *testing.T) string {
	t.Helper()
	p := start(t, "sandbox", "traccar", "--listen", "127.0.0.1:0", "--vehicles", "4")
	p.await(t, p.stdout, sandboxLine)
	return p.await(t, p.stdout, connectionLine)
}

// folder is where a client is installed.
type folder struct {
	path string
	env  []string
}

// run runs a command in the folder and returns what it prints.
func (f *folder) run(t *testing.T, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = f.path, append(os.Environ(), f.env...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s%s", strings.Join(command, " "), err, out.String(), complaints.String())
	}
	return out.String()
}

// copy copies files of the project into the folder.
func (f *folder) copy(t *testing.T, to string, patterns ...string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(f.path, to), 0o755))
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file is %s: %v", pattern, err)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(f.path, to, filepath.Base(path)), text, 0o644))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.Abs(filepath.Join(root, path))
	must(t, err)
	return out
}

const module = "github.com/drover-fleet/drover"

// installGo gets the client from a module proxy, which has the project as it would be
// tagged. It returns the command of the journey.
func installGo(t *testing.T, f *folder) []string {
	t.Helper()
	proxy := t.TempDir()
	publish(t, filepath.Join(proxy, module, "@v"))
	f.env = []string{"GOFLAGS=-mod=mod", "GOMODCACHE=" + filepath.Join(t.TempDir(), "cache"), "GONOSUMDB=" + module, "GOWORK=off"}
	// What is here already of other modules need not be fetched.
	cache := strings.TrimSpace((&folder{path: f.path}).run(t, "go", "env", "GOMODCACHE"))
	known := strings.TrimSpace((&folder{path: f.path}).run(t, "go", "env", "GOPROXY"))
	f.env = append(f.env, fmt.Sprintf("GOPROXY=file://%s,file://%s/cache/download,%s", proxy, cache, known))
	f.run(t, "go", "mod", "init", "example.com/integrator")
	f.run(t, "go", "get", "-modcacherw", module+"/client@v"+api.Version)
	f.copy(t, ".", "client/*_test.go", "client/README.md")
	f.copy(t, "journey", "client/example/journey/main.go")
	for dep := range strings.FieldsSeq(f.run(t, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./journey")) {
		if dep != module+"/client" && dep != "example.com/integrator/journey" {
			t.Errorf("the client needs %s", dep)
		}
	}
	f.run(t, "go", "test", ".")
	f.run(t, "go", "build", "-o", "journey/journey", "./journey")
	return []string{"./journey/journey"}
}

// publish writes the project as a module proxy has a version of it.
func publish(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	version := filepath.Join(dir, "v"+api.Version)
	must(t, os.WriteFile(version+".info", fmt.Appendf(nil, `{"Version":"v%s"}`, api.Version), 0o644))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	must(t, err)
	must(t, os.WriteFile(version+".mod", mod, 0o644))
	file, err := os.Create(version + ".zip")
	must(t, err)
	defer file.Close()
	archive := zip.NewWriter(file)
	listed := (&folder{path: root}).run(t, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	names := strings.Split(strings.TrimRight(listed, "\x00"), "\x00")
	var modules []string // that have a folder of their own
	for _, name := range names {
		if of, found := strings.CutSuffix(name, "/go.mod"); found {
			modules = append(modules, of+"/")
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(modules, func(of string) bool { return strings.HasPrefix(name, of) }) {
			continue
		}
		source, err := os.Open(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // it is deleted, but not yet in a commit
		}
		must(t, err)
		entry, err := archive.Create(module + "@v" + api.Version + "/" + name)
		must(t, err)
		_, err = io.Copy(entry, source)
		must(t, err)
		must(t, source.Close())
	}
	must(t, archive.Close())
}

// installPython makes a wheel, installs it alone, and checks types as a user's project
// would.
func installPython(t *testing.T, f *folder) []string {
	t.Helper()
	source := &folder{path: t.TempDir()}
	source.copy(t, ".", "clients/python/pyproject.toml", "clients/python/README.md", "clients/python/LICENSE")
	source.copy(t, "drover_client", "clients/python/drover_client/*.py", "clients/python/drover_client/py.typed")
	python := pythonWithWheel(t)
	source.run(t, python, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "-w", "packed", ".")
	wheel := filepath.Join(source.path, "packed", "drover_client-"+api.Version+"-py3-none-any.whl")
	f.run(t, python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", "site", wheel)
	f.env = []string{"PYTHONPATH=" + filepath.Join(f.path, "site"), "MYPYPATH=" + filepath.Join(f.path, "site"), "PYTHONDONTWRITEBYTECODE=1"}
	f.copy(t, ".", "clients/python/test_client.py", "clients/python/journey.py", "clients/python/README.md", "clients/python/typed.py")
	f.run(t, "mypy", "--strict", "--no-warn-return-any", "site/drover_client", "typed.py")
	f.run(t, "python3", "test_client.py")
	return []string{"python3", "journey.py"}
}

// pythonWithWheel is a Python that can make a wheel without fetching anything: that of
// the system can where another comes before it in the path.
func pythonWithWheel(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import setuptools, wheel, pip").Run() == nil {
			return python
		}
	}
	t.Fatal("no Python has setuptools, wheel and pip: run scripts/test-tools")
	return ""
}

// installTypeScript packs the built client, installs it, and compiles its tests against
// the types in the package.
func installTypeScript(t *testing.T, f *folder) []string {
	t.Helper()
	packed := t.TempDir()
	(&folder{path: filepath.Join(root, "clients/typescript")}).run(t, "npm", "pack", "--silent", "--pack-destination", packed)
	must(t, os.WriteFile(filepath.Join(f.path, "package.json"), []byte(`{"name":"integrator","private":true,"type":"module"}`), 0o644))
	archive := filepath.Join(packed, "drover-client-"+api.Version+".tgz")
	f.run(t, "npm", "install", "--silent", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", archive)
	f.copy(t, "test", "clients/typescript/test/*.ts")
	tools := absolute(t, "clients/typescript/node_modules")
	f.run(t, filepath.Join(tools, ".bin/tsc"), "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable", "--strict",
		"--noUncheckedIndexedAccess", "--typeRoots", filepath.Join(tools, "@types"), "--types", "node", "--outDir", "built",
		"test/client.test.ts", "test/journey.ts")
	f.run(t, "node", "--test", "built/client.test.js")
	f.run(t, oldestNode(t), "--test", "built/client.test.js")
	return []string{"node", "built/journey.js"}
}

// oldestNode fetches the oldest Node that the client says it runs with, as npm has it.
func oldestNode(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "clients/typescript/package.json"))
	must(t, err)
	var says struct{ Engines struct{ Node string } }
	must(t, json.Unmarshal(text, &says))
	version := strings.TrimPrefix(says.Engines.Node, ">=")
	if !regexp.MustCompile(`^\d+$`).MatchString(version) {
		t.Fatalf("the client runs with Node %q: say from which version on", says.Engines.Node)
	}
	system, arch := runtime.GOOS, map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	name := "node-" + system + "-" + arch
	f := &folder{path: t.TempDir()}
	must(t, os.WriteFile(filepath.Join(f.path, "package.json"), []byte(`{"name":"oldest","private":true}`), 0o644))
	f.run(t, "npm", "install", "--silent", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", name+"@"+version+".0.0")
	node := filepath.Join(f.path, "node_modules", name, "bin", "node")
	if got := strings.TrimSpace(f.run(t, node, "--version")); got != "v"+version+".0.0" {
		t.Fatalf("the oldest Node is %s", got)
	}
	return node
}
