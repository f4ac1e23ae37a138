// Makeref makes the references that jtune ships from measured sweeps: the profile of a
// board, the compact residual of one workload or, with -networks, PowerTrain's networks with a note
// of their origin:
//
//	go run ./internal/tools/makeref -board agx-orin -sweep ../shared/data/sweeps -out learn/ref
//	go run ./internal/tools/makeref -sweep resnet_train_data_final.csv -out learn/ref
//	go run ./internal/tools/makeref -networks -sweep resnet_train_data_final.csv -out learn/baseline/nn/ref
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "makeref:", err)
		os.Exit(1)
	}
}

// The comparison with earlier measurements, and their origin; references from other measurements need other texts.
const (
	workload = "ResNet-18 training, ImageNet validation images, minibatch 16"
	source   = "github.com/kedar-1401/Dream-Lab, commit bf7d6b73ebe9b311263b6a085255eb56b1fd7149 (2024-08-07), " +
		"resnet_train_data_final.csv (the PowerTrain measurements of DREAM:Lab, IISc)"
)

// origin is the note in the compact reference.
var origin = learn.ReferenceNote{
	Name:     learn.ShippedName,
	Version:  1,
	Workload: workload,
	Device:   "AGX Orin",
	Source:   source,
	Licence:  "the measurements' repository states none; only constants derived from them are here, no measured row",
	Command:  "go run ./internal/tools/makeref -sweep resnet_train_data_final.csv -out learn/ref",
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("makeref", flag.ContinueOnError)
	file := flags.String("sweep", "", "measured `file` of the reference workload (required)")
	dir := flags.String("out", "", "`folder` for the reference (required)")
	networks := flags.Bool("networks", false, "train PowerTrain's networks")
	name := flags.String("board", "", "make the profile of this `board` from the folder of sweeps that -sweep names")
	var c nn.Config
	flags.Uint64Var(&c.Seed, "seed", 1, "of the networks' training")
	flags.IntVar(&c.MinSteps, "minsteps", 0, "least optimiser steps of the networks; 0: the standard 3000")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *file == "" || *dir == "" {
		return errors.New("-sweep and -out are required")
	}
	if *name != "" {
		return makeBoard(*name, *file, *dir, out)
	}
	table, err := sweep.ReadFile(*file, sweep.Options{Strict: true})
	if err != nil {
		return err
	}
	if *networks {
		return makeNetworks(ctx, table.Measured(), c, *dir, out)
	}
	return makeCompact(table.Measured(), *dir, out)
}

// makeCompact writes the compact residual of a sweep.
func makeCompact(samples []tegra.Measured, dir string, out io.Writer) error {
	c, err := learn.NewCompact(origin, samples)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, c.Name+".reference")
	if err := c.Save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d kernels from %d modes; rms of ln time, power: says %.4f, lost %.4f\n",
		path, len(c.Centres), c.Modes, c.Says, c.Lost)
	return err
}
