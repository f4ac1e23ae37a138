// Package population judges searches on populations of simulated workloads. No number here is a measurement.
//
//	family (laws of time and power) ─┐
//	board (grid, constants) ─────────┼─► truth of every mode ─► readings ─► method ─► Search ─► Row
//	seed, half, number ──────────────┘
//
// A population has two halves that share no workload: constants are chosen on the half for development, and figures
// are reported of the other. Families differ in their physics, so that a rule cannot suit one by knowing its laws.
package population
