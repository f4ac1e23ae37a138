// Package hold judges a load that goes on: it follows power, currents, voltages, temperatures, clocks and counters
// sample by sample, says early where the temperature will end, and in the end whether the mode holds, what broke a
// limit, and what was not seen.
//
//	Start, Limits ──► Watcher ◄── samples
//	                     └──► Status (meanwhile), Result (verdict, margins, events)
package hold
