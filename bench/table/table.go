// Package table is what the bench prints: each figure beside its baseline or bound.
package table

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// Table is the figures in the order in which they were taken.
type Table struct {
	rows [][]string
}

// Unit prints a figure.
type Unit func(v float64) string

// Seconds prints a time of so many.
func Seconds(v float64) string { return fmt.Sprintf("%.2f s", v) }

// Milliseconds prints a time of so many.
func Milliseconds(v float64) string { return fmt.Sprintf("%.2f ms", v) }

// Mebibytes prints a number of bytes.
func Mebibytes(v float64) string { return fmt.Sprintf("%.1f MiB", v/(1<<20)) }

// PerSecond prints a rate.
func PerSecond(v float64) string { return Thousands(v) + "/s" }

// Thousands separates the digits of a whole number.
func Thousands(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// AtLeast is a rate beside that of a baseline. A target of 0 is none.
func (t *Table) AtLeast(name string, rate float64, baseline string, other, target float64) {
	t.Paired(name, rate, baseline, other, rate/other, target)
}

// Paired is a rate beside one that was measured in turn with it, and the ratio of both, which
// is not that of the rates. A target of 0 is none.
func (t *Table) Paired(name string, rate float64, baseline string, other, ratio, target float64) {
	want, verdict := "", ""
	if target > 0 {
		want, verdict = fmt.Sprintf(">= %.2f", target), Judge(ratio >= target)
	}
	t.Add(name, PerSecond(rate), baseline, PerSecond(other), fmt.Sprintf("%.2f", ratio), want, verdict)
}

// Slower is a rate beside an earlier one that it should not fall behind by more
// than a factor.
func (t *Table) Slower(name string, rate float64, baseline string, other, target float64) {
	factor := other / rate
	t.Add(name, PerSecond(rate), baseline, PerSecond(other), fmt.Sprintf("%.2fx", factor), fmt.Sprintf("<= %.2fx", target),
		Judge(factor <= target))
}

// AtMost is a figure that has a bound instead of a baseline.
func (t *Table) AtMost(name string, v, bound float64, print Unit) {
	t.Add(name, print(v), "target", print(bound), fmt.Sprintf("%.2f", v/bound), "<= 1.00", Judge(v <= bound))
}

// Part is a cost beside another one, of which it is to be a part at most.
func (t *Table) Part(name string, v float64, baseline string, other, part float64, print Unit) {
	t.Add(name, print(v), baseline, print(other), fmt.Sprintf("%.2f", v/other), fmt.Sprintf("<= %.2f", part), Judge(v <= part*other))
}

const miss = "MISS"

// Judge is the verdict of a row.
func Judge(ok bool) string {
	if ok {
		return "PASS"
	}
	return miss
}

// Missed is an error that counts the figures below their targets, nil where
// there is none: anyone who runs the bench in a script must hear of it.
func (t *Table) Missed() error {
	n := 0
	for _, row := range t.rows {
		if row[len(row)-1] == miss {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d figures missed their target", n, len(t.rows))
}

// Add adds a row: figure, drover, baseline, its rate, ratio, target, verdict.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Print writes the table.
func (t *Table) Print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{{"FIGURE", "DROVER", "BASELINE", "ITS RATE", "RATIO", "TARGET", ""}}, t.rows...) {
		for _, cell := range row {
			if _, err := io.WriteString(out, cell+"\t"); err != nil {
				return fmt.Errorf("print the table: %w", err)
			}
		}
		if _, err := io.WriteString(out, "\n"); err != nil {
			return fmt.Errorf("print the table: %w", err)
		}
	}
	return out.Flush()
}
