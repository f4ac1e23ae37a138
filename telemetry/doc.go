// Package telemetry turns readings of a device into samples on its monotonic
// clock: which of them can be trusted, how much energy they add up to, when
// power is steady. It knows nothing of campaigns, learning or screens.
//
//	tegra.Device ──► Sampler ──► Sample (valid or why not) ──► subscribers
//	Sample ──► Energy (joules), Steady (settled or not)
package telemetry
