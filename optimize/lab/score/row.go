package score

import (
	"jtune/tegra"
)

// Quartiles of a sample, by linear interpolation.
type Quartiles struct {
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
}

// Penalty is by how much picks are slower than the optimum, in percent, over all budgets and samples; negative if a
// pick exceeds its budget, or is a lucky reading excluded from the optimum.
type Penalty struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	// If the batch size is an input, searches are also judged beyond the 90th percentile.
	P75   tegra.Val[float64] `json:"p75,omitzero"`
	Worst tegra.Val[float64] `json:"worst,omitzero"`
}

// Row is one method at one size, over its samples and all budgets.
type Row struct {
	Method string         `json:"method"`
	Size   tegra.Val[int] `json:"size"` // training modes; absent for methods without
	Seeds  int            `json:"seeds"`
	Accuracy
	Regions []Region `json:"regions"` // likewise by part of the space; none for methods without predictions
	// Over all modes, as in the paper.
	TimeMAPEAllPct  tegra.Val[Quartiles] `json:"time_mape_all_pct"`
	PowerMAPEAllPct tegra.Val[Quartiles] `json:"power_mape_all_pct"`
	Minutes         float64              `json:"minutes"` // of profiling, median
	// Penalties of the picks for the budgets; absent without measured power.
	PenaltyPct tegra.Val[Penalty] `json:"penalty_pct"`
	// CleanPenaltyPct is the penalty against the best reading that a fit confirms (optimum.go); absent if the sweep is
	// too small, or no such reading meets a limit.
	CleanPenaltyPct tegra.Val[Penalty] `json:"clean_penalty_pct"`
	AreaW           tegra.Val[float64] `json:"area_w"`     // mean excess over the budget
	OverPct         tegra.Val[float64] `json:"over_pct"`   // of picks above the budget
	Over1WPct       tegra.Val[float64] `json:"over1w_pct"` // of picks above it by more than a watt
	// LatePct is the share of picks above the latency limit; absent without one.
	LatePct tegra.Val[float64] `json:"over_time_pct,omitzero"`
	Probes  float64            `json:"probes"` // measured modes, median
	// SearchesHotPct is the share of searches with a probe more than 10 % over the power limit; absent for methods that
	// do not search.
	SearchesHotPct tegra.Val[float64] `json:"searches_over10_pct"`
	Unsure         int                `json:"unsure"` // picks for which the method knew no mode within the budget
}

// Accuracy is how well a method predicts unseen modes, over its runs; absent for methods without predictions, and if
// there was no such mode.
type Accuracy struct {
	TimeMAPEPct  tegra.Val[Quartiles] `json:"time_mape_pct"`
	PowerMAPEPct tegra.Val[Quartiles] `json:"power_mape_pct"`
	// Also absent for methods without bands.
	TimeInBandsPct  tegra.Val[Coverage] `json:"time_in_bands_pct"`
	PowerInBandsPct tegra.Val[Coverage] `json:"power_in_bands_pct"`
}

// Coverage is the share of readings, in percent, inside the bands with nominal coverage of 50, 80 and 95 %.
type Coverage struct {
	In50 float64 `json:"in50"`
	In80 float64 `json:"in80"`
	In95 float64 `json:"in95"`
}

// Region is the accuracy in a part of the space.
type Region struct {
	Part
	Accuracy
}

// Part is one half of a knob's values, for all values of the others.
type Part struct {
	Knob string  `json:"knob"` // cores, cpu_khz, gpu_hz or mem_hz
	Half string  `json:"half"` // lower, or upper, which includes the middle one of an odd number
	From float64 `json:"from"` // lowest value, in the knob's unit
	To   float64 `json:"to"`   // highest value
}

// Duel compares a method with one file of published runs, sample by sample, by the errors over all modes.
type Duel struct {
	Method    string  `json:"method"`
	Size      int     `json:"size"`
	Against   string  `json:"against"` // name of the file
	Runs      int     `json:"runs"`
	TimePct   float64 `json:"time_mape_pct"` // medians
	PowerPct  float64 `json:"power_mape_pct"`
	TheirTime float64 `json:"their_time_mape_pct"`
	TheirPow  float64 `json:"their_power_mape_pct"`
	TimeWon   int     `json:"time_won"` // runs in which our error is smaller; the others are lost
	PowerWon  int     `json:"power_won"`
}
