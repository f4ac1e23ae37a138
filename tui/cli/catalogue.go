package cli

import (
	"fmt"

	"strconv"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/boards"
)

// catalogueJSON is one device of `jtune device --list --json`; what is not known is null.
type catalogueJSON struct {
	Name     string             `json:"name"`
	Jetson   bool               `json:"jetson"`
	Cores    tegra.Val[int]     `json:"cores"`
	CPUGHz   tegra.Val[float64] `json:"cpu_ghz"`
	CUDA     tegra.Val[int]     `json:"cuda_cores"`
	GPUGHz   tegra.Val[float64] `json:"gpu_ghz"`
	MemoryGB tegra.Val[int]     `json:"memory_gb"`
	MemGHz   tegra.Val[float64] `json:"mem_ghz"`
	Storage  text.Optional      `json:"storage"`
	PeakW    tegra.Val[int]     `json:"peak_w"`
	PriceUSD tegra.Val[int]     `json:"price_usd"`
	SizeMM   text.Optional      `json:"size_mm"`
	Modes    tegra.Val[int]     `json:"modes"`
	Stated   text.Optional      `json:"stated"`
}

func known[T int | float64](v T) tegra.Val[T] { return tegra.Val[T]{V: v, OK: v != 0} }

// listDevices prints the catalogue; no device is opened.
func (a *app) listDevices() error {
	all := boards.Catalogue()
	if a.asJSON {
		var out []catalogueJSON
		for _, d := range all {
			out = append(out, catalogueJSON{d.Name, d.Tree != "", known(d.Cores), known(d.CPUGHz), known(d.CUDA),
				known(d.GPUGHz), known(d.MemoryGB), known(d.MemoryGHz), text.Optional(d.Storage), known(d.PeakW),
				known(d.PriceUSD), text.Optional(d.SizeMM), known(d.Modes), text.Optional(d.Stated)})
		}
		return printJSON(a.out, out)
	}
	whole := func(n int) string {
		if n == 0 {
			return "–"
		}
		return strconv.Itoa(n)
	}
	ghz := func(v float64) string { return dash(known(v), "%.2f") }
	rows := [][]string{{"device", "cores", "GHz", "CUDA", "GHz", "GB", "GHz", "storage*", "W*", "US$*", "mm*", "modes"}}
	for _, d := range all {
		modes := "–"
		if d.Modes > 0 {
			modes = text.Thousands(d.Modes)
		}
		rows = append(rows, []string{d.Name, whole(d.Cores), ghz(d.CPUGHz), whole(d.CUDA), ghz(d.GPUGHz),
			whole(d.MemoryGB), ghz(d.MemoryGHz), orDash(d.Storage), whole(d.PeakW), whole(d.PriceUSD),
			orDash(d.SizeMM), modes})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	for _, d := range all {
		if d.Stated != "" {
			fmt.Fprintln(a.out, wrapped(fmt.Sprintf("%s, no Jetson, as stated elsewhere: %s", d.Name, d.Stated)))
		}
	}
	_, err := fmt.Fprintln(a.out, wrapped("* from the vendors' announcements, not checked: highest power, "+
		"price when the developer kit came out, size of the module"))
	return err
}
