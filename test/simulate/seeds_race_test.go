//go:build race

package simulate

// defaultSeeds are few: the race detector takes several times as long, and sees little
// where one thing happens at a time.
const defaultSeeds = 2
