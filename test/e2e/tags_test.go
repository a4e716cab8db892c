//go:build !faults

package e2e

// buildTags are those of the program that is tested: none, as in a release.
const buildTags = ""
