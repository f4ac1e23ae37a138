package export

import (
	"slices"

	"jtune/internal/report"
	"jtune/optimize/mix"
	"jtune/optimize/serving"
	"jtune/optimize/standing"
	"jtune/tegra"
)

// Served are the columns of settings under a load.
func Served(v *serving.LoadView) report.Table[mix.Outcome] {
	type o = mix.Outcome
	knobs := ModeColumns(func(x o) tegra.Mode { return x.Mode })
	for i := range knobs {
		knobs[i].Form = report.CSV
	}
	stands := func(x o) standing.Standing { return v.Standing(x.Setting) }
	return slices.Concat(report.Table[o]{
		{Key: "mode", Title: "mode", Form: report.JSON, Of: func(x o) any { return x.Mode },
			Text: func(x o) string { return x.Mode.String() }},
	}, knobs, report.Table[o]{
		{Key: "batch", Title: "batch", Of: func(x o) any { return x.Batch }},
		{Key: "time_ms", Of: func(x o) any { return x.TimeMS }},
	}, serving.Columns(v.Ask), standing.Columns(stands), report.Table[o]{
		{Text: func(x o) string { return stands(x).String() }},
	}, virtualColumn[o](v.Outlook().Model.Provenance.Virtual))
}
