package cli

import (
	"slices"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/boards"
)

func known[T int | float64](v T) tegra.Val[T] { return tegra.Val[T]{V: v, OK: v != 0} }

// catalogueColumns are the columns of jtune device --list; unknown values are absent.
func catalogueColumns() report.Table[boards.Device] {
	type d = boards.Device
	columns := report.Table[d]{
		{Key: "name", Title: "device", Of: func(x d) any { return x.Name }},
		{Key: "jetson", Of: func(x d) any { return x.Tree != "" }},
		{Key: "cores", Title: "cores", Of: func(x d) any { return known(x.Cores) }},
		{Key: "cpu_ghz", Title: "GHz", Of: func(x d) any { return known(x.CPUGHz) }},
		{Key: "cuda_cores", Title: "CUDA", Of: func(x d) any { return known(x.CUDA) }},
		{Key: "gpu_ghz", Title: "GHz", Of: func(x d) any { return known(x.GPUGHz) }},
		{Key: "memory_gb", Title: "GB", Of: func(x d) any { return known(x.MemoryGB) }},
		{Key: "mem_ghz", Title: "GHz", Of: func(x d) any { return known(x.MemoryGHz) }},
		{Key: "storage", Title: "storage", Of: func(x d) any { return text.Optional(x.Storage) }},
		{Key: "peak_w", Title: "W", Of: func(x d) any { return known(x.PeakW) }},
		{Key: "price_usd", Title: "US$", Of: func(x d) any { return known(x.PriceUSD) }},
		{Key: "size_mm", Title: "mm", Of: func(x d) any { return text.Optional(x.SizeMM) }},
		{Key: "modes", Title: "modes", Of: func(x d) any { return known(x.Modes) }},
		{Key: "tensor_cores", Title: "tensor", Of: func(x d) any { return known(x.Tensor) }},
		{Key: "accelerators", Title: "accelerators", Of: func(x d) any { return text.Optional(x.Others) }},
		{Key: "presets", Of: func(x d) any { return listOf(x.Presets) }},
		{Key: "stated", Of: func(x d) any { return text.Optional(x.Stated) }},
		{Key: "not_checked", Of: func(x d) any { return listOf(x.Unchecked) }},
	}
	for i, c := range columns {
		columns[i].Text = func(x d) string {
			cell := report.Shown(c.Of(x))
			switch v := c.Of(x).(type) {
			case tegra.Val[float64]:
				cell = dash(v, "%.2f")
			case tegra.Val[int]:
				if cell = dash(v, "%d"); c.Key == "modes" {
					cell = report.Shown(v)
				}
			}
			if slices.Contains(x.Unchecked, c.Key) {
				cell += "?"
			}
			return cell
		}
	}
	return columns
}

// listDevices prints the catalogue without opening a device.
func (c *deviceCmd) listDevices() error {
	all := boards.Catalogue()
	if err := printTable(c.app, catalogueColumns(), all); err != nil || !words(c.app) {
		return err
	}
	parts := []document.Part{document.Break{}}
	for _, d := range all {
		switch {
		case d.Stated != "":
			parts = append(parts, document.Text(d.Name+", no Jetson, as stated elsewhere: "+d.Stated))
		default:
			parts = append(parts, document.Text(d.Name+", presets: "+strings.Join(d.Presets, ", ")))
		}
	}
	parts = append(parts, document.Text("? not checked: no recording or paper shows it. Clocks are the highest, "+
		"W is the highest power, US$ and mm describe the developer kit; – not known"))
	return c.print(parts...)
}
