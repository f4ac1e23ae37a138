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

// Where they begin.
const (
	warmMarginC   = 10.0 // below where a zone makes the board hot (tegra.Reading.Hot)
	warmPowerPart = 0.95 // of the preset's budget; beyond the whole it is AlarmHot
	warmLoadPct   = 90.0 // of the time at work. Never AlarmHot: a busy GPU is what training is for
	warmRAMPart   = 0.90
	hotRAMPart    = 0.97 // what is left goes to the kernel: the next allocation may end the job
)

// HeatAlarm is the alarm of a thermal zone, by its own lowest trip point.
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

// BudgetW is the power budget in the name of the preset that the board is in ("MODE_30W"); absent
// in other modes and in MAXN, which has none.
func BudgetW(now tegra.Val[tegra.Mode], space *tegra.Space, presets []tegra.Preset) tegra.Val[float64] {
	if !now.OK {
		return tegra.Val[float64]{}
	}
	return tegra.PresetWatts(tegra.NameOf(now.V, space, presets))
}

// PowerAlarm is the alarm of the module's power against a budget; none where either is unknown.
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

// LoadAlarm is the alarm of a share of time at work, in %.
func LoadAlarm(pct tegra.Val[float64]) Alarm {
	if pct.OK && pct.V >= warmLoadPct {
		return AlarmWarm
	}
	return AlarmNone
}

// RAMAlarm is the alarm of the memory in use.
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
