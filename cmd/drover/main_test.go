package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// asProgram has the test's binary be the program, for tests that run it in a shell.
const asProgram = "DROVER_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		_ = os.Unsetenv(asProgram) // it is no setting of the program's
		main()
	}
	storetest.Main(m)
}

// result is what a command left behind.
type result struct {
	code     int
	out, err string
}

// execute carries out a command line. Input is its standard input.
func execute(ctx context.Context, input string, args ...string) result {
	var out, err bytes.Buffer
	code := run(world{ctx, strings.NewReader(input), &out, &err}, args)
	return result{code, out.String(), err.String()}
}

// succeed carries out a command that has to work, and returns what it printed.
func succeed(t *testing.T, input string, args ...string) string {
	t.Helper()
	r := execute(t.Context(), input, args...)
	if r.code != 0 || r.err != "" {
		t.Fatalf("drover %s: exit code %d: %s", strings.Join(args, " "), r.code, r.err)
	}
	return r.out
}

// refuse carries out a command that has to fail with one line that holds want.
func refuse(t *testing.T, want, input string, args ...string) {
	t.Helper()
	endWith(t, exitFailed, want, input, args...)
}

// misuse carries out a command line that is wrong itself, which is said in the same way.
func misuse(t *testing.T, want, input string, args ...string) {
	t.Helper()
	endWith(t, exitUsage, want, input, args...)
}

func endWith(t *testing.T, code int, want, input string, args ...string) {
	t.Helper()
	r := execute(t.Context(), input, args...)
	line := strings.TrimSuffix(r.err, "\n")
	if r.code != code || !strings.HasPrefix(line, "drover: ") || strings.Contains(line, "\n") || !strings.Contains(line, want) {
		t.Errorf("drover %s: exit code %d and %q, want %d and one line with %q", strings.Join(args, " "), r.code, r.err, code, want)
	}
	if r.out != "" {
		t.Errorf("drover %s prints %q besides", strings.Join(args, " "), r.out)
	}
}

// folder is a data folder that does not exist yet.
func folder(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data")
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// commands are all command lines that run something.
func commands(t *testing.T) [][]string {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, leaf := range parser.Model.Leaves(false) {
		all = append(all, strings.Fields(strings.TrimPrefix(leaf.FullPath(), parser.Model.Name)))
	}
	return all
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	t.Parallel()
	all := commands(t)
	if len(all) < 20 {
		t.Fatalf("only %d commands were found: %q", len(all), all)
	}
	for _, command := range all {
		r := execute(t.Context(), "", append(command, "--help")...)
		name := "drover " + strings.Join(command, " ")
		if r.code != 0 || r.err != "" || !strings.HasPrefix(r.out, "Usage: "+name) {
			t.Errorf("%s --help: exit code %d, %q, %q", name, r.code, r.out, r.err)
		}
		_, example, found := strings.Cut(r.out, "Example:")
		if !found || !strings.Contains(example, name) {
			t.Errorf("%s --help shows no example of it:\n%s", name, r.out)
		}
	}
}

// TestExamplesParse keeps the examples in step with the flags.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	for _, command := range commands(t) {
		help := execute(t.Context(), "", append(command, "--help")...).out
		_, help, _ = strings.Cut(help, "Example:")
		for line := range strings.Lines(help) {
			words := strings.Fields(strings.SplitN(line, "<", 2)[0])
			if len(words) < 2 || words[0] != "drover" || !strings.HasPrefix(line, "  ") {
				continue
			}
			var c cli
			parser, err := kong.New(&c, kong.Writers(io.Discard, io.Discard))
			if err != nil {
				t.Fatal(err)
			}
			// The file of the example does not exist here.
			args := strings.Split(strings.ReplaceAll(strings.Join(words[1:], " "), "--config /etc/drover.conf", ""), " ")
			if _, err := parse(parser, &c, strings.Fields(strings.Join(args, " "))); err != nil {
				t.Errorf("the example %q: %v", strings.TrimSpace(line), err)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if got := succeed(t, "", "version"); !strings.HasPrefix(got, "drover ") {
		t.Errorf("version prints %q", got)
	}
	if got, want := succeed(t, "", "--version"), succeed(t, "", "version"); got != want {
		t.Errorf("--version prints %q, version %q", got, want)
	}
}

// TestBareCommandShowsHelp: a first user types the name alone.
func TestBareCommandShowsHelp(t *testing.T) {
	t.Parallel()
	if got, want := succeed(t, ""), succeed(t, "", "--help"); got != want || !strings.Contains(got, "serve") {
		t.Errorf("drover alone prints %q", got)
	}
}

// TestAddressesHaveASchema: an address without one would be taken for a path, or fail later
// in words about something else.
func TestAddressesHaveASchema(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"login", "drover.example"},
		{"login", "localhost:8080"},
		{"serve", "--public-url", "drover.example"},
		{"listen", "--forward", "localhost:3000/hook"},
		{"api", "GET", "/device", "--url", "drover.example", "--api-key", "drv_x"},
	} {
		misuse(t, "https://", "", args...)
	}
	misuse(t, "whsec_", "", "webhook", "listen", "--secret", "secret")
	misuse(t, "whsec_", "", "listen", "--forward", "http://localhost:3000", "--secret", "secret")
}

func TestUnknownWords(t *testing.T) {
	t.Parallel()
	misuse(t, "unexpected argument", "", "bogus")
	misuse(t, "unknown flag --bogus", "", "serve", "--bogus")
	misuse(t, "expected one of", "", "tenant")
	misuse(t, `expected "erase"`, "", "driver")
	misuse(t, `expected "<username>"`, "", "user", "disable")
	misuse(t, `--role must be one of "admin","member","viewer" but got "x"`, "", "user", "add", "--tenant", "a", "--username", "b", "--email", "c", "--role", "x")
	misuse(t, "<name>", "", "tenant", "add")
	misuse(t, "--role", "", "serve", "--role", "king")
	misuse(t, "--log-level", "", "migrate", "--log-level", "loud")
	misuse(t, "--access-token-lifetime", "", "serve", "--access-token-lifetime", "soon")
	misuse(t, "--allow-network", "", "serve", "--allow-network", "everywhere")
	misuse(t, "missing flags", "", "user", "add")
	misuse(t, "--tls-cert and --tls-key must be set together", "", "serve", "--tls-cert", "x")
	misuse(t, "no provider named", "", "provider", "show", "bogus")
}
