package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// project is a small one with the real files that are packed, in a repository of its own.
func project(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "project")
	must(t, os.Mkdir(folder, 0o755))
	put := func(name, text string) {
		path := filepath.Join(folder, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for name := range strings.FieldsSeq(in(t, "..", "git", "ls-files", "--cached", "--others", "--exclude-standard",
		"deploy", "clients/python", "client/version.go", "LICENSE", "CHANGELOG.md")) {
		text, err := os.ReadFile(filepath.Join("..", name))
		must(t, err)
		put(name, string(text))
		if to, err := os.Readlink(filepath.Join("..", name)); err == nil {
			must(t, os.Remove(filepath.Join(folder, name)))
			must(t, os.Symlink(to, filepath.Join(folder, name)))
		}
	}
	put(".gitignore", "/web/out/\ndist/\n")
	put("go.mod", "module github.com/drover-fleet/drover\n\ngo 1.26.0\n")
	put("cmd/drover/main.go", "// Command drover is a small one.\npackage main\n\nvar version string\n\nfunc main() { println(version) }\n")
	put("web/package-lock.json", `{"packages": {"": {}, "node_modules/@s/runs": {"version": "1.2.3", "license": "MIT", "integrity": "sha512-AAEC"},
		"node_modules/builds": {"version": "2.0.0", "dev": true}, "node_modules/@s/runs/node_modules/data": {"version": "3.0.0", "dev": true}}}`)
	put("clients/typescript/package-lock.json", `{"packages": {"": {}}}`)
	put("clients/typescript/package.json", `{"name": "drover-client", "version": "1.0.0", "files": ["dist/src"]}`)
	git(t, folder, "init", "--quiet", ".")
	git(t, folder, "add", ".")
	git(t, folder, "commit", "--quiet", "-m", "all")
	return folder
}

// clone is the project in another folder, with what is built and not in the commit.
func clone(t *testing.T, project string, path ...string) string {
	t.Helper()
	folder := filepath.Join(append([]string{t.TempDir()}, path...)...)
	git(t, project, "clone", "--quiet", ".", folder)
	const notices = "Thank you.\n\n@s/runs 1.2.3  MIT\ndata 3.0.0    see below\n\nand the texts\n"
	for name, text := range map[string]string{"web/out/licences.txt": notices, "clients/typescript/dist/src/index.js": "export {};\n"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return folder
}

// TestRelease makes a release of a small project twice, in two folders, and looks at what is in it.
func TestRelease(t *testing.T) {
	t.Parallel()
	source := project(t)
	first := clone(t, source, "one")
	must(t, run(t.Context(), first, filepath.Join(first, "dist"), ""))
	before := syscall.Umask(0o077) // also of the tests beside this one, which no bits of others matter to
	defer syscall.Umask(before)
	second := clone(t, source, "another", "and", "deeper")
	must(t, run(t.Context(), second, filepath.Join(second, "dist"), ""))
	first, second = filepath.Join(first, "dist"), filepath.Join(second, "dist")
	names := list(t, first)
	want := []string{
		"SHA256SUMS", "drover-1.0.0-1.aarch64.rpm", "drover-1.0.0-1.x86_64.rpm", "drover-1.0.0-darwin-amd64.tar.gz",
		"drover-1.0.0-darwin-arm64.tar.gz", "drover-1.0.0-image.tar", "drover-1.0.0-linux-amd64.tar.gz", "drover-1.0.0-linux-arm64.tar.gz",
		"drover-1.0.0-windows-amd64.zip", "drover-1.0.0.cdx.json", "drover-1.0.0.provenance.json", "drover-chart-1.0.0.tgz", "drover-client-1.0.0.tgz",
		"drover-go-1.0.0.zip", "drover_1.0.0-1_amd64.deb", "drover_1.0.0-1_arm64.deb", "drover_client-1.0.0-py3-none-any.whl",
		"drover_client-1.0.0.tar.gz",
	}
	if !slices.Equal(names, want) || !slices.Equal(names, list(t, second)) {
		t.Fatalf("the artefacts are %q and %q, want %q", names, list(t, second), want)
	}
	for _, name := range names {
		a, b := content(t, first, name), content(t, second, name)
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between two folders", name)
		}
		if bytes.Contains(a, []byte(filepath.Dir(first))) {
			t.Errorf("%s names the folder in which it was made", name)
		}
	}
	in(t, first, "sha256sum", "--check", "--strict", "SHA256SUMS")
	if lines := strings.Count(string(content(t, first, sumsFile)), "\n"); lines != len(names)-1 {
		t.Errorf("SHA256SUMS has %d lines for %d artefacts", lines, len(names)-1)
	}
	checkDeb(t, filepath.Join(first, "drover_1.0.0-1_amd64.deb"))
	checkRpm(t, content(t, first, "drover-1.0.0-1.x86_64.rpm"))
	checkChart(t, content(t, first, "drover-chart-1.0.0.tgz"))
	checkImage(t, filepath.Join(first, "drover-1.0.0-image.tar"))
	checkInventory(t, content(t, first, "drover-1.0.0.cdx.json"))
	commit := strings.TrimSpace(in(t, source, "git", "rev-parse", "HEAD"))
	checkProvenance(t, content(t, first, "drover-1.0.0.provenance.json"), commit, len(names)-2)
	checkSignature(t, first)
}

// TestUncommitted refuses a release of what no one else could make again.
func TestUncommitted(t *testing.T) {
	t.Parallel()
	folder := clone(t, project(t), "changed")
	must(t, os.WriteFile(filepath.Join(folder, "LICENSE"), nil, 0o644))
	if err := run(t.Context(), folder, filepath.Join(folder, "dist"), ""); err == nil || !strings.Contains(err.Error(), "LICENSE") {
		t.Errorf("a changed file is released: %v", err)
	}
}

// TestOutIsEmptied spares folders that hold more than artefacts.
func TestOutIsEmptied(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	root, other, dist := filepath.Join(parent, "root"), filepath.Join(parent, "other"), filepath.Join(parent, "root", "dist")
	for _, folder := range []string{root, dist, filepath.Join(other, ".git")} {
		must(t, os.MkdirAll(folder, 0o700))
	}
	link := filepath.Join(parent, "link")
	must(t, os.Symlink(root, link))
	for _, out := range []string{root, parent, "/", other, link} {
		if err := (&release{root: root, out: out}).empty(); err == nil || !strings.Contains(err.Error(), "is not emptied") {
			t.Errorf("%s: %v", out, err)
		}
	}
	for range 2 { // the second time it is gone
		must(t, (&release{root: root, out: dist}).empty())
	}
	if names := list(t, root); len(names) != 0 {
		t.Errorf("%q is left", names)
	}
}

// TestInventoryWantsLicences refuses a release with a package that says under which licence it is in no place.
func TestInventoryWantsLicences(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"web/out/licences.txt":                 "Thank you.\n\nsaid 1.0.0 MIT\nsilent 2.0.0 see its source\n\ntexts\n",
		"web/package-lock.json":                `{"packages": {"node_modules/said": {"version": "1.0.0"}, "node_modules/silent": {"version": "2.0.0"}}}`,
		"clients/typescript/package-lock.json": `{}`,
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	err := (&release{root: root, out: root, version: "1.0.0"}).inventory(nil)
	if err == nil || !strings.Contains(err.Error(), "pkg:npm/silent@2.0.0 has no licence") {
		t.Errorf("it ended with %v", err)
	}
}

// TestFailedBuildLeavesNothing has a program that does not compile. It sets a variable, so it is not parallel.
func TestFailedBuildLeavesNothing(t *testing.T) { // see above
	source := project(t)
	must(t, os.WriteFile(filepath.Join(source, "cmd/drover/main.go"), []byte("package main\n\nfunc main() { broken }\n"), 0o644))
	git(t, source, "commit", "--quiet", "--all", "-m", "broken")
	folder := clone(t, source, "broken")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if err := run(t.Context(), folder, filepath.Join(folder, "dist"), ""); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("it ended with %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "drover-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind, %v", left, err)
	}
}

// checkDeb looks at the files of a package as dpkg sees them, and at its scripts.
func checkDeb(t *testing.T, path string) {
	t.Helper()
	list := in(t, ".", "dpkg-deb", "--contents", path)
	for _, want := range []string{
		"-rwxr-xr-x root/root", " ./usr/bin/drover\n", " ./usr/lib/systemd/system/drover.service\n", "-rw------- root/root", " ./etc/drover/drover.env\n",
		" ./usr/share/doc/drover/copyright\n", " ./usr/share/doc/drover/THIRD-PARTY-LICENCES.txt\n",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the package has no %q:\n%s", want, list)
		}
	}
	if info := in(t, ".", "dpkg-deb", "--info", path, "conffiles"); info != "/etc/drover/drover.env\n" {
		t.Errorf("files that keep their changes are %q", info)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if text := in(t, ".", "dpkg-deb", "--info", path, script); !strings.HasPrefix(text, "#!/bin/sh\n") || strings.Contains(text, "rm -r") {
			t.Errorf("%s is %q", script, text)
		}
	}
}

