// Command notices lists the content of the jtune binary: the licences of every linked module,
// for a package's copyright file, or the modules as SPDX 2.3 for tools.
//
//	go list -deps ──► modules ──► their licence files ──► -copyright FILE
//	                     └──────────────────────────────► -sbom FILE
//
//	go run ./internal/tools/notices -arch arm64 -version 1.0.0 -copyright copyright -sbom jtune.spdx.json
//
// A module without a licence file, or with an unknown licence, is an error: somebody
// has to look at it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", "dev", "`VERSION` of jtune")
	arch := flags.String("arch", runtime.GOARCH, "`GOARCH` of the binary")
	copyrightFile := flags.String("copyright", "", "`FILE` for the licences")
	sbomFile := flags.String("sbom", "", "`FILE` for the list of modules")
	if err := flags.Parse(args); err != nil {
		return err
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return errors.New("SOURCE_DATE_EPOCH: want seconds since 1970, such as git log -1 --format=%ct prints")
	}
	list, err := modules(*arch)
	if err != nil {
		return err
	}
	std, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	list = append([]module{{Path: "std", Version: runtime.Version(), Dir: strings.TrimSpace(string(std))}}, list...)
	for i := range list {
		if err := list[i].read(); err != nil {
			return err
		}
	}
	if *copyrightFile != "" {
		if err := os.WriteFile(*copyrightFile, []byte(copyright(list)), 0o644); err != nil {
			return err
		}
	}
	if *sbomFile != "" {
		text, err := sbom(list, *version, time.Unix(epoch, 0))
		if err != nil {
			return err
		}
		return os.WriteFile(*sbomFile, text, 0o644)
	}
	return nil
}
