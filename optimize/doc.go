// Package optimize turns predictions and measurements into a choice: the
// time–power front, the mode for a limit, the modes worth measuring, the
// closed loop that measures its own answer, and the scores of the papers.
//
//	learn.Prediction ──► Front, Choose ──► the mode to apply
//	Measure(mode) ◄──► Tune (learn.Surrogate) ──► a measured mode within the limit
//	[]tegra.Measured ──► Design ──► the next mode of a campaign
//	a measured sweep ──► Evaluate ──► the papers' tables
package optimize
