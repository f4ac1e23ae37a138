package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/telemetry/tegrastats"
	"jtune/tui/export"
)

// errEnough ends reading a log early without an error.
var errEnough = errors.New("enough")

// eachLine calls f with each line of a tegrastats log. Other lines are counted and
// noted at the end; a log without any tegrastats line is an error.
func (a *app) eachLine(ctx context.Context, name string, f func(tegrastats.Line) error) error {
	in, done, err := a.input(name)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := scan(ctx, in)
	taken, other := 0, 0
	for {
		text, err := next()
		if errors.Is(err, io.EOF) {
			break
		} else if errors.Is(err, errLongLine) {
			other++
			continue
		} else if err != nil {
			return fmt.Errorf("%s: after %d lines: %w", name, taken+other, err)
		}
		line, ok := tegrastats.Parse(text)
		switch {
		case ok:
			taken++
			if err := f(line); errors.Is(err, errEnough) {
				return nil
			} else if err != nil {
				return fmt.Errorf("writing: %w", err)
			}
		case strings.TrimSpace(text) != "":
			other++
		}
	}
	if taken == 0 && other > 0 {
		return fmt.Errorf("%s: none of %d lines is tegrastats output: give a log of tegrastats, or pipe it in", name,
			other)
	}
	if other > 0 {
		a.note("%s: %s skipped: not tegrastats output", name, text.Count(other, "line"))
	}
	return nil
}

// watchLog prints the readings of a tegrastats log.
func (a *app) watchLog(ctx context.Context, name string, count int) error {
	n := 0
	var since stopwatch
	return a.eachLine(ctx, name, func(l tegrastats.Line) error {
		r, t := l.Reading(), since.at(l.Timestamp)
		var err error
		if a.asJSON {
			line := toWatchJSON(r)
			if line.TS = t; l.TotalPowerRule != nil {
				line.TotalRule = text.Optional(*l.TotalPowerRule)
			}
			err = printLine(a.out, line)
		} else {
			_, err = fmt.Fprintf(a.out, "%9s  %s\n", dash(t, "%.1fs"), readingLine(tegra.Board{}, r, ""))
		}
		if n++; err == nil && n == count {
			err = errEnough
		}
		return err
	})
}

// stopwatch turns the stamps of a log into seconds since its first one.
type stopwatch struct{ first time.Time }

func (w *stopwatch) at(stamp *string) tegra.Val[float64] {
	if stamp == nil {
		return tegra.Val[float64]{}
	}
	t, err := time.Parse("01-02-2006 15:04:05", *stamp)
	if err != nil {
		return tegra.Val[float64]{}
	}
	if w.first.IsZero() {
		w.first = t
	}
	return tegra.Some(t.Sub(w.first).Seconds())
}

// tegrastatsCmd is `jtune convert tegrastats`.
type tegrastatsCmd struct{ *app }

func newConvertTegrastats(a *app) *cobra.Command {
	return command(&tegrastatsCmd{a}, &cobra.Command{
		Use:   "tegrastats [FILE|-]",
		Short: "Convert a tegrastats log, or its output through a pipe",
		Args:  cobra.MaximumNArgs(1),
	})
}

func (c *tegrastatsCmd) flags(f *pflag.FlagSet) {
	c.jsonLinesFlag(f)
	f.BoolVar(&c.asCSV, "csv", false, "as CSV, with the rails of the first line")
}

func (c *tegrastatsCmd) run(ctx context.Context) error {
	name := "-"
	if len(c.args) > 0 {
		name = c.args[0]
	}
	switch {
	case c.asJSON:
		return c.eachLine(ctx, name, func(l tegrastats.Line) error { return printLine(c.out, l) })
	case c.asCSV:
		return c.csv(ctx, name)
	}
	return c.watchLog(ctx, name, 0)
}

// csv prints a row per line. The columns of the rails are those of
// the first line; fields that a line lacks stay empty.
func (c *tegrastatsCmd) csv(ctx context.Context, name string) error {
	w := csv.NewWriter(c.out)
	var rails []string
	begun := false
	return c.eachLine(ctx, name, func(l tegrastats.Line) error {
		if !begun {
			begun = true
			header := []string{"timestamp", "total_power_mw", "ram_used_mb", "cores_on", "cpu_load_pct", "gpu_load_pct",
				"gpu_freq_mhz", "emc_load_pct", "emc_freq_mhz", "temp_max_c"}
			for _, r := range l.Rails {
				rails, header = append(rails, r.Name), append(header, strings.ToLower(r.Name)+"_mw")
			}
			w.Write(header)
		}
		w.Write(tegrastatsFields(l, rails))
		w.Flush()
		return w.Error()
	})
}

func tegrastatsFields(l tegrastats.Line, rails []string) []string {
	r := l.Reading()
	value := func(v tegra.Val[float64]) string {
		if !v.OK {
			return ""
		}
		return export.Text(v.V)
	}
	mhz := func(v tegra.Val[tegra.Freq]) string {
		if !v.OK {
			return ""
		}
		return export.Text(v.V.MHz())
	}
	whole := func(v *int) string {
		if v == nil {
			return ""
		}
		return strconv.Itoa(*v)
	}
	stamp, ram, hot := "", "", ""
	if l.Timestamp != nil {
		stamp = *l.Timestamp
	}
	if l.RAM != nil {
		ram = strconv.Itoa(l.RAM.UsedMB)
	}
	if t := hottest(r.Temps); t != nil {
		hot = export.Text(t.C)
	}
	out := []string{
		stamp,
		whole(l.TotalPowerMW),
		ram,
		strconv.Itoa(r.Online()),
		value(r.CPU.LoadPct),
		value(r.GPU.LoadPct),
		mhz(r.GPU.Actual),
		value(r.EMC.LoadPct),
		mhz(r.EMC.Actual),
		hot,
	}
	power := map[string]string{}
	for _, rail := range l.Rails {
		power[rail.Name] = strconv.Itoa(rail.CurMW)
	}
	for _, name := range rails {
		out = append(out, power[name])
	}
	return out
}
