package main

import (
	"fmt"
	"io"
	"path/filepath"

	"jtune/learn"
	"jtune/tegra/sweep"
)

// board says how to build the profile of a kind of board.
type board struct {
	note    learn.ReferenceNote
	carries [2]learn.Share
	priors  *[2]learn.Prior
	sweeps  []boardSweep // the first one spans the board
}

type boardSweep struct{ network, workload, file string }

const licence = "the measurements' repository states none; only constants derived from them are here, no measured row"

// boards lists the shipped profiles. The shares and deviations were chosen once, with leave-one-out on AGX Orin
// workloads (docs/decisions/023-board-profiles-and-learned-priors.md).
var boards = []board{
	{
		note: learn.ReferenceNote{
			Name:    "agx-orin",
			Version: 1,
			Device:  "AGX Orin",
			Source: "github.com/kedar-1401/Dream-Lab, commit bf7d6b73ebe9b311263b6a085255eb56b1fd7149 (2024-08-07), " +
				"the training sweeps (the PowerTrain and Fulcrum measurements of DREAM:Lab, IISc)",
			Licence: licence,
			Command: "go run ./internal/tools/makeref -board agx-orin -sweep ../shared/data/sweeps -out learn/ref",
		},
		carries: [2]learn.Share{{Mean: 0.9, SD: 0.3}, {Mean: 1, SD: 0.2}},
		priors: &[2]learn.Prior{
			{SD: []float64{0.4, 0.5, 0.7, 0.5, 0.5, 0.5, 0.5, 0.33}, LevelSD: 3},
			{SD: []float64{0.2, 0.45, 0.35, 0.35, 0.55, 0.8, 0.8, 0.8, 0.8}, LevelSD: 0.05},
		},
		sweeps: []boardSweep{
			{"resnet", workload, "powertrain-agx-orin/train/resnet_train_data_final.csv"},
			{"mobilenet", "MobileNetV3 training, GLD-23k, minibatch 16",
				"powertrain-agx-orin/train/mobnet_train_data_final.csv"},
			{"lstm", "LSTM training, Wikitext, minibatch 16", "powertrain-agx-orin/train/lstm_train_data_final.csv"},
		},
	},
	{
		note: learn.ReferenceNote{
			Name:    "orin-nano",
			Version: 1,
			Device:  "Orin Nano",
			Source: "logs of PowerTrain's runs on an Orin Nano developer kit (8 GB, June 2024), published by " +
				"DREAM:Lab, IISc; medians of the last 40 minibatches",
			Licence: licence,
			Command: "go run ./internal/tools/makeref -board orin-nano -sweep ../shared/data/sweeps -out learn/ref",
		},
		carries: [2]learn.Share{{Mean: 0.5, SD: 0.4}, {Mean: 0.6, SD: 0.4}},
		sweeps:  []boardSweep{{"resnet", workload, "powertrain-orin-nano/orin_nano_train_derived.csv"}},
	},
}

// makeBoard writes the profile of a board from a folder of sweeps.
func makeBoard(name, sweeps, dir string, out io.Writer) error {
	for _, b := range boards {
		if b.note.Name != name {
			continue
		}
		var list []learn.ProfileSweep
		for _, s := range b.sweeps {
			file := filepath.Join(sweeps, filepath.FromSlash(s.file))
			table, err := sweep.ReadFile(file, sweep.Options{Strict: true})
			if err != nil {
				return err
			}
			list = append(list, learn.ProfileSweep{
				Network:  s.network,
				Workload: s.workload,
				Measured: table.Measured(),
			})
		}
		p, err := learn.NewProfile(b.note, b.carries, b.priors, list)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name+".board")
		if err := p.Save(path); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s: %d kernels from %d workloads, %d modes\n",
			path, len(p.Centres), len(p.Workloads), p.Compact("").Modes)
		return err
	}
	return fmt.Errorf("no board %q", name)
}