// checkChart finds what helm looks for, and the alerts themselves in place of the link to them.
func checkChart(t *testing.T, packed []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	found := map[string]string{}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		text, err := io.ReadAll(archive)
		must(t, err)
		if found[h.Name] = string(text); h.Typeflag != tar.TypeReg || h.Mode != 0o644 {
			t.Errorf("the chart has %+v", h)
		}
	}
	for name, want := range map[string]string{
		"drover/Chart.yaml": "version: 1.0.0\n", "drover/values.yaml": "image:\n", "drover/values.schema.json": "{", "drover/alerts.yml": "alert: ",
		"drover/templates/deployment.yaml": "drover.deployment", "drover/.helmignore": "",
	} {
		if text, ok := found[name]; !ok || !strings.Contains(text, want) {
			t.Errorf("of the chart %s is %q", name, text)
		}
	}
}

// checkImage holds the image to what a cluster asks: a user that is not root, a health check, and both kinds of machine.
func checkImage(t *testing.T, path string) {
	t.Helper()
	folder := t.TempDir()
	in(t, folder, "tar", "-xf", path)
	p, err := layout.FromPath(folder)
	must(t, err)
	top, err := p.ImageIndex()
	must(t, err)
	must(t, validate.Index(top))
	manifest, err := top.IndexManifest()
	must(t, err)
	index, err := top.ImageIndex(manifest.Manifests[0].Digest)
	must(t, err)
	manifest, err = index.IndexManifest()
	must(t, err)
	var arches []string
	for _, m := range manifest.Manifests {
		arches = append(arches, m.Platform.Architecture)
		image, err := index.Image(m.Digest)
		must(t, err)
		config, err := image.ConfigFile()
		must(t, err)
		c := config.Config
		if c.User != "65532:65532" || c.Healthcheck == nil || !slices.Equal(c.Healthcheck.Test, []string{"CMD", "/usr/local/bin/drover", "health"}) ||
			config.Architecture != m.Platform.Architecture || c.Labels["org.opencontainers.image.version"] != "1.0.0" {
			t.Errorf("the image is configured with %+v", config)
		}
		checkLayers(t, image)
	}
	if !slices.Equal(arches, []string{"amd64", "arm64"}) {
		t.Errorf("there are images for %q", arches)
	}
}

