package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/telemetry/tegrastats"
)

// errEnough stops reading a log early without reporting an error.
var errEnough = errors.New("enough")

// eachLine calls f for each line of a tegrastats log. It counts other lines and notes them at the end; a log without
// any tegrastats line is an error.
func (a logs) eachLine(ctx context.Context, name string, f func(tegrastats.Line) error) error {
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
func (a logs) watchLog(ctx context.Context, name string, count int) error {
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

// stopwatch converts a log's timestamps to seconds since the first one.
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
type tegrastatsCmd struct{ logs }

func newConvertTegrastats(a *app) *cobra.Command {
	return command(&tegrastatsCmd{logs{a}}, &cobra.Command{
		Use:   "tegrastats [FILE|-]",
		Short: "Convert a tegrastats log, or its output through a pipe",
		Args:  cobra.MaximumNArgs(1),
	})
}

func (c *tegrastatsCmd) flags(f *pflag.FlagSet) {
	c.jsonFlag(f, asLines)
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

// csv prints a row per line. The first line sets the columns of the rails; missing fields are empty.
func (c *tegrastatsCmd) csv(ctx context.Context, name string) error {
	var columns report.Table[logged]
	w := csv.NewWriter(c.out)
	return c.eachLine(ctx, name, func(l tegrastats.Line) error {
		if columns == nil {
			columns = lineColumns(l.Rails)
			w.Write(columns.Head())
		}
		w.Write(columns.Fields(logged{l, l.Reading()}))
		w.Flush()
		return w.Error()
	})
}

// logged is a line of a log, and its reading.
type logged struct {
	l tegrastats.Line
	r tegra.Reading
}

// lineColumns are the columns of a line with these rails.
func lineColumns(rails []tegrastats.Rail) report.Table[logged] {
	mhz := func(f tegra.Val[tegra.Freq]) tegra.Val[float64] {
		return tegra.Val[float64]{V: f.V.MHz(), OK: f.OK}
	}
	columns := report.Table[logged]{
		{Key: "timestamp", Of: func(x logged) any { return given(x.l.Timestamp) }},
		{Key: "total_power_mw",
			Of: func(x logged) any { return given(x.l.TotalPowerMW) }},
		{Key: "ram_used_mb", Of: func(x logged) any {
			if x.l.RAM == nil {
				return ""
			}
			return x.l.RAM.UsedMB
		}},
		{Key: "cores_on", Of: func(x logged) any { return x.r.Online() }},
		{Key: "cpu_load_pct", Of: func(x logged) any { return x.r.CPU.LoadPct }},
		{Key: "gpu_load_pct", Of: func(x logged) any { return x.r.GPU.LoadPct }},
		{Key: "gpu_freq_mhz", Of: func(x logged) any { return mhz(x.r.GPU.Actual) }},
		{Key: "emc_load_pct", Of: func(x logged) any { return x.r.EMC.LoadPct }},
		{Key: "emc_freq_mhz", Of: func(x logged) any { return mhz(x.r.EMC.Actual) }},
		{Key: "temp_max_c", Of: func(x logged) any {
			if t := hottest(x.r.Temps); t != nil {
				return t.C
			}
			return ""
		}},
	}
	for _, rail := range rails {
		columns = append(columns, report.Column[logged]{Key: strings.ToLower(rail.Name) + "_mw",
			Of: func(x logged) any {
				for _, r := range slices.Backward(x.l.Rails) {
					if r.Name == rail.Name {
						return r.CurMW
					}
				}
				return ""
			}})
	}
	return columns
}

// given converts a pointer to a value that is absent for nil.
func given[T any](v *T) tegra.Val[T] {
	if v == nil {
		return tegra.Val[T]{}
	}
	return tegra.Some(*v)
}
