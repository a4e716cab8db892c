package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// prefix is that of all variables of the program.
const prefix = "DROVER_"

// CheckEnvironment refuses variables that look like a setting and are none: one that
// is mistyped must not be ignored.
func CheckEnvironment(app *kong.Application, environment []string) error {
	var known []string
	walk(app.Node, func(f *kong.Flag) { known = append(known, f.Envs...) })
	for _, line := range environment {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) {
			continue
		}
		nearest := slices.MinFunc(known, func(a, b string) int { return distance(name, a) - distance(name, b) })
		return fmt.Errorf("%s is not a setting; did you mean %s?", name, nearest)
	}
	return nil
}

// walk calls f with the flags of all commands.
func walk(n *kong.Node, f func(*kong.Flag)) {
	for _, flag := range n.Flags {
		f(flag)
	}
	for _, child := range n.Children {
		walk(child, f)
	}
}

// distance is the number of letters to add, drop or change to make a out of b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
