// Package learn predicts the time and power of every power mode from a few measured modes, with error bars, and stores
// models in files. It knows nothing of measuring or displaying modes.
//
//	[]tegra.Measured ──► Fit ──► Model (Predictor) ──► []Prediction ──► optimize, tui
//	                       │        └──► Save ──► file ──► Load
//	                       └──► Surrogate ──► Posterior, CovTime, CovPower ──► optimize
//
// The default method, gp, combines a physical mean function (the limiting resource sets the time; energy per minibatch
// sets the power) whose coefficients have priors with a Gaussian process for the remaining deviation (docs/method.md).
// It is based on Surrogate, which designs and searches refit after every measurement. Package baseline contains the
// other methods. If samples have several batch sizes, gp takes the size as a fifth input: a setting is a mode with a
// size, and Model.At returns the model for one size. Importance explains a model.
package learn
