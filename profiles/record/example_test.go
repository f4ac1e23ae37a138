package record_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

func ExampleRecord() {
	parent, err := os.MkdirTemp("", "campaign")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "resnet18")
	r, err := record.Create(dir, record.Header{
		Workload: workload.Workload{Name: "resnet18", Batch: 16},
		Plan:     record.PlanHeader{Kind: "list", Modes: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	row := record.Row{Status: record.OK, Minibatches: 40}
	row.Mode = tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500 * tegra.KHz, EMC: 3199 * tegra.MHz}
	row.TimeMS, row.PowerW = 59.1, 51.2
	if err := r.Append(row); err != nil {
		log.Fatal(err)
	}
	if err := r.Close(); err != nil {
		log.Fatal(err)
	}

	header, rows, err := record.Read(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		fmt.Printf("%s: %s, %g ms, %g W\n", header.Workload.Name, row.Mode, row.TimeMS, row.PowerW)
	}
	// Output: resnet18: 12c/2.20C/1.30G/3.20M, 59.1 ms, 51.2 W
}