// checkLayers finds the program, certificates, and one folder that the user can write.
func checkLayers(t *testing.T, image v1.Image) {
	t.Helper()
	found := map[string]*tar.Header{}
	layers, err := image.Layers()
	must(t, err)
	for _, layer := range layers {
		r, err := layer.Uncompressed()
		must(t, err)
		for archive := tar.NewReader(r); ; {
			h, err := archive.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			found[h.Name] = h
		}
	}
	if h := found["usr/local/bin/drover"]; h == nil || h.Mode != 0o755 || h.Uid != 0 {
		t.Errorf("the program is %+v", h)
	}
	if h := found["var/lib/drover/"]; h == nil || h.Mode != 0o700 || h.Uid != nonroot {
		t.Errorf("the data folder is %+v", h)
	}
	if h := found["etc/ssl/certs/ca-certificates.crt"]; h == nil || h.Size < 100_000 {
		t.Errorf("the certificates are %+v", h)
	}
}

// checkInventory finds what runs, and not what only builds.
func checkInventory(t *testing.T, text []byte) {
	t.Helper()
	var bom cdx.BOM
	must(t, cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom))
	var names []string
	for _, c := range *bom.Components {
		names = append(names, c.Name+" "+c.Version)
		if c.Licenses == nil {
			t.Errorf("%s has no licence", c.Name)
		}
	}
	goVersion := strings.TrimPrefix(strings.TrimSpace(in(t, ".", "go", "env", "GOVERSION")), "go")
	if want := []string{"std " + goVersion, "@s/runs 1.2.3", "data 3.0.0"}; !slices.Equal(names, want) {
		t.Errorf("the inventory has %q, want %q", names, want)
	}
	if bom.Metadata.Component.Version != "1.0.0" || !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") {
		t.Errorf("the inventory is of %+v, %s", bom.Metadata.Component, bom.SerialNumber)
	}
}

