package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// BenchmarkFitAndChoose runs the two commands as a shell does, on 50 modes of an AGX Orin; the second set has four
// false readings. Targets on two quiet cores: below 100 ms and 60 ms.
func BenchmarkFitAndChoose(b *testing.B) {
	path := sweeptest.Shared(b, sweeptest.MobileNet)
	all, data := sweeptest.Load(b, sweeptest.MobileNet), b.TempDir()
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(os.Args[0], with(args, "--data-dir", data, "--log-file", filepath.Join(data, "log"))...)
		c.Env = append(os.Environ(), asJtune+"=1")
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
		if err := sweeptest.Write(&text, rows); err != nil {
			b.Fatal(err)
		}
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
