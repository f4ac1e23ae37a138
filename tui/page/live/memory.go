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
		why, _, _ := strings.Cut(g.Why, ": /") // doctor names the file
		return head + widget.Dash + " " + why
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

// memoryLines are the memory, the drive and the processes on the GPU, in at most h lines.
func (p *Page) memoryLines(w, h int) []string {
	read, d := p.read.Sample().Reading, p.read.Readings().Disk
	level, ram := ramText(read)
	disk := page.DiskText(d)
	switch {
	case !p.brief && level != telemetry.AlarmHot:
		ram += ", cache " + page.Gigabytes(read.RAMCached)
	case p.brief && d.ReadsPerS.OK && d.BytesPerS.V >= 5e4:
		disk = fmt.Sprintf("disk reads %.1f MB/s", d.BytesPerS.V/1e6)
	case p.brief && d.ReadsPerS.OK:
		disk = "disk idle"
	}
	lines := []string{page.Alarmed(level, ram+" GB"), disk, p.gpuText(w)}
	if h > len(lines) {
		share := tegra.Val[float64]{OK: read.RAMUsed.OK && read.RAMTotal.Or(0) > 0}
		if share.OK {
			share.V = float64(read.RAMUsed.V) / float64(read.RAMTotal.V)
		}
		lines = slices.Insert(lines, 1, page.Meter(share, level, chart.InkMemory, min(w, 60)))
	}
	return lines
}

func (p *Page) memory(w, h int) string {
	lines := p.memoryLines(w, h)
	if list := p.read.Readings().GPU.Processes; len(list) > 1 && h >= len(lines)+len(list) {
		lines[len(lines)-1] = widget.StyleDim.Render(widget.Row("on the GPU", "PID  memory", min(w, tableW)))
		for _, q := range list {
			numbers := fmt.Sprintf("%7d %7s", q.PID, widget.MemorySize(q.Bytes))
			lines = append(lines, widget.Row(q.Name, numbers, min(w, tableW)))
		}
	}
	return under(lines, p.ramChart, w, h)
}
