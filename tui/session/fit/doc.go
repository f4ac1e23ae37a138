// Package fit fits models to the samples that a command names: files, campaign folders, several boards.
//
//	files, campaigns ──► Samples ──► Fit ──► learn.Model
//	two campaigns ──► CompareCampaigns
package fit
