package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sumsFile has the sums of all artefacts, and is what a signature is of.
const sumsFile = "SHA256SUMS"

// artefact is a file of the release with its sum.
type artefact struct {
	name, sum string
}

// made are the artefacts so far, by name.
func (r *release) made() ([]artefact, error) {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	out := make([]artefact, len(files))
	for i, file := range files {
		content, err := os.ReadFile(filepath.Join(r.out, file.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		out[i] = artefact{file.Name(), hex.EncodeToString(sum[:])}
	}
	return out, nil
}

// provenance writes from which commit, with which tools and by which command the artefacts were made, in the form of SLSA.
// There is no time in it and no machine: the same commit gives the same text.
func (r *release) provenance(ctx context.Context) error {
	artefacts, err := r.made()
	if err != nil {
		return err
	}
	type object map[string]any
	var subjects []object
	for _, a := range artefacts {
		subjects = append(subjects, object{"name": a.name, "digest": object{"sha256": a.sum}})
	}
	tools, err := r.tools(ctx)
	if err != nil {
		return err
	}
	const source = "git+https://github.com/drover-fleet/drover"
	text, err := json.MarshalIndent(object{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": object{
			"buildDefinition": object{
				"buildType":            "https://github.com/drover-fleet/drover/tree/main/release",
				"externalParameters":   object{"command": "make release", "version": r.version, "sourceDateEpoch": r.at.Unix()},
				"internalParameters":   object{"tools": tools},
				"resolvedDependencies": []object{{"uri": source, "digest": object{"gitCommit": r.commit}}},
			},
			"runDetails": object{"builder": object{"id": source + "/release"}},
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	return r.write("drover-"+r.version+".provenance.json", append(text, '\n'))
}

// tools are the versions of what builds and packs.
func (r *release) tools(ctx context.Context) (map[string]string, error) {
	python, err := pythonWithWheel(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, command := range map[string][]string{
		"go":         {"go", "env", "GOVERSION"},
		"node":       {"node", "--version"},
		"npm":        {"npm", "--version"},
		"python":     {python, "-c", "import platform; print(platform.python_version())"},
		"setuptools": {python, "-c", "import setuptools; print(setuptools.__version__)"},
	} {
		if out[name], err = r.output(ctx, command[0], command[1:]...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sums writes the sums as sha256sum reads them.
func (r *release) sums() error {
	artefacts, err := r.made()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, a := range artefacts {
		fmt.Fprintf(&b, "%s  %s\n", a.sum, a.name)
	}
	return r.write(sumsFile, []byte(b.String()))
}

// sign signs the sums with an ssh key. ssh-keygen does it, so the key may also be with an agent or in a token, and
// everyone has what verifies it.
func (r *release) sign(ctx context.Context, key string) error {
	key, err := filepath.Abs(key)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "file", filepath.Join(r.out, sumsFile))
	c.Stdin, c.Stderr = os.Stdin, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("sign with ssh-keygen: %w", err)
	}
	return nil
}
