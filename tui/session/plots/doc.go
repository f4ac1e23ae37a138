// Package plots makes figures of models, Pareto fronts, studies and what was measured. Drawing them is left to screens
// and exports.
//
//	outlook, model, samples ──► figure.Figure
package plots
