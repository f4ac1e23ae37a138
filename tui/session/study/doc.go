// Package study runs the experiments of the papers on the open board, and the energy study among them, and reports
// them.
//
//	ExperimentRequest ──► Experiment ──► runs in a campaign folder ──► findings, figures
package study
