// Package experiment holds the characterisation sweeps of the papers (method
// note c.8): which settings each of them runs, and what follows from the
// numbers. It runs nothing itself.
//
//	Request ──► Plan: settings, and what is skipped ──► profiles.Campaign ──► Runs ──► Report: table, CSV, words
package experiment
