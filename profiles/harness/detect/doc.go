// Package detect finds out how the lines of a program count its steps, whatever the program is.
//
//	lines with their times ──► every counter, bar, rate and report, side by side ──► the one in which most time passes
//	                                                                        └──► what is left out, or why none is
//
// taken
//
// Time is measured by the clock wherever a line counts something, because rates that programs print are smoothed. A
// wrong reading is worse than none: fewer than three steps, or two candidates that disagree, are refused.
package detect
