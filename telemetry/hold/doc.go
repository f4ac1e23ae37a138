// Package hold judges a sustained load. It follows power, currents, voltages, temperatures, clocks and counters sample
// by sample and predicts early where the temperature will settle. At the end it says whether the mode holds, which
// limit was exceeded, and what could not be observed.
//
//	Start, Limits ──► Watcher ◄── samples
//	                     └──► Status (while it runs), Result (verdict, margins, events)
package hold
