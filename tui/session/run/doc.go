// Package run runs a job in the present mode and says what it is like: time, power, energy, stalls, advice.
//
//	RunRequest ──► Run ──► character ──► record, advice
package run
