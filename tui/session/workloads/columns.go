package workloads

import (
	"cmp"
	"strconv"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/profiles/workload"
)

// Columns are the columns of a list of workloads, without environments and other settings that only the job needs.
func Columns() report.Table[workload.Workload] {
	type w = workload.Workload
	count := func(n int) string {
		if n <= 0 {
			return "–"
		}
		return text.Thousands(n)
	}
	return report.Table[w]{
		{Key: "name", Title: "workload", Width: 18, Whole: true, Of: func(x w) any { return x.Name }},
		{Key: "title", Of: func(x w) any { return x.Title }},
		{Key: "aliases", Title: "aliases", Of: func(x w) any { return append([]string{}, x.Aliases...) }},
		{Key: "model", Title: "model", Width: 16, Drop: 1, Of: func(x w) any { return x.Model },
			Text: func(x w) string { return cmp.Or(x.Model, text.OneLine(LineOf(x.Command))) }},
		{Key: "dataset", Title: "dataset", Width: 14, Drop: 3, Of: func(x w) any { return x.Dataset }},
		{Key: "task", Title: "task", Width: 16, Drop: 6, Of: func(x w) any { return x.Task }},
		{Key: "samples", Title: "samples", Width: 8, Right: true, Drop: 5, Of: func(x w) any { return x.Samples },
			Text: func(x w) string { return count(x.Samples) }},
		{Key: "batch", Title: "batch", Width: 5, Right: true, Drop: 2, Of: func(x w) any { return x.Batch },
			Text: func(x w) string {
				batch, _ := x.Known()
				return count(batch)
			}},
		{Key: "workers", Title: "workers", Width: 7, Right: true, Drop: 4, Of: func(x w) any { return x.Workers },
			Text: func(x w) string {
				if x.Own && len(x.Command) > 0 && !x.TakesWorkers() {
					return "" // set by the job itself
				}
				return strconv.Itoa(x.Workers)
			}},
		{Key: "prefetch", Of: func(x w) any { return x.Prefetch }},
		{Key: "epochs", Of: func(x w) any { return x.Epochs }},
		{Key: "command", Of: func(x w) any { return append([]string{}, x.Command...) }},
		{Key: "layers", Of: func(x w) any { return x.Facts().Layers }},
		{Key: "parameters", Of: func(x w) any { return x.Facts().Parameters }},
		{Key: "flops", Of: func(x w) any { return x.Facts().FLOPs }},
		{Key: "memory_mb", Of: func(x w) any { return x.Facts().MemoryMB }},
		{Key: "disk_mb", Of: func(x w) any { return x.Facts().DiskMB }},
	}
}
