// Package bench compares methods on fully measured sweeps and produces the papers' tables.
//
//	[]tegra.Measured ──► Evaluate ──► score.Report ──► text, JSON
//	                        ▲
//	                        └── learn.Fit, optimize.Choose, optimize.Tune, learn/baseline
package bench
