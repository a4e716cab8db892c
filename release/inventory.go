package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// inventory writes what the program and the clients are made of that others wrote: the modules that
// the linker put into the programs, and the packages that are in the console and that the client needs.
// What only builds is not in it.
func (r *release) inventory(programs []program) error {
	notices, err := r.notices()
	if err != nil {
		return err
	}
	licences := licencesOf(string(notices))
	parts := map[string]cdx.Component{}
	for _, p := range programs {
		if err := addModules(parts, p.path, licences); err != nil {
			return err
		}
	}
	if err := r.addPackages(parts, "web/package-lock.json", licences); err != nil {
		return err
	}
	if err := r.addPackages(parts, "clients/typescript/package-lock.json", nil); err != nil {
		return err
	}
	self := "pkg:golang/github.com/drover-fleet/drover@v" + r.version
	number := sha256.Sum256([]byte(self + "#" + r.commit)) // the same for the same commit
	bom := cdx.NewBOM()
	bom.SerialNumber = uuidForm(number[:16])
	bom.Metadata = &cdx.Metadata{Timestamp: r.at.Format(time.RFC3339), Component: &cdx.Component{
		BOMRef: self, Type: cdx.ComponentTypeApplication, Name: "drover", Version: r.version, PackageURL: self, Licenses: licence("Apache-2.0"),
	}}
	refs := slices.Sorted(maps.Keys(parts))
	components := make([]cdx.Component, len(refs))
	for i, ref := range refs {
		if components[i] = parts[ref]; components[i].Licenses == nil {
			return fmt.Errorf("%s has no licence that is known: see web/out/licences.txt", ref)
		}
	}
	bom.Components, bom.Dependencies = &components, &[]cdx.Dependency{{Ref: self, Dependencies: &refs}}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return err
	}
	return r.write("drover-"+r.version+".cdx.json", out.Bytes())
}

// uuidForm writes sixteen bytes as a number that was derived from a name.
func uuidForm(b []byte) string {
	b = bytes.Clone(b)
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// licencesOf reads the list at the beginning of the notices: a name with its version, and a licence.
func licencesOf(notices string) map[string]string {
	out := map[string]string{}
	_, list, _ := strings.Cut(notices, "\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		if words := strings.Fields(line); len(words) >= 3 {
			out[words[0]+"@"+words[1]] = strings.Join(words[2:], " ")
		}
	}
	return out
}

// addModules adds the modules of a program, and the Go that it was built with.
func addModules(parts map[string]cdx.Component, path string, licences map[string]string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	purl := "pkg:golang/std@" + goVersion
	parts[purl] = cdx.Component{
		BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: "std", Version: goVersion, PackageURL: purl,
		Scope: cdx.ScopeRequired, Licenses: licence("BSD-3-Clause"),
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		purl := "pkg:golang/" + m.Path + "@" + url.PathEscape(m.Version)
		parts[purl] = cdx.Component{
			BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: purl, Scope: cdx.ScopeRequired,
			Licenses:   licence(licences[m.Path+"@"+m.Version]),
			Properties: &[]cdx.Property{{Name: "go:sum", Value: m.Sum}},
		}
	}
	return nil
}

// lockedPackage is a package in a lock file of npm.
type lockedPackage struct {
	Version   string `json:"version"`
	Licence   string `json:"license"`
	Integrity string `json:"integrity"`
	Dev       bool   `json:"dev"`
}

// addPackages adds the packages of a lock file that run, and those of its build that the notices name: their data
// is in the console.
func (r *release) addPackages(parts map[string]cdx.Component, file string, notices map[string]string) error {
	text, err := r.read(file)
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]lockedPackage `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for path, p := range lock.Packages {
		at := strings.LastIndex(path, "node_modules/")
		if at < 0 {
			continue // the project itself
		}
		name := path[at+len("node_modules/"):]
		if p.Dev && notices[name+"@"+p.Version] == "" {
			continue
		}
		purl := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		c := cdx.Component{
			BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: p.Version, PackageURL: purl, Scope: cdx.ScopeRequired,
			Licenses: licence(cmp.Or(p.Licence, notices[name+"@"+p.Version])),
		}
		if sum, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", file, name, err)
			}
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(raw)}}
		}
		parts[purl] = c
	}
	return nil
}

// licence names a licence by its identifier where it has one.
func licence(name string) *cdx.Licenses {
	switch {
	case name == "", name == "see its source": // as the notices say where they found none
		return nil
	case strings.ContainsAny(name, "()") || strings.Contains(name, " OR ") || strings.Contains(name, " AND "):
		return &cdx.Licenses{{Expression: name}}
	case strings.Contains(name, " "):
		return &cdx.Licenses{{License: &cdx.License{Name: name}}}
	default:
		return &cdx.Licenses{{License: &cdx.License{ID: name}}}
	}
}
