// Package learn predicts the time and power of every power mode from a few
// measured ones, says how far to trust the predictions, and keeps predictors
// in model files. It knows nothing of how modes are measured or shown.
//
//	[]tegra.Measured ──► Fit ──► Model (Predictor) ──► []Prediction ──► optimize, tui
//	                       │        └──► Save ──► file ──► Load
//	                       └──► Surrogate ──► Posterior, CovTime, CovPower ──► optimize
//
// The default method, gp, is a physical formula (which resource decides the
// time; what energy a minibatch takes) whose coefficients have priors, plus a
// Gaussian process for what the formula misses. Below it lies the Surrogate,
// which designs and searches refit after every measurement. The baselines are
// linear regression (package linear), trees (package forest) and PowerTrain's
// networks (package nn). Where the samples have several minibatch sizes, as those
// of inference do, the size is a fifth input of the gp: a Setting is a mode with
// a size, and Model.At is the model of one size. Importance and Bound say what a model means.
package learn
