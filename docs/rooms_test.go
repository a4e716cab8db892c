package docs_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// roomImports is the sentence of a doc.go that says what its room may import.
var roomImports = regexp.MustCompile(`It may import [^.]*\.`)

// TestRooms holds what each doc.go says of a room's imports to what the linter allows, and that
// no room imports itself by way of others.
func TestRooms(t *testing.T) {
	t.Parallel()
	const internal = "github.com/drover-fleet/drover/internal/"
	type rules struct {
		Rules map[string]struct{ Allow []string }
	}
	var config struct {
		Linters struct{ Settings struct{ Depguard rules } }
	}
	text, err := os.ReadFile("../.golangci.yml")
	if err := errors.Join(err, yaml.Unmarshal(text, &config)); err != nil {
		t.Fatal(err)
	}
	read, below := 0, map[string][]string{}
	for room, rule := range config.Linters.Settings.Depguard.Rules {
		if !slices.Contains(rule.Allow, internal+room) {
			continue // a rule of another kind
		}
		text, err := os.ReadFile("../internal/" + room + "/doc.go")
		if read++; err != nil {
			t.Error(err)
		}
		sentence := roomImports.FindString(strings.ReplaceAll(string(text), "\n//", ""))
		sentence = regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(sentence, "") // what for
		said := strings.FieldsFunc(strings.TrimPrefix(sentence, "It may import"), func(r rune) bool { return strings.ContainsRune(", .", r) })
		said = slices.DeleteFunc(said, func(word string) bool { return word == "and" })
		var allowed []string
		for _, path := range rule.Allow {
			if path != internal+room {
				allowed = append(allowed, strings.TrimPrefix(path, internal))
				below[room] = append(below[room], strings.Split(strings.TrimPrefix(path, internal), "/")[0])
			}
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(allowed)), said); diff != "" {
			t.Errorf("doc.go of %s (-linter +doc.go):\n%s", room, diff)
		}
	}
	for room := range below {
		reached := slices.Clone(below[room])
		for i := 0; i < len(reached); i++ {
			for _, next := range below[reached[i]] {
				if !slices.Contains(reached, next) {
					reached = append(reached, next)
				}
			}
		}
		if slices.Contains(reached, room) {
			t.Errorf("%s imports itself by way of other rooms", room)
		}
	}
	if read != 11 {
		t.Errorf("%d rooms were read, not 11", read)
	}
}
