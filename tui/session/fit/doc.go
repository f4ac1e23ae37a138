// Package fit makes models of the samples that a command names: files, folders of campaigns, several boards.
//
//	files, campaigns ──► Samples ──► Fit ──► learn.Model
//	two campaigns ──► CompareCampaigns
package fit
