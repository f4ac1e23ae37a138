package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// BenchmarkFitAndChoose runs the two commands as a shell does, on 50 modes of an AGX Orin; the second set has four
// false readings. Targets on two quiet cores: below 100 ms and 60 ms.
func BenchmarkFitAndChoose(b *testing.B) {
	path := sweeptest.Shared(b, sweeptest.MobileNet)
	all, data := sweeptest.Load(b, sweeptest.MobileNet), b.TempDir()
	command := func(args ...string) *exec.Cmd {
		c := child(with(args, "--data-dir", data, "--log-file", filepath.Join(data, "log"))...)
		return c
	}
	for _, name := range []string{"sound", "false readings"} {
		var rows []tegra.Measured
		for i := range 50 {
			r := all[(i*len(all)+len(all)/3)/50]
			if name != "sound" && i%12 == 1 {
				r.TimeMS *= 1.5
			}
			rows = append(rows, r)
		}
		var text bytes.Buffer
		must.NoError(b, sweeptest.Write(&text, rows))
		samples, model := write(b, text.String()), filepath.Join(data, "model")
		for _, on := range []string{"virtual:agx-orin", "replay:" + path} {
			kind, _, _ := strings.Cut(on, ":")
			for _, args := range [][]string{
				{"fit", "--samples", samples, "--out", model, "--device", on},
				{"choose", "--model", model, "--power-limit", "30"},
			} {
				b.Run(args[0]+"/"+name+"/"+kind, func(b *testing.B) {
					for b.Loop() {
						if out, err := command(args...).CombinedOutput(); err != nil {
							b.Fatalf("%v: %s", err, out)
						}
					}
				})
			}
		}
	}
}

// BenchmarkManyCampaigns is what choose and tune take of all cores together, at least, with 10 to 5,000 campaigns of
// one workload in the data directory; cpu-ms-first is the first choose, which reads all and fits again. Targets for
// 2,000: choose below 100 ms, and tune less than 100 ms more than with 10.
func BenchmarkManyCampaigns(b *testing.B) {
	on := []string{"--device", "virtual:agx-orin", "--speed", "max", "--power-limit", "25"}
	of := func(data string, args ...string) float64 {
		c := child(slices.Concat(args, on, []string{"--data-dir", data})...)
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		return float64(c.ProcessState.UserTime()+c.ProcessState.SystemTime()) / float64(time.Millisecond)
	}
	tune, choose := []string{"tune", "mobilenet"}, []string{"choose", "--model", "mobilenet"}
	for _, n := range []int{10, 100, 1000, 2000, 5000} {
		data := b.TempDir()
		of(data, tune...)
		copies(b, filepath.Join(data, "campaigns"), n-1)
		first := of(data, choose...)
		for _, args := range [][]string{choose, tune} {
			b.Run(fmt.Sprintf("%s/%d", args[0], n), func(b *testing.B) {
				least := math.Inf(1)
				for b.Loop() {
					least = min(least, of(data, args...))
				}
				b.ReportMetric(least, "cpu-ms")
				b.ReportMetric(first, "cpu-ms-first")
			})
		}
	}
}

// copies makes n earlier campaigns, an hour apart, out of the one in a folder.
func copies(b *testing.B, parent string, n int) {
	b.Helper()
	list, err := os.ReadDir(parent)
	if err != nil || len(list) == 0 {
		b.Fatal(list, err)
	}
	from, now := filepath.Join(parent, list[0].Name()), time.Now()
	stamp := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d`)
	for i := range n {
		dir := filepath.Join(parent, fmt.Sprintf("%05d", i))
		must.NoError(b, os.Mkdir(dir, 0o755))
		for _, name := range []string{"campaign.toml", "modes.csv", "runs.csv", "answer.toml", "end.txt"} {
			text := must.Read(b, filepath.Join(from, name))
			text = stamp.ReplaceAllFunc(text, func(at []byte) []byte {
				was := must.Get(time.Parse("2006-01-02T15:04:05", string(at)))(b)
				return []byte(was.Add(time.Duration(-i-1) * time.Hour).Format("2006-01-02T15:04:05"))
			})
			path, old := filepath.Join(dir, name), now.Add(-time.Hour)
			must.NoError(b, cmp.Or(os.WriteFile(path, text, 0o644), os.Chtimes(path, old, old)))
		}
		must.NoError(b, os.Chtimes(dir, now.Add(-time.Hour), now.Add(-time.Hour)))
	}
}
