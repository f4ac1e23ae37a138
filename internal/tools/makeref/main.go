// Makeref trains the networks that jtune ships, PowerTrain's, on a measured sweep, and writes them with a note of their
// origin:
//
//	go run ./internal/tools/makeref -sweep resnet_train_data_final.csv -out learn/baseline/nn/ref
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"jtune/learn/baseline/nn"
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

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("makeref", flag.ContinueOnError)
	file := flags.String("sweep", "", "measured `file` of the reference workload (required)")
	dir := flags.String("out", "", "`folder` for the reference (required)")
	var c nn.Config
	flags.Uint64Var(&c.Seed, "seed", 1, "of the networks' training")
	flags.IntVar(&c.MinSteps, "minsteps", 0, "least optimiser steps of the networks; 0: the standard 3000")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *file == "" || *dir == "" {
		return errors.New("-sweep and -out are required")
	}
	table, err := sweep.ReadFile(*file, sweep.Options{Strict: true})
	if err != nil {
		return err
	}
	return makeNetworks(ctx, table.Measured(), c, *dir, out)
}
