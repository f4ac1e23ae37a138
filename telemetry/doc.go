// Package telemetry turns readings of a device into samples on its monotonic clock. It decides whether each sample can
// be trusted, integrates energy, and detects when power is steady. It also reads what the system and this program
// themselves cost: disk, page cache, clock residency, CPU time. It knows nothing of campaigns, learning or screens.
//
//	tegra.Device ──► Sampler ──► Sample (valid or why not) ──► subscribers
//	Sample ──► Energy (joules), Steady (settled or not)
package telemetry
