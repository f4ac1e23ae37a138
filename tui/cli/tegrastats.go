package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/tegra"
	"jtune/telemetry/tegrastats"
)

// errEnough stops reading a log early without reporting an error.
var errEnough = errors.New("enough")

// logged is a record of a log, its reading, and its time since the first record with the source of that time.
type logged struct {
	tegrastats.Line
	r    tegra.Reading
	TS   float64 `json:"t_s"`
	From string  `json:"t_from"`
}

// quiet is how long a record may lack its next line: tegrastats writes a line at once.
const quiet = 300 * time.Millisecond

// eachRecord calls f for each record of a tegrastats log. At the end it notes where the times come from, if not from
// tegrastats, where the clock was set, and what it skipped; a log without any record is an error.
func eachRecord(ctx context.Context, a *app, name string, every time.Duration, f func(logged) error) error {
	in, done, err := input(a, name)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := scan(ctx, in)
	var reader tegrastats.Reader
	times := tegrastats.Times{Every: every}
	lines, taken := 0, 0
	for ended := false; !ended; {
		text, err := next(quiet)
		var records []tegrastats.Record
		switch {
		case errors.Is(err, io.EOF):
			records, ended = reader.End(), true
		case errors.Is(err, errQuiet):
			records = reader.End()
		case errors.Is(err, errLongLine):
			reader.Other++
		case err != nil:
			return fmt.Errorf("%s: after %d lines: %w", name, lines, err)
		default:
			lines++
			records = reader.Take(text)
		}
		for _, r := range records {
			taken++
			t, from := times.Of(&r)
			switch err := f(logged{r.Line, r.Reading(), t.Seconds(), from}); {
			case errors.Is(err, errEnough):
				return nil
			case err != nil:
				return fmt.Errorf("writing: %w", err)
			}
		}
	}
	if taken == 0 && reader.Other > 0 {
		return fmt.Errorf("%s: none of %d lines is tegrastats output: give a log of tegrastats, or pipe it in", name,
			reader.Other)
	}
	for _, note := range tegrastats.Notes(&reader, &times) {
		a.note("%s: %s", name, note)
	}
	return nil
}

// watchLog prints the readings of a tegrastats log.
func watchLog(ctx context.Context, a *app, name string, count int, every time.Duration) error {
	n := 0
	return eachRecord(ctx, a, name, every, func(l logged) error {
		var err error
		if a.asJSON {
			none, rule := tegra.Val[float64]{}, tegra.Board{TotalRule: given(l.TotalPowerRule).V}
			err = printLine(a.out, watchObject(l.TS, l.From, rule, l.r, none, none))
		} else {
			_, err = fmt.Fprintf(a.out, "%8.1fs  %s\n", l.TS, readingLine(tegra.Board{}, l.r, ""))
		}
		if n++; err == nil && n == count {
			err = errEnough
		}
		return err
	})
}

// newConvertTegrastats makes `jtune lab convert tegrastats`.
func newConvertTegrastats(a *app) *cobra.Command {
	return a.command("convert tegrastats", cobra.MaximumNArgs(1), func(ctx context.Context) error {
		name := cmp.Or(strings.Join(a.args, ""), "-")
		switch {
		case a.asJSON:
			return eachRecord(ctx, a, name, 0, func(l logged) error { return printLine(a.out, l) })
		case a.asCSV:
			return csvOfLog(ctx, a, name)
		}
		return watchLog(ctx, a, name, 0, 0)
	})
}

// csvOfLog prints a row per line. The first line sets the columns of the rails; missing fields are empty.
func csvOfLog(ctx context.Context, a *app, name string) error {
	var columns report.Table[logged]
	w := csv.NewWriter(a.out)
	return eachRecord(ctx, a, name, 0, func(l logged) error {
		if columns == nil {
			columns = lineColumns(l.Rails)
			w.Write(columns.Head())
		}
		w.Write(columns.Fields(l))
		w.Flush()
		return w.Error()
	})
}

// lineColumns are the columns of a line with these rails.
func lineColumns(rails []tegrastats.Rail) report.Table[logged] {
	mhz := func(f tegra.Val[tegra.Freq]) tegra.Val[float64] {
		return tegra.Val[float64]{V: f.V.MHz(), OK: f.OK}
	}
	columns := report.Table[logged]{
		{Key: "t_s", Of: func(x logged) any { return x.TS }},
		{Key: "timestamp", Of: func(x logged) any { return given(x.Timestamp) }},
		{Key: "total_power_mw",
			Of: func(x logged) any { return given(x.TotalPowerMW) }},
		{Key: "ram_used_mb", Of: func(x logged) any {
			if x.RAM == nil {
				return ""
			}
			return x.RAM.UsedMB
		}},
		{Key: "cores_on", Of: func(x logged) any { return x.r.Online() }},
		{Key: "cpu_load_pct", Of: func(x logged) any { return x.r.CPU.LoadPct }},
		{Key: "gpu_load_pct", Of: func(x logged) any { return x.r.GPU.LoadPct }},
		{Key: "gpu_freq_mhz", Of: func(x logged) any { return mhz(x.r.GPU.Actual) }},
		{Key: "emc_load_pct", Of: func(x logged) any { return x.r.EMC.LoadPct }},
		{Key: "emc_freq_mhz", Of: func(x logged) any { return mhz(x.r.EMC.Actual) }},
		{Key: "temp_max_c", Of: func(x logged) any { return x.r.Hottest() }},
	}
	for _, rail := range rails {
		columns = append(columns, report.Column[logged]{Key: strings.ToLower(rail.Name) + "_mw",
			Of: func(x logged) any {
				for _, r := range slices.Backward(x.Rails) {
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
