// Package experiment holds the characterisation sweeps of the papers: which settings each of them runs, and what
// follows from the numbers. Most come from the 2022 study (docs/method.md). It runs nothing itself.
//
//	Request ──► Plan: settings, and what is skipped ──► Runs: which is next ──► profiles.Campaign ──► Report: table,
//	CSV, JSON, figures, words
//
// The energy study has Runs and a report of its own, above package optimize: its next setting depends on what was
// measured.
package experiment
