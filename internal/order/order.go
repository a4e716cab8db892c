// Package order sorts records. slices.SortFunc compiles the whole algorithm for each type,
// some 12 KiB of the program each time: what is sorted seldom, or in small numbers, shares one
// here. Positions on their way into the store keep slices, which is faster.
package order

import "sort"

// By sorts a list. What compares as equal stays as it was.
func By[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
