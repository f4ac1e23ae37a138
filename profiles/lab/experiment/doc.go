// Package experiment holds the characterisation sweeps of the papers: which settings each sweep runs, and the
// conclusions from the numbers. Most come from the 2022 study (docs/method.md). The package runs nothing itself.
//
//	Request ──► Plan: settings, and what is skipped ──► Runs: which is next ──► profiles.Campaign ──► Report: table,
//	CSV, JSON, figures, words
//
// The energy study has its own Runs and report, above package optimize: its next setting depends on earlier
// measurements.
package experiment
