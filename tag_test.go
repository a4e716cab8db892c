package drover_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// numbered are n different tags.
func numbered(n int) []string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = fmt.Sprint("tag ", i)
	}
	return tags
}

func TestNormalizeTags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tags []string
		want []string
		typ  string // of the error
		loc  []any
	}{
		"None":               {nil, []string{}, "", nil},
		"TrimmedAndLower":    {[]string{" Reefer\t", "NORTH"}, []string{"reefer", "north"}, "", nil},
		"FirstPlaceIsKept":   {[]string{"b", "a", " B "}, []string{"b", "a"}, "", nil},
		"Ten":                {numbered(10), numbered(10), "", nil},
		"TenAndARepetition":  {append(numbered(10), "TAG 3"), numbered(10), "", nil},
		"Eleven":             {numbered(11), nil, "too_long", nil},
		"Blank":              {[]string{"a", " \t "}, nil, "string_too_short", []any{1}},
		"LongestInRunes":     {[]string{strings.Repeat("é", 255)}, []string{strings.Repeat("é", 255)}, "", nil},
		"OneRuneTooLong":     {[]string{strings.Repeat("é", 256)}, nil, "string_too_long", []any{0}},
		"LengthAfterTrimmed": {[]string{" " + strings.Repeat("x", 255) + " "}, []string{strings.Repeat("x", 255)}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := drover.NormalizeTags(test.tags)
			if test.typ == "" {
				if err != nil || !cmp.Equal(test.want, got) {
					t.Errorf("got %q, %v; want %q", got, err, test.want)
				}
				return
			}
			e, ok := errors.AsType[*drover.Error](err)
			if !ok || e.Type != test.typ || !cmp.Equal(test.loc, e.Loc) {
				t.Errorf("error %v, want %s at %v", err, test.typ, test.loc)
			}
		})
	}
}

func TestTooManyTagsAreCountedOnceEach(t *testing.T) {
	t.Parallel()
	_, err := drover.NormalizeTags(append(numbered(12), "TAG 1"))
	if want := "List should have at most 10 items after validation, not 12"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
