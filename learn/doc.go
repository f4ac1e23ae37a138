// Package learn predicts the time and power of every power mode from a few measured
// ones, with error bars, and keeps models in files. It does not know how modes are
// measured or shown.
//
//	[]tegra.Measured ──► Fit ──► Model (Predictor) ──► []Prediction ──► optimize, tui
//	                       │        └──► Save ──► file ──► Load
//	                       └──► Surrogate ──► Posterior, CovTime, CovPower ──► optimize
//
// The default method, gp, is a physical mean function (which resource decides the
// time; what energy a minibatch takes) whose coefficients have priors, plus a Gaussian
// process for what that misses (docs/method.md). Below it is the Surrogate, which
// designs and searches refit after every measurement. The other methods are in package
// baseline. Where the samples have several batch sizes, the size is a fifth input of
// gp: a setting is a mode with a size, and Model.At is the model at one size.
// Importance explains a model.
package learn
