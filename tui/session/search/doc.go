// Package search looks for the best setting under limits, over the whole Pareto front, or under a load, and records
// what it measures in a campaign.
//
//	TuneRequest ──► Tune ──► probes ──► answers, the model of everything known
package search
