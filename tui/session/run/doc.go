// Package run runs a job in the present mode and describes it: time, power, energy, stalls, advice.
//
//	RunRequest ──► Run ──► character ──► record, advice
package run
