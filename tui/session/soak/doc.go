// Package soak tests whether a mode can be sustained: it runs a job for the requested time, judges and stores every
// sample, and restores the board. An interrupted soak can be resumed; a killed soak is judged from its recorded
// samples.
//
//	Request ──► Run ──► guard (mode), harness (job), sampler ──► hold.Watcher ──► Result
//	                                                      └──► soak.toml, soak.csv, soak.json ──► Read
package soak
