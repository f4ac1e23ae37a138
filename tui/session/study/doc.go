// Package study runs and reports the experiments of the papers on the open board, including the energy study.
//
//	ExperimentRequest ──► Experiment ──► runs in a campaign folder ──► findings, figures
package study
