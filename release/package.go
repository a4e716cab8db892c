package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// packages makes a .deb and an .rpm for each kind of Linux: the program, its unit, and a file for its
// settings, which stays as it was changed. The scripts make a user of its own.
func (r *release) packages(programs []program) error {
	papers, err := r.papers()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "drover-papers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, p := range papers {
		if err := os.WriteFile(filepath.Join(folder, p.name), p.content, 0o600); err != nil {
			return err
		}
	}
	for _, p := range programs {
		if p.system != "linux" {
			continue
		}
		for _, kind := range []struct {
			packager nfpm.Packager
			needs    string
		}{{deb.Default, "passwd"}, {rpm.DefaultRPM, "shadow-utils"}} {
			if err := r.pack(kind.packager, p, kind.needs, folder); err != nil {
				return fmt.Errorf("package for %s: %w", p.platform(), err)
			}
		}
	}
	return nil
}

func (r *release) pack(packager nfpm.Packager, p program, needs, papers string) error {
	file := func(source, target, kind string, mode fs.FileMode) *files.Content {
		return &files.Content{Source: source, Destination: target, Type: kind, FileInfo: &files.ContentFileInfo{
			Owner: "root", Group: "root", Mode: mode, MTime: r.at,
		}}
	}
	deploy := func(name string) string { return filepath.Join(r.root, "deploy", name) }
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "drover", Version: r.version, Release: "1", Arch: p.arch, Platform: p.system, MTime: r.at, DisableGlobbing: true,
		Section: "net", Priority: "optional", License: "Apache-2.0", Vendor: "drover-fleet",
		Maintainer: "drover-fleet <drover-fleet@users.noreply.github.com>",
		Homepage:   "https://github.com/drover-fleet/drover",
		Description: "One API over telematics providers\n" +
			"A service that reads vehicles, positions and trips from the telematics\n" +
			"providers of a company, and serves them in one form.",
		Overridables: nfpm.Overridables{
			Depends: []string{needs}, Recommends: []string{"ca-certificates"},
			Contents: files.Contents{
				file(p.path, "/usr/bin/drover", "", 0o755),
				file(deploy("drover.service"), "/usr/lib/systemd/system/drover.service", "", 0o644),
				file(deploy("package/drover.env"), "/etc/drover/drover.env", "config|noreplace", 0o600),
				file(filepath.Join(papers, "LICENSE"), "/usr/share/doc/drover/copyright", "", 0o644),
				file(filepath.Join(papers, "THIRD-PARTY-LICENCES.txt"), "/usr/share/doc/drover/THIRD-PARTY-LICENCES.txt", "", 0o644),
				file(filepath.Join(papers, "CHANGELOG.md"), "/usr/share/doc/drover/CHANGELOG.md", "", 0o644),
			},
			Scripts: nfpm.Scripts{
				PostInstall: deploy("package/postinstall"), PreRemove: deploy("package/preremove"), PostRemove: deploy("package/postremove"),
			},
			// The name of the machine that packs would otherwise be in it.
			RPM: nfpm.RPM{BuildHost: "drover", Summary: "One API over telematics providers"},
		},
	})
	if err := nfpm.PrepareForPackager(info, packagerName(packager)); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := packager.Package(info, &out); err != nil {
		return err
	}
	return r.write(packager.ConventionalFileName(info), out.Bytes())
}

func packagerName(p nfpm.Packager) string {
	if p == nfpm.Packager(deb.Default) {
		return "deb"
	}
	return "rpm"
}
