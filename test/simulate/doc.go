// Package simulate runs the whole service in one process, on simulated time, a
// simulated network and a disk that fails, all from one seed, and holds what is
// left at the end against what was answered, served and received on the way.
//
// A seed chooses a world: which kinds of fault it has and how often, what three
// tenants do, and who goes on first wherever several could. The parts meet at the
// bus, where every statement and every call waits for its turn, so a seed that
// fails does so again. README.md says how to run it, and what it has been shown
// to find.
package simulate
