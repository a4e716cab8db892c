package drover

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of tags, on devices and on connections alike.
const (
	MaxTags      = 10
	MaxTagLength = 255
)

// Tag is a connection tag of a tenant.
type Tag struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NormalizeTag returns a tag as it is stored and compared.
func NormalizeTag(tag string) string { return strings.ToLower(strings.TrimSpace(tag)) }

// FoldTags are the tags of a filter as they are compared.
func FoldTags(tags []string) []string {
	out := make([]string, len(tags))
	for i, tag := range tags {
		out[i] = NormalizeTag(tag)
	}
	return out
}

// NormalizeTags trims and lower-cases each tag and drops repetitions, keeping
// the order of first appearance. Lengths count characters; repetitions do not
// count towards MaxTags. The result is never nil.
func NormalizeTags(tags []string) ([]string, error) {
	out := make([]string, 0, min(len(tags), MaxTags))
	for i, tag := range tags {
		tag = NormalizeTag(tag)
		switch n := utf8.RuneCountInString(tag); {
		case n < 1:
			return nil, Invalid("string_too_short", "String should have at least 1 character", i)
		case n > MaxTagLength:
			return nil, Invalid("string_too_long", fmt.Sprintf("String should have at most %d characters", MaxTagLength), i)
		}
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
		if len(out) > MaxTags {
			return nil, Invalid("too_long", fmt.Sprintf("List should have at most %d items after validation, not %d", MaxTags, countDistinct(tags)))
		}
	}
	return out, nil
}

// countDistinct counts the tags that would remain, for the message alone.
func countDistinct(tags []string) int {
	seen := make(map[string]bool, len(tags))
	for _, tag := range tags {
		seen[NormalizeTag(tag)] = true
	}
	return len(seen)
}
