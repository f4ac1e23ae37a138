// Package plots makes figures of models, Pareto fronts, studies and measurements. Screens and exports draw them.
//
//	outlook, model, samples ──► figure.Figure
package plots
