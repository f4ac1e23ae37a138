package workload

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
	"sync"

	"jtune/tegra"
)

// Facts are what the papers print of a workload's network and data; absent values they do not print.
type Facts struct {
	Layers, Parameters, FLOPs tegra.Val[float64] // FLOPs of one forward pass of one sample
	MemoryMB, DiskMB          tegra.Val[float64]
}

//go:embed facts.csv
var factsCSV string

var facts = sync.OnceValue(func() map[string]Facts {
	rows, err := csv.NewReader(strings.NewReader(factsCSV)).ReadAll()
	if err != nil {
		panic("workload: facts.csv: " + err.Error())
	}
	out := map[string]Facts{}
	for _, r := range rows[1:] {
		var v [5]tegra.Val[float64]
		for i := range v {
			if n, err := strconv.ParseFloat(r[1+i], 64); err == nil {
				v[i] = tegra.Some(n)
			}
		}
		out[r[0]] = Facts{v[0], v[1], v[2], v[3], v[4]}
	}
	return out
})

// Facts returns what the papers print of the workload.
func (w Workload) Facts() Facts { return facts()[w.Name] }
