package campaigns

import (
	"strconv"
	"strings"
	"time"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/profiles/record"
)

// About tells what a campaign measures: the job, how, on which board, with which software.
func About(h record.Header, software []string) document.Facts {
	batch, workers := h.Workload.Known()
	job := h.Workload.Name + text.IfAny(", batch size %d", batch)
	if sizes := h.Plan.Batches; sizes != nil {
		job = h.Workload.Name + ", batch sizes " + text.JoinInts(sizes)
	}
	if workers > 0 {
		job += ", " + text.Count(workers, "worker")
	}
	search, plan, d := "", PlanText(h.Plan, h.Search), h.Device
	if h.Search != nil {
		search, plan = h.Search.String(), ""
	}
	return document.Facts{
		{"workload", job},
		{"search", search},
		{"plan", plan},
		{"settings", text.IfAny("%d minibatches per mode", h.Settings.Minibatches)},
		{"seed", strconv.FormatUint(h.Seed, 10)},
		{"started", h.Created.UTC().Format(time.RFC3339)},
		{"board", OfDevice(d.Name, d.Virtual)},
		{"model", d.Model},
		{"module", d.Module},
		{"SoC", d.SoC},
		{"power", d.Total},
		{"rails", strings.Join(d.Rails, ", ")},
		{"software", strings.Join(software, "; ")},
		{"made by", "jtune " + h.Jtune},
	}
}
