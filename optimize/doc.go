// Package optimize makes decisions from predictions and measurements: the Pareto front of time and power, the mode for
// a limit, the modes worth measuring, and the search that measures its own answer.
//
//	learn.Prediction ──► Front, Choose ──► the mode to apply
//	Measure(setting) ◄──► Tune (learn.Surrogate) ──► a measured mode within the limit
//	[]tegra.Measured ──► Design ──► the next mode of a campaign
//
// Package optimize/lab/bench evaluates it on measured sweeps.
package optimize
