// Package soak proves that a mode holds: it runs a job for as long as it takes, has every sample judged, keeps them
// all, and restores the board. A soak that was cut off goes on; one that was killed is judged by what it left.
//
//	Request ──► Run ──► guard (mode), harness (job), sampler ──► hold.Watcher ──► Result
//	                                                      └──► soak.toml, soak.csv, soak.json ──► Read
package soak
