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

// gpuText names the processes on the GPU, with the memory that each holds if w columns hold it, or says why they are
// unknown.
func (p *Page) gpuText(w int) string {
	const head = "on the GPU: "
	g := p.read.Readings().GPU
	switch {
	case !g.Asked:
		return head + widget.Dash
	case g.Why != "":
		return head + widget.Dash + " " + g.Why
	case len(g.Processes) == 0:
		return head + "no process"
	}
	var names, sizes []string
	for _, p := range g.Processes {
		names, sizes = append(names, p.Name), append(sizes, p.Name+" "+widget.MemorySize(p.Bytes))
	}
	if text := head + strings.Join(sizes, ", "); !p.brief && widget.Width(text) <= w {
		return text
	}
	return head + strings.Join(names, ", ")
}

// ramText is the memory in use, without its unit.
func ramText(read tegra.Reading) (level telemetry.Alarm, text string) {
	name := "RAM"
	if level = telemetry.RAMAlarm(read); level == telemetry.AlarmHot {
		name = "RAM nearly full:"
	}
	return level, name + " " + page.Gigabytes(read.RAMUsed) + " of " + page.Gigabytes(read.RAMTotal)
}

// ramMeter draws the share of the memory in use.
func ramMeter(read tegra.Reading, level telemetry.Alarm, w int) string {
	share := tegra.Val[float64]{OK: read.RAMUsed.OK && read.RAMTotal.Or(0) > 0}
	if share.OK {
		share.V = float64(read.RAMUsed.V) / float64(read.RAMTotal.V)
	}
	return page.Meter(share, level, chart.InkMemory, min(w, 60))
}

func (p *Page) memory(w, h int) string {
	read := p.read.Sample().Reading
	level, ram := ramText(read)
	if level != telemetry.AlarmHot {
		ram += ", cache " + page.Gigabytes(read.RAMCached)
	}
	lines := []string{
		page.Alarmed(level, ram+" GB"),
		page.DiskText(p.read.Readings().Disk),
		p.gpuText(w),
	}
	if h > len(lines) {
		lines = slices.Insert(lines, 1, ramMeter(read, level, w))
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
