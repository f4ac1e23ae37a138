package record

import (
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"jtune/internal/safefile"
	"jtune/profiles/harness"
)

// Software lists the releases that a campaign's results depend on, as far as known: L4T, JetPack, kernel, CUDA,
// framework.
func Software(dir string, h Header) []string { return SoftwareOf(Versions(dir), h) }

// SoftwareOf is Software of a campaign whose versions are known.
func SoftwareOf(versions []string, h Header) []string {
	out := slices.Clone(versions)
	if h.Device.L4T != "" {
		out = append(out, "L4T "+h.Device.L4T)
	}
	if h.Device.JetPack != "" {
		out = append(out, "JetPack "+h.Device.JetPack)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Versions returns the software that the first run of a campaign reported.
func Versions(dir string) []string {
	f, err := safefile.OpenRead(filepath.Join(dir, runsName))
	if err != nil {
		return nil
	}
	defer f.Close()
	at := slices.Index(runColumns, "versions")
	lines := csv.NewReader(safefile.Lines(f))
	lines.FieldsPerRecord, lines.ReuseRecord = -1, true
	for first := true; ; first = false {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) || err != nil {
			return nil
		}
		if !first && len(line) > at && line[at] != "" {
			return strings.Split(strings.Clone(line[at]), "; ")
		}
	}
}

// Framework picks the framework and CUDA from Versions; board, kernel and operating system are no part of the workload.
func Framework(versions []string) string {
	var out []string
	for _, v := range versions {
		switch {
		case v == harness.Simulated: // no framework
		case strings.HasPrefix(v, "L4T "), strings.HasPrefix(v, "JetPack "), strings.HasPrefix(v, "kernel "):
		case len(out) == 0, strings.HasPrefix(v, "CUDA "):
			out = append(out, v)
		}
	}
	return strings.Join(out, "; ")
}
