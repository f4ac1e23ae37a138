// Package detect finds out how the output of an arbitrary program counts its steps.
//
//	lines with their times ──► every counter, bar, rate and report, side by side ──► the one in which most time passes
//	                                                                        └──► what is left out, or why none is
//
// Time is measured by the clock wherever a line counts something, because the rates that programs print are smoothed. A
// wrong reading is worse than none: fewer than three steps, or two candidates that disagree, are rejected.
package detect
