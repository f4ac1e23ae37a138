package telemetry

import "jtune/tegra"

// Alarm is how close a value is to a limit of the board.
type Alarm int

// Alarms.
const (
	AlarmNone Alarm = iota
	AlarmWarm       // close to the limit
	AlarmHot        // at it, or beyond
)

// Thresholds of the alarms.
const (
	warmMarginC   = 10.0 // below the zone's hot threshold (tegra.Reading.Hot)
	warmPowerPart = 0.95 // of the preset's budget; above the budget it is AlarmHot
	warmLoadPct   = 90.0 // busy time. Never AlarmHot: training keeps the GPU busy
	warmRAMPart   = 0.90
	hotRAMPart    = 0.97 // the kernel needs the rest: the next allocation may end the job
)

// HeatAlarm returns the alarm of a thermal zone, judged by the zone's lowest trip point.
func HeatAlarm(t tegra.TempReading) Alarm {
	switch from := t.HotFromC(); {
	case t.Dummy():
		return AlarmNone
	case t.C >= from:
		return AlarmHot
	case t.C >= from-warmMarginC:
		return AlarmWarm
	}
	return AlarmNone
}

// BudgetW returns the power budget in the name of the board's current preset ("MODE_30W"). It is absent for other modes
// and for MAXN, which has no budget.
func BudgetW(now tegra.Val[tegra.Mode], space *tegra.Space, presets []tegra.Preset) tegra.Val[float64] {
	if !now.OK {
		return tegra.Val[float64]{}
	}
	return tegra.PresetWatts(tegra.NameOf(now.V, space, presets))
}

// PowerAlarm compares the module's power with a budget. There is no alarm where either is unknown.
func PowerAlarm(watts, budgetW tegra.Val[float64]) Alarm {
	switch {
	case !watts.OK || !budgetW.OK:
		return AlarmNone
	case watts.V > budgetW.V:
		return AlarmHot
	case watts.V >= warmPowerPart*budgetW.V:
		return AlarmWarm
	}
	return AlarmNone
}

// LoadAlarm returns the alarm of a load in % of time busy.
func LoadAlarm(pct tegra.Val[float64]) Alarm {
	if pct.OK && pct.V >= warmLoadPct {
		return AlarmWarm
	}
	return AlarmNone
}

// RAMAlarm returns the alarm of the memory in use.
func RAMAlarm(r tegra.Reading) Alarm {
	if !r.RAMUsed.OK || r.RAMTotal.Or(0) <= 0 {
		return AlarmNone
	}
	switch part := float64(r.RAMUsed.V) / float64(r.RAMTotal.V); {
	case part >= hotRAMPart:
		return AlarmHot
	case part >= warmRAMPart:
		return AlarmWarm
	}
	return AlarmNone
}