// TestModulesOfAProgram reads the modules from a program itself, that of this test.
func TestModulesOfAProgram(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	must(t, err)
	info, err := buildinfo.ReadFile(program)
	must(t, err)
	parts := map[string]cdx.Component{}
	must(t, addModules(parts, program, map[string]string{"golang.org/x/mod@v0.42.0": "BSD-3-Clause"}))
	if len(info.Deps) == 0 || len(parts) != len(info.Deps)+1 {
		t.Errorf("%d parts of a program with %d modules", len(parts), len(info.Deps))
	}
	if c := parts["pkg:golang/golang.org/x/mod@v0.42.0"]; c.Licenses == nil || (*c.Licenses)[0].License.ID != "BSD-3-Clause" {
		t.Errorf("a module is %+v", c)
	}
}

// checkProvenance finds the commit, the tools, and each artefact.
func checkProvenance(t *testing.T, text []byte, commit string, artefacts int) {
	t.Helper()
	var p struct {
		Subject   []struct{ Name string }
		Predicate struct {
			BuildDefinition struct {
				InternalParameters   struct{ Tools map[string]string }
				ResolvedDependencies []struct{ Digest struct{ GitCommit string } }
			}
		}
	}
	must(t, json.Unmarshal(text, &p))
	d := p.Predicate.BuildDefinition
	if len(p.Subject) != artefacts || d.ResolvedDependencies[0].Digest.GitCommit != commit || !strings.HasPrefix(d.InternalParameters.Tools["go"], "go1.") {
		t.Errorf("%d artefacts come of %+v", len(p.Subject), d)
	}
}

// checkSignature signs with a key that is made here, verifies as the guide says, and refuses what was changed.
func checkSignature(t *testing.T, out string) {
	t.Helper()
	keys := t.TempDir()
	key, signers := filepath.Join(keys, "key"), filepath.Join(keys, "allowed_signers")
	in(t, keys, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key)
	must(t, os.WriteFile(signers, append([]byte("release@drover.example "), content(t, keys, "key.pub")...), 0o600))
	r := &release{out: out}
	must(t, r.sign(t.Context(), key))
	verify := func(text []byte) error {
		c := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I", "release@drover.example", "-n", "file",
			"-s", filepath.Join(out, sumsFile+".sig"))
		c.Stdin = bytes.NewReader(text)
		return c.Run()
	}
	sums := content(t, out, sumsFile)
	must(t, verify(sums))
	sums[0] ^= 1
	if verify(sums) == nil {
		t.Error("changed sums pass")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// in runs a program in a folder and returns what it prints.
func in(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = folder
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

func git(t *testing.T, folder string, args ...string) {
	t.Helper()
	in(t, folder, "git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)...)
}

func content(t *testing.T, folder, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	must(t, err)
	return text
}

func list(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	must(t, err)
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
