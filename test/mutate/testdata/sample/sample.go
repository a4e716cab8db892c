// Package sample has a rule whose tests notice some changes and miss two.
package sample

import "time"

// Limit is declared, and is left out.
const Limit = 10 - 1

// Within is v without its sign, and at most Limit.
func Within(v int) int {
	switch {
	// Whether at the bound itself, none can see.
	case v > Limit:
		return Limit
	case v < 0:
		return -v
	}
	return v
}

// Hours are the whole hours of a time, counted one by one.
func Hours(d time.Duration) (n int8) {
	for ; d >= 60*time.Minute; d -= 60 * time.Minute {
		n++
	}
	return n
}

// Word is a text of several parts, and whether there are any.
func Word(parts []string) (word string, any bool) {
	for i := len(parts) - 1; i != -1; i-- {
		word = parts[i] + "." + word
	}
	return word, parts != nil
}

// Twelfth is an array whose length stays, and a share that does not compile as a product.
func Twelfth() (uint8, [2 + 1]int) { return 252 / 21, [3]int{} }
