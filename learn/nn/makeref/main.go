// Makeref learns the reference networks that jtune ships from a measured sweep
// and writes them with a note of where they come from:
//
//	go run ./learn/nn/makeref -sweep resnet_train_data_final.csv -out learn/nn/ref
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"jtune/learn/nn"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "makeref:", err)
		os.Exit(1)
	}
}

// origin is what the sweep of the shipped reference is; a reference from other
// measurements needs other words.
var origin = nn.Provenance{
	Workload: "ResNet-18 training, ImageNet validation images, minibatch 16",
	Device:   "Jetson AGX Orin developer kit, fan at 100 %",
	Version:  1,
	Source:   "github.com/kedar-1401/Dream-Lab, commit bf7d6b73ebe9b311263b6a085255eb56b1fd7149 (2024-08-07), resnet_train_data_final.csv (the PowerTrain measurements of DREAM:Lab, IISc)",
	Licence:  "the measurements' repository states none; only weights derived from them are here, no measured row",
	Command:  "go run ./learn/nn/makeref -sweep resnet_train_data_final.csv -out learn/nn/ref",
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("makeref", flag.ContinueOnError)
	file := flags.String("sweep", "", "measured `file` of the reference workload (required)")
	dir := flags.String("out", "", "`folder` for the networks (required)")
	var c nn.Config
	flags.Uint64Var(&c.Seed, "seed", 1, "of the training")
	flags.IntVar(&c.MinSteps, "minsteps", 0, "least optimiser steps; 0: the standard 3000")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *file == "" || *dir == "" {
		return fmt.Errorf("-sweep and -out are required")
	}
	table, err := sweep.ReadFile(*file, sweep.Options{Strict: true})
	if err != nil {
		return err
	}
	samples := table.Measured()
	pair, err := nn.TrainPair(ctx, nn.Medians(samples), c)
	if err != nil {
		return err
	}
	note := origin
	note.Modes, note.Config = len(samples), pair.Time.Config
	return write(*dir, pair, samples, note, out)
}

// write stores the networks and the note, whose errors are those of the
// networks as stored.
func write(dir string, pair nn.Pair, samples []tegra.Measured, note nn.Provenance, out io.Writer) error {
	exactTime, exactPower := mape(pair, samples)
	stored := nn.Pair{Time: new(nn.Net), Power: new(nn.Net)}
	for _, part := range []struct {
		net, stored *nn.Net
		suffix      string
	}{{pair.Time, stored.Time, nn.TimeSuffix}, {pair.Power, stored.Power, nn.PowerSuffix}} {
		data, err := part.net.MarshalCompact()
		if err != nil {
			return err
		}
		if err := part.stored.UnmarshalBinary(data); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, nn.ReferenceName+part.suffix), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s%s: %d bytes, %+v\n", nn.ReferenceName, part.suffix, len(data), part.net.Report)
	}
	note.TimeMAPEPct, note.PowerMAPEPct = mape(stored, samples)
	fmt.Fprintf(out, "MAPE over %d modes, time / power: %.3f / %.3f %%, stored %.3f / %.3f %%\n",
		note.Modes, exactTime, exactPower, note.TimeMAPEPct, note.PowerMAPEPct)
	text, err := json.MarshalIndent(note, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, nn.ReferenceName+nn.ProvenanceSuffix), append(text, '\n'), 0o644)
}

// mape gives the mean absolute percentage errors over samples.
func mape(p nn.Pair, samples []tegra.Measured) (timePct, powerPct float64) {
	modes := make([]tegra.Mode, len(samples))
	for i, s := range samples {
		modes[i] = s.Mode
	}
	times, powers := p.Predict(modes)
	for i, s := range samples {
		timePct += 100 * math.Abs(times[i]-s.TimeMS) / s.TimeMS
		powerPct += 100 * math.Abs(powers[i]-s.PowerW) / s.PowerW
	}
	n := float64(len(samples))
	return timePct / n, powerPct / n
}
