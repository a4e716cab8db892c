// Package broken has a rule that its test refuses.
package broken

// Twice is not.
func Twice(v int) int { return v + v + 1 }
