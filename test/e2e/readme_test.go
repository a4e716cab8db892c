package e2e

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var memberName = regexp.MustCompile(`"\w+":`)

// checkReadme types the first requests of the README into one shell, and holds what it prints
// to what is answered: the members that it shows, and a refusal to the letter.
func checkReadme(t *testing.T, address string) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## First requests")
	section, _, _ = strings.Cut(section, "\n## ")
	var script strings.Builder
	var commands, shown []string
	code := false
	for line := range strings.Lines(strings.ReplaceAll(section, "127.0.0.1:8080", address)) {
		command, ok := strings.CutPrefix(line, "$ ")
		switch n := len(shown); {
		case strings.HasPrefix(line, "```"):
			code = !code
		case code && ok:
			if command = strings.TrimSpace(command); strings.Contains(command, "curl -sN") {
				command += " | head -n 12" // it has no end
			}
			script.WriteString("echo @@\n" + command + "\n")
			commands, shown = append(commands, command), append(shown, "")
		case code && n > 0:
			shown[n-1] += line
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "sh", "-ec", script.String()).Output()
	if err != nil {
		t.Fatalf("%v:\n%s%s", err, script.String(), out)
	}
	answers := strings.Split(string(out), "@@\n")[1:]
	if len(answers) != len(commands) || len(commands) < 8 {
		t.Fatalf("%d answers to %d commands:\n%s", len(answers), len(commands), out)
	}
	for i, answer := range answers {
		for _, name := range append(memberName.FindAllString(shown[i], -1), regexp.MustCompile(`(?m)^\w+: `).FindAllString(shown[i], -1)...) {
			if !strings.Contains(answer, name) {
				t.Errorf("%s shows %s, and answers\n%s", commands[i], name, answer)
			}
		}
		if strings.HasPrefix(shown[i], `{"error"`) && strings.TrimSpace(answer) != strings.TrimSpace(shown[i]) {
			t.Errorf("%s shows\n%sand answers\n%s", commands[i], shown[i], answer)
		}
	}
}
