// Package search finds the best setting under limits, over the whole Pareto front, or under a load, and records its
// measurements in a campaign.
//
//	TuneRequest ──► Tune ──► probes ──► answers, the model of everything known
package search
