package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// networksOrigin is the note for the networks.
var networksOrigin = nn.Provenance{
	Workload: workload,
	Device:   "Jetson AGX Orin developer kit, fan at 100 %",
	Version:  1,
	Source:   source,
	Licence:  "the measurements' repository states none; only weights derived from them are here, no measured row",
	Command:  "go run ./internal/tools/makeref -sweep resnet_train_data_final.csv -out learn/baseline/nn/ref",
}

// makeNetworks trains the networks on a sweep and writes them with their note.
func makeNetworks(ctx context.Context, samples []tegra.Measured, c nn.Config, dir string, out io.Writer) error {
	pair, err := nn.TrainPair(ctx, nn.Medians(samples), c)
	if err != nil {
		return err
	}
	note := networksOrigin
	note.Modes, note.Config = len(samples), pair.Time.Config
	return writeNetworks(dir, pair, samples, note, out)
}

// writeNetworks writes the networks and the note, whose errors are computed from the written networks.
func writeNetworks(dir string, pair nn.Pair, samples []tegra.Measured, note nn.Provenance, out io.Writer) error {
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

// mape returns the mean absolute percentage errors over samples.
func mape(p nn.Pair, samples []tegra.Measured) (timePct, powerPct float64) {
	times, powers := p.Predict(tegra.ModesOf(tegra.SettingsOf(samples)))
	var timeMS, powerW []float64
	for _, s := range samples {
		timeMS, powerW = append(timeMS, s.TimeMS), append(powerW, s.PowerW)
	}
	return learn.MAPE(times, timeMS), learn.MAPE(powers, powerW)
}
