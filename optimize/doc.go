// Package optimize makes decisions from predictions and measurements: the mode for a limit, where a mode stands to it,
// and the search that measures its own answer.
//
//	learn.Prediction ──► Choose ──► the mode to apply
//	Measure(setting) ◄──► Tune (learn.Surrogate) ──► a measured mode within the limit
//
// Package optimize/lab/bench evaluates it on measured sweeps.
package optimize
