package config

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// File reads a configuration file: a line `name = value` for each flag, # before
// a comment, a repeatable flag on several lines. It is a kong.ConfigurationLoader.
func File(r io.Reader) (kong.Resolver, error) {
	values := map[string][]string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d of the configuration file is not of the form name = value", n)
		}
		name = strings.TrimSpace(name)
		values[name] = append(values[name], strings.TrimSpace(value))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the configuration file: %w", err)
	}
	return fileResolver(values), nil
}

// fileResolver gives the file's values to flags that were set nowhere else.
type fileResolver map[string][]string

// Validate refuses names that are no flag of any command: a misspelt setting
// must not be ignored.
func (f fileResolver) Validate(app *kong.Application) error {
	known := []string{}
	walk(app.Node, func(flag *kong.Flag) { known = append(known, flag.Name) })
	for name := range f {
		if !slices.Contains(known, name) {
			return fmt.Errorf("the configuration file sets %q, which is not a setting", name)
		}
	}
	return nil
}

// Resolve is called for each flag that the command line did not set. The
// environment goes before the file.
func (f fileResolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	values, ok := f[flag.Name]
	if !ok || slices.ContainsFunc(flag.Envs, isSet) {
		return nil, nil // kong's way to say: not here
	}
	return strings.Join(values, ","), nil
}

func isSet(name string) bool {
	_, set := os.LookupEnv(name)
	return set
}
