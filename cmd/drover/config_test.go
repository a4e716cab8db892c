package main

import (
	"strings"
	"testing"
)

// setting is a line of drover config.
func setting(t *testing.T, name string, args ...string) string {
	t.Helper()
	for line := range strings.Lines(succeed(t, "", append([]string{"config"}, args...)...)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " = "); key == name {
			return value
		}
	}
	return "(not printed)"
}

// TestPrecedence sets one thing in every way. It changes the environment, so it
// is not parallel.
func TestPrecedence(t *testing.T) { // see above
	file := writeFile(t, "# a comment\n\nlisten = file:1\nrole=worker\nallow-network = 10.0.0.0/8\nallow-network = 192.168.0.0/16\n")
	if got := setting(t, "listen"); got != "127.0.0.1:8080" {
		t.Errorf("by default listen is %q", got)
	}
	if got := setting(t, "listen", "--config", file); got != "file:1" {
		t.Errorf("with a file listen is %q", got)
	}
	t.Setenv("DROVER_LISTEN", "environment:1")
	if got := setting(t, "listen", "--config", file); got != "environment:1" {
		t.Errorf("with a file and a variable listen is %q", got)
	}
	if got := setting(t, "listen", "--config", file, "--listen", "flag:1"); got != "flag:1" {
		t.Errorf("with a file, a variable and a flag listen is %q", got)
	}
	if got := setting(t, "role", "--config", file); got != "worker" {
		t.Errorf("with a file role is %q", got)
	}
	t.Setenv("DROVER_CONFIG", file)
	out := succeed(t, "", "config")
	if strings.Count(out, "allow-network = ") != 2 || !strings.Contains(out, "allow-network = 192.168.0.0/16\n") {
		t.Errorf("a repeated line of the file is lost:\n%s", out)
	}
	if got := setting(t, "allow-network", "--allow-network", "172.16.0.0/12"); got != "172.16.0.0/12" {
		t.Errorf("with a flag allow-network is %q", got)
	}
}

// TestMasterKeyVariables reads the key from the environment.
func TestMasterKeyVariables(t *testing.T) { // it changes the environment
	data := folder(t)
	t.Setenv("DROVER_MASTER_KEY", newKey('a'))
	succeed(t, "", "key", "rotate", "--data", data)
	t.Setenv("DROVER_MASTER_KEY", newKey('b'))
	refuse(t, "is this the master key", "", "key", "rotate", "--data", data)
	t.Setenv("DROVER_MASTER_KEY", "")
	t.Setenv("DROVER_MASTER_KEY_FILE", writeFile(t, newKey('a')))
	succeed(t, "", "key", "rotate", "--data", data)
}

func TestBadConfigurationFile(t *testing.T) {
	t.Parallel()
	misuse(t, "line 2 of the configuration file", "", "config", "--config", writeFile(t, "role = api\nnonsense\n"))
	misuse(t, `"lisen", which is not a setting`, "", "config", "--config", writeFile(t, "lisen = x\n"))
	misuse(t, "--role", "", "config", "--config", writeFile(t, "role = king\n"))
	misuse(t, "no such file", "", "config", "--config", "does-not-exist")
}

// TestConfigMasksSecrets prints settings, but none that opens anything.
func TestConfigMasksSecrets(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://ann:hunter2@db/drover", "postgres://db/drover?user=ann&password=hunter2",
		"postgres://db/drover?sslkey=k&sslpassword=hunter2", "postgres://ann:hunter2@%zz",
	} {
		out := succeed(t, "", "config", "--database", url, "--master-key", newKey('a'))
		if strings.Contains(out, "hunter2") || strings.Contains(out, newKey('a')) {
			t.Errorf("config prints a secret:\n%s", out)
		}
		if strings.Count(out, "********") != 2 {
			t.Errorf("config hides that a secret is set:\n%s", out)
		}
	}
	if out := succeed(t, "", "config"); strings.Contains(out, "*") {
		t.Errorf("config masks what is not set:\n%s", out)
	}
}

// TestConfigCanBeReadBack keeps what is printed in the form of the file.
func TestConfigCanBeReadBack(t *testing.T) {
	t.Parallel()
	out := succeed(t, "", "config", "--listen", "127.0.0.1:9", "--cors-origin", "https://a.example", "--cors-origin", "https://b.example",
		"--rate-limit", "2.5")
	var set []string
	for line := range strings.Lines(out) {
		if !strings.HasSuffix(line, "= \n") {
			set = append(set, line)
		}
	}
	if again := succeed(t, "", "config", "--config", writeFile(t, strings.Join(set, ""))); again != out {
		t.Errorf("read back, the settings are\n%s\nand were\n%s", again, out)
	}
}
