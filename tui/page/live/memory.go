package live

import (
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// gpuText names the processes on the GPU, or says why they are unknown.
func (p *Page) gpuText() string {
	g := p.read.Readings().GPU
	switch {
	case !g.Asked:
		return widget.Dash
	case g.Why != "":
		return widget.Dash + " " + g.Why
	case len(g.Processes) == 0:
		return "no process"
	}
	var parts []string
	for _, p := range g.Processes {
		parts = append(parts, p.Name+" "+widget.MemorySize(p.Bytes))
	}
	return strings.Join(parts, ", ")
}

func (p *Page) memory(w, h int) string {
	read := p.read.Sample().Reading
	level := telemetry.RAMAlarm(read)
	ram := fmt.Sprintf("RAM %s of %s, cache %s GB",
		page.Gigabytes(read.RAMUsed), page.Gigabytes(read.RAMTotal), page.Gigabytes(read.RAMCached))
	if level == telemetry.AlarmHot {
		ram = fmt.Sprintf("RAM nearly full: %s of %s GB", page.Gigabytes(read.RAMUsed), page.Gigabytes(read.RAMTotal))
	}
	lines := []string{
		page.Alarmed(level, ram),
		page.DiskText(p.read.Readings().Disk),
		"on the GPU: " + p.gpuText(),
	}
	if h > len(lines) {
		share := tegra.Val[float64]{OK: read.RAMUsed.OK && read.RAMTotal.Or(0) > 0}
		if share.OK {
			share.V = float64(read.RAMUsed.V) / float64(read.RAMTotal.V)
		}
		lines = slices.Insert(lines, 1, page.Meter(share, level, chart.InkMemory, min(w, 60)))
	}
	if list := p.read.Readings().GPU.Processes; len(list) > 1 && h >= len(lines)+len(list) {
		lines[len(lines)-1] = widget.StyleDim.Render(widget.Row("on the GPU", "PID  memory", min(w, tableW)))
		for _, q := range list {
			numbers := fmt.Sprintf("%7d %7s", q.PID, widget.MemorySize(q.Bytes))
			lines = append(lines, widget.Row(q.Name, numbers, min(w, tableW)))
		}
	}
	return under(lines, p.ramChart, w, h)
}
