package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// table is the figures in the order in which they were taken.
type table struct {
	rows [][]string
}

// unit prints a figure.
type unit func(v float64) string

func seconds(v float64) string   { return fmt.Sprintf("%.2f s", v) }
func mebibytes(v float64) string { return fmt.Sprintf("%.1f MiB", v/(1<<20)) }
func perSecond(v float64) string { return thousands(v) + "/s" }

// thousands separates the digits of a whole number.
func thousands(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// atLeast is a rate beside that of a baseline. A target of 0 is none.
func (t *table) atLeast(name string, rate float64, baseline string, other, target float64) {
	ratio := rate / other
	want, verdict := "", ""
	if target > 0 {
		want, verdict = fmt.Sprintf(">= %.2f", target), judge(ratio >= target)
	}
	t.add(name, perSecond(rate), baseline, perSecond(other), fmt.Sprintf("%.2f", ratio), want, verdict)
}

// slower is a rate beside an earlier one that it should not fall behind by more
// than a factor.
func (t *table) slower(name string, rate float64, baseline string, other, target float64) {
	factor := other / rate
	t.add(name, perSecond(rate), baseline, perSecond(other), fmt.Sprintf("%.2fx", factor), fmt.Sprintf("<= %.2fx", target), judge(factor <= target))
}

// atMost is a figure that has a bound instead of a baseline.
func (t *table) atMost(name string, v, bound float64, print unit) {
	t.add(name, print(v), "target", print(bound), fmt.Sprintf("%.2f", v/bound), "<= 1.00", judge(v <= bound))
}

const miss = "MISS"

func judge(ok bool) string {
	if ok {
		return "PASS"
	}
	return miss
}

// missed is an error that counts the figures below their targets, nil where
// there is none: whoever runs the bench in a script must hear of it.
func (t *table) missed() error {
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

// remark stands in the place of the last figure's verdict.
func (t *table) remark(text string) {
	row := t.rows[len(t.rows)-1]
	row[len(row)-1] = text
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) error {
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
