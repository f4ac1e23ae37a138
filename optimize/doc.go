// Package optimize turns predictions and measurements into a choice: the Pareto
// front of time and power, the mode for a limit, the modes worth measuring, and
// the search that measures its own answer.
//
//	learn.Prediction ──► Front, Choose ──► the mode to apply
//	Measure(setting) ◄──► Tune (learn.Surrogate) ──► a measured mode within the limit
//	[]tegra.Measured ──► Design ──► the next mode of a campaign
//
// Package optimize/lab/bench scores it on measured sweeps.
package optimize
