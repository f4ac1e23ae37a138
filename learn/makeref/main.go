// Makeref reduces a measured sweep to the compact residual reference that
// jtune ships for its default method:
//
//	go run ./learn/makeref -sweep resnet_train_data_final.csv -out learn/ref
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"jtune/learn"
	"jtune/tegra/sweep"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "makeref:", err)
		os.Exit(1)
	}
}

// origin is what the sweep of the shipped reference is; a reference from other
// measurements needs other words.
var origin = learn.ReferenceNote{
	Name:     learn.ShippedName,
	Version:  1,
	Workload: "ResNet-18 training, ImageNet validation images, minibatch 16",
	Device:   "AGX Orin",
	Source:   "github.com/kedar-1401/Dream-Lab, commit bf7d6b73ebe9b311263b6a085255eb56b1fd7149 (2024-08-07), resnet_train_data_final.csv (the PowerTrain measurements of DREAM:Lab, IISc)",
	Licence:  "the measurements' repository states none; only constants derived from them are here, no measured row",
	Command:  "go run ./learn/makeref -sweep resnet_train_data_final.csv -out learn/ref",
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("makeref", flag.ContinueOnError)
	file := flags.String("sweep", "", "measured `file` of the reference workload (required)")
	dir := flags.String("out", "", "`folder` for the reference (required)")
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
	c, err := learn.NewCompact(origin, table.Measured())
	if err != nil {
		return err
	}
	path := filepath.Join(*dir, c.Name+".reference")
	if err := c.Save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d kernels from %d modes; rms of ln time, power: says %.4f, lost %.4f\n", path, len(c.Centres), c.Modes, c.Says, c.Lost)
	return err
}
