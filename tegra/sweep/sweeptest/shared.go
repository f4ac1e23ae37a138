// Package sweeptest finds the measured data next to a checkout, for tests and benchmarks, and writes synthetic data.
// The project contains no row of measured data.
package sweeptest

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Names of measured sweeps in the shared folder.
const (
	ResNet    = "data/sweeps/powertrain-agx-orin/train/resnet_train_data_final.csv"
	MobileNet = "data/sweeps/powertrain-agx-orin/train/mobnet_train_data_final.csv"
	LSTM      = "data/sweeps/powertrain-agx-orin/train/lstm_train_data_final.csv"
	OrinNano  = "data/sweeps/powertrain-orin-nano/orin_nano_train_derived.csv"
)

// Shared returns the path of a file in the shared folder: $JTUNE_SHARED, else the folder "shared" next to the checkout.
// It skips the test if the file is absent.
func Shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("JTUNE_SHARED")
	if root == "" {
		root = filepath.Join(moduleRoot(t), "..", "shared")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("measured data not next to the checkout: %v (set JTUNE_SHARED to the folder that holds them)", err)
	}
	return path
}

// Load reads a sweep of the shared folder, one value per mode.
func Load(t testing.TB, name string) []tegra.Measured {
	t.Helper()
	return load(t, name, sweep.Options{})
}

// LoadTimes is Load for a sweep that may lack power.
func LoadTimes(t testing.TB, name string) []tegra.Measured {
	t.Helper()
	return load(t, name, sweep.Options{TimeOnly: true})
}

// Settings reads one of PowerTrain's published sweeps of an AGX Orin by name, such as infer/mobnet_infer, with batch
// sizes if there are several.
func Settings(t testing.TB, name string) []tegra.Measured {
	t.Helper()
	table, err := sweep.ReadFile(Shared(t, "data/sweeps/powertrain-agx-orin/"+name+"_data_final.csv"), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return table.Settings()
}

func load(t testing.TB, name string, o sweep.Options) []tegra.Measured {
	t.Helper()
	table, err := sweep.ReadFile(Shared(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	return table.Measured()
}

// Write prints rows as a sweep file with the required columns.
func Write(w io.Writer, rows []tegra.Measured) error {
	c := csv.NewWriter(w)
	c.Write(sweep.Columns)
	for _, m := range rows {
		c.Write(sweep.Fields(m))
	}
	c.Flush()
	return c.Error()
}

func moduleRoot(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// MadeUp returns a small synthetic sweep on the virtual Orin's clocks, without a simple pattern.
func MadeUp(t testing.TB) *sweep.Table {
	t.Helper()
	var b strings.Builder
	b.WriteString("cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n")
	for i, c := range []int{2, 8, 12} {
		for j, cpu := range []int{729600, 1651200, 2201600} {
			for k, gpu := range []int{318750000, 828750000, 1300500000} {
				for l, mem := range []int{2133000000, 3199000000} {
					tm := 2500.123 / float64((i+1)*(j+2)*(k+1)) * (1.17 - 0.1*float64(l))
					fmt.Fprintf(&b, "%d,%d,%d,%d,%.7f,%.6f\n", c, cpu, gpu, mem, tm,
						9.87654+1.234*float64(i)+2.345*float64(j)+6.789*float64(k)+0.777*float64(l))
				}
			}
		}
	}
	table, err := sweep.Read(strings.NewReader(b.String()), "made-up.csv", sweep.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return table
}
