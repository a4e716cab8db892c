package backup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// dump copies a database with PostgreSQL's own tool, which sees one moment of it.
func dump(ctx context.Context, address, to string) error {
	return runTool(ctx, "pg_dump", address, "--format=custom", "--no-owner", "--no-privileges", "--file="+to)
}

// load brings a copy back into an empty database, as a whole or not at all.
func load(ctx context.Context, address, from string) error {
	return runTool(ctx, "pg_restore", address, "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", from)
}

// runTool runs a tool of PostgreSQL on a database. The password goes by the
// environment: anyone on the machine reads a command line.
func runTool(ctx context.Context, name, address string, args ...string) error {
	path, err := findTool(name)
	if err != nil {
		return err
	}
	shown, password, err := withoutPassword(address)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, append([]string{"--dbname=" + shown},
		args...)...) //nolint:gosec // a tool that was found, arguments of ours
	c.Env = os.Environ()
	if password != "" {
		c.Env = append(c.Env, "PGPASSWORD="+password)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(out))
		if password != "" {
			text = strings.ReplaceAll(text, password, "********")
		}
		return fmt.Errorf("%s: %w: %s", name, err, text)
	}
	return nil
}

// withoutPassword takes the password out of an address.
func withoutPassword(address string) (shown, password string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("the database URL cannot be read")
	}
	if p, ok := u.User.Password(); ok {
		password, u.User = p, url.User(u.User.Username())
	}
	query := u.Query()
	if query.Has("password") {
		password = query.Get("password")
		query.Del("password")
		u.RawQuery = query.Encode()
	}
	return u.String(), password, nil
}

// findTool looks on the path and where Debian keeps the tools of each version, the
// newest first: it reads all older servers.
func findTool(name string) (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is right
	slices.SortFunc(found, func(a, b string) int { return toolVersion(b) - toolVersion(a) })
	if len(found) > 0 {
		return found[0], nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed; on Debian: apt-get install postgresql-client", name)
	}
	return path, nil
}

func toolVersion(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // other names sort last
	return n
}
