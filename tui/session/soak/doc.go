// Package soak proves that a mode holds: it runs a job for as long as it takes, watches power, currents, voltages,
// temperatures, clocks and counters once a second, and says where the temperature will end, what broke a limit, and
// what was not seen.
//
//	Request ──► Run ──► guard (mode), harness (job), sampler ──► watcher ──► Result
//	                                                      └──► soak.csv, soak.json
package soak
