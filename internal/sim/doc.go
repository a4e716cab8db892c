// Package sim simulates a fleet. The fake vendors serve it in tests, in benchmarks and in the
// demo, and tests compare their results with it.
//
// A fleet is a pure function of its options, a vehicle and a time. It caches only the plans that
// it computed before. Any window can be asked for at any time, in any order and from any number
// of goroutines, and two fleets with the same options are equal to the last digit.
//
// Values have few digits, so that the vendors' formats carry them exactly or with a known
// rounding: whole seconds, 1e-6 degrees, 0.1 km/h, whole degrees of heading and whole metres.
//
// It may import rules.
package sim
