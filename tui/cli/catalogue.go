package cli

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/boards"
)

// catalogueJSON is one device of `jtune device --list --json`; what is not known is null.
type catalogueJSON struct {
	Name       string             `json:"name"`
	Jetson     bool               `json:"jetson"`
	Cores      tegra.Val[int]     `json:"cores"`
	CPUGHz     tegra.Val[float64] `json:"cpu_ghz"`
	CUDA       tegra.Val[int]     `json:"cuda_cores"`
	GPUGHz     tegra.Val[float64] `json:"gpu_ghz"`
	MemoryGB   tegra.Val[int]     `json:"memory_gb"`
	MemGHz     tegra.Val[float64] `json:"mem_ghz"`
	Storage    text.Optional      `json:"storage"`
	PeakW      tegra.Val[int]     `json:"peak_w"`
	PriceUSD   tegra.Val[int]     `json:"price_usd"`
	SizeMM     text.Optional      `json:"size_mm"`
	Modes      tegra.Val[int]     `json:"modes"`
	Presets    []string           `json:"presets"`
	Stated     text.Optional      `json:"stated"`
	NotChecked []string           `json:"not_checked"` // keys of values that no recording or paper shows
}

func known[T int | float64](v T) tegra.Val[T] { return tegra.Val[T]{V: v, OK: v != 0} }

// catalogueColumns are the columns of the table and of CSV: key, heading and value, 0 or "" where it is not known.
var catalogueColumns = []struct {
	key, head string
	of        func(boards.Device) any
}{
	{"cores", "cores", func(d boards.Device) any { return d.Cores }},
	{"cpu_ghz", "GHz", func(d boards.Device) any { return d.CPUGHz }},
	{"cuda_cores", "CUDA", func(d boards.Device) any { return d.CUDA }},
	{"gpu_ghz", "GHz", func(d boards.Device) any { return d.GPUGHz }},
	{"memory_gb", "GB", func(d boards.Device) any { return d.MemoryGB }},
	{"mem_ghz", "GHz", func(d boards.Device) any { return d.MemoryGHz }},
	{"storage", "storage", func(d boards.Device) any { return d.Storage }},
	{"peak_w", "W", func(d boards.Device) any { return d.PeakW }},
	{"price_usd", "US$", func(d boards.Device) any { return d.PriceUSD }},
	{"size_mm", "mm", func(d boards.Device) any { return d.SizeMM }},
	{"modes", "modes", func(d boards.Device) any { return d.Modes }},
}

// catalogueCell is a value as text, with so many digits after a point (-1: all); "" when it is not known.
func catalogueCell(value any, digits int) string {
	switch v := value.(type) {
	case int:
		if v != 0 {
			return strconv.Itoa(v)
		}
	case float64:
		if v != 0 {
			return strconv.FormatFloat(v, 'f', digits, 64)
		}
	case string:
		return v
	}
	return ""
}

// listDevices prints the catalogue; no device is opened.
func (a *app) listDevices() error {
	all := boards.Catalogue()
	switch {
	case a.asJSON:
		var out []catalogueJSON
		for _, d := range all {
			out = append(out, catalogueJSON{d.Name, d.Tree != "", known(d.Cores), known(d.CPUGHz), known(d.CUDA),
				known(d.GPUGHz), known(d.MemoryGB), known(d.MemoryGHz), text.Optional(d.Storage), known(d.PeakW),
				known(d.PriceUSD), text.Optional(d.SizeMM), known(d.Modes), listOf(d.Presets), text.Optional(d.Stated),
				listOf(d.Unchecked)})
		}
		return printJSON(a.out, out)
	case a.asCSV:
		return a.catalogueCSV(all)
	}
	head := []string{"device"}
	for _, c := range catalogueColumns {
		head = append(head, c.head)
	}
	rows := [][]string{head}
	for _, d := range all {
		row := []string{d.Name}
		for _, c := range catalogueColumns {
			cell := orDash(catalogueCell(c.of(d), 2))
			if c.key == "modes" && d.Modes > 0 {
				cell = text.Thousands(d.Modes)
			}
			if slices.Contains(d.Unchecked, c.key) {
				cell += "?"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	for _, d := range all {
		switch {
		case d.Stated != "":
			fmt.Fprintln(a.out, wrapped(fmt.Sprintf("%s, no Jetson, as stated elsewhere: %s", d.Name, d.Stated)))
		default:
			fmt.Fprintln(a.out, wrapped(fmt.Sprintf("%s, presets: %s", d.Name, strings.Join(d.Presets, ", "))))
		}
	}
	_, err := fmt.Fprintln(a.out, wrapped("? not checked: no recording or paper shows it. Clocks are the highest, "+
		"W is the highest power, US$ and mm are those of the developer kit; – not known"))
	return err
}

// catalogueCSV prints one device per line; a cell of what is not known is empty.
func (a *app) catalogueCSV(all []boards.Device) error {
	head := []string{"name", "jetson"}
	for _, c := range catalogueColumns {
		head = append(head, c.key)
	}
	rows := [][]string{append(head, "presets", "stated", "not_checked")}
	for _, d := range all {
		row := []string{d.Name, strconv.FormatBool(d.Tree != "")}
		for _, c := range catalogueColumns {
			row = append(row, catalogueCell(c.of(d), -1))
		}
		rows = append(rows, append(row, strings.Join(d.Presets, " "), d.Stated, strings.Join(d.Unchecked, " ")))
	}
	return csv.NewWriter(a.out).WriteAll(rows)
}
