// Package experiment holds the characterisation sweeps of the papers: which
// settings each of them runs, and what follows from the numbers. Most are those of
// the 2022 study (docs/method.md). It runs nothing itself.
//
//	Request ──► Plan: settings, and what is skipped ──► profiles.Campaign ──► Runs ──► Report: table, CSV, words
package experiment
