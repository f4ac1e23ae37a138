// Package study reads what an energy study of inference found, for the pages and the laboratory.
//
//	campaign folder ──► Energy ──┐
//	rows of a running study ─────┴► Sum ──► EnergyReport: findings, heat map, curves
package study
