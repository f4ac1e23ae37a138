// Package bench compares methods on sweeps in which every mode was measured: the
// tables of the papers.
//
//	[]tegra.Measured ──► Evaluate ──► score.Report ──► text, JSON
//	                        ▲
//	                        └── learn.Fit, optimize.Choose, optimize.Tune, learn/baseline
package bench
