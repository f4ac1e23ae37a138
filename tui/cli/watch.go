package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// watchJSON is one line of `jtune watch --json`.
type watchJSON struct {
	TS        number             `json:"t_s"`
	Device    *string            `json:"device"`
	Virtual   *bool              `json:"virtual"`
	TotalW    number             `json:"total_power_w"`
	TotalRule *string            `json:"total_power_rule"`
	Rails     []railJSON         `json:"rails"`
	CPU       []coreJSON         `json:"cpu"`
	CPUAsked  *int64             `json:"cpu_asked_khz"`
	GPU       clockJSON          `json:"gpu"`
	EMC       clockJSON          `json:"emc"`
	TempsC    map[string]float64 `json:"temps_c"`
	TempsOff  []string           `json:"temps_off"`
	FanPct    number             `json:"fan_pct"`
	Throttled tegra.Val[bool]    `json:"throttled"`
	Mode      *modeJSON          `json:"mode"`
	Self      selfJSON           `json:"self"`
}

type railJSON struct {
	Name   string `json:"name"`
	PowerW number `json:"power_w"`
}

type coreJSON struct {
	Online  bool   `json:"online"`
	LoadPct number `json:"load_pct"`
	KHz     *int64 `json:"khz"`
}

type clockJSON struct {
	Hz      *int64 `json:"hz"`
	AskedHz *int64 `json:"asked_hz"`
	LoadPct number `json:"load_pct"`
}

type selfJSON struct {
	CPUPct number `json:"cpu_pct"`
}

func (a *app) watch() *cobra.Command {
	interval, count, from, asJSON := time.Second, 0, "", false
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print live readings, one line each, or those of a tegrastats log",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if interval < 10*time.Millisecond {
				return usagef("--interval %s: 10ms at least", interval)
			}
			if count < 0 {
				return usagef("--count %d: must not be negative", count)
			}
			if from != "" {
				return a.watchLog(cmd.Context(), from, count, asJSON)
			}
			return a.watchDevice(cmd.Context(), interval, count, asJSON)
		},
	}
	cmd.Flags().DurationVar(&interval, "interval", interval, "time between readings")
	cmd.Flags().IntVar(&count, "count", 0, "stop after `N` readings; 0: go on")
	cmd.Flags().StringVar(&from, "from", "", "read lines of tegrastats from `FILE`, - for standard input")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per line")
	return cmd
}

// watchDevice reads at even distances on the device's own clock.
func (a *app) watchDevice(ctx context.Context, interval time.Duration, count int, asJSON bool) error {
	s, err := a.session()
	if err != nil {
		return err
	}
	defer s.Close()
	if a.alone && s.Virtual == nil {
		runtime.GOMAXPROCS(1) // one reads; waking others to look for work would cost more than the reading
	}
	board, self := s.Device.Board(), telemetry.NewSelf()
	if err := warmUp(ctx, s); err != nil {
		return err
	}
	begun := s.Clock.Now()
	for n := 1; ; n++ {
		r, err := s.Device.Read()
		if err != nil {
			return err
		}
		if asJSON {
			line := toWatchJSON(r)
			line.TS, line.Device, line.Virtual = number(r.T.Seconds()), optionalText(board.Name), &board.Virtual
			line.TotalRule, line.Self.CPUPct = optionalText(board.TotalRule), optionalNumber(self.CPUPct())
			err = printLine(a.out, line)
		} else {
			_, err = fmt.Fprintf(a.out, "%8.1fs  %s\n", r.T.Seconds(), readingLine(board, r))
		}
		if err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		if n == count {
			return nil
		}
		next := begun + time.Duration(n)*interval
		if err := s.Clock.Sleep(ctx, max(next-s.Clock.Now(), 0)); err != nil {
			return err
		}
	}
}

// loadSpan is the shortest time over which a load means something: 20 of the
// kernel's ticks.
const loadSpan = 200 * time.Millisecond

// warmUp makes the next reading one with loads, which are differences.
func warmUp(ctx context.Context, s *session.Session) error {
	if _, err := s.Device.Read(); err != nil {
		return err
	}
	return s.Clock.Sleep(ctx, loadSpan)
}

// toWatchJSON takes what the reading itself tells; the rest is null.
func toWatchJSON(r tegra.Reading) watchJSON {
	out := watchJSON{TS: notKnown, TotalW: optionalNumber(r.TotalW), Rails: []railJSON{}, CPU: []coreJSON{}, CPUAsked: optionalKHz(r.CPU.Max),
		GPU: toClockJSON(r.GPU), EMC: toClockJSON(r.EMC), TempsC: map[string]float64{}, TempsOff: append([]string{}, r.TempsOff...),
		FanPct: optionalNumber(r.FanPct), Throttled: r.Throttled, Mode: optionalMode(r.Mode), Self: selfJSON{notKnown}}
	for _, rail := range r.Rails {
		out.Rails = append(out.Rails, railJSON{rail.Name, optionalNumber(rail.PowerW)})
	}
	for _, c := range r.Cores {
		out.CPU = append(out.CPU, coreJSON{c.Online, optionalNumber(c.LoadPct), optionalKHz(c.Freq)})
	}
	for _, t := range r.Temps {
		out.TempsC[t.Name] = t.C
	}
	return out
}

func toClockJSON(c tegra.ClockReading) clockJSON {
	return clockJSON{Hz: optionalFreq(c.Actual), AskedHz: optionalFreq(c.Max), LoadPct: optionalNumber(c.LoadPct)}
}

func optionalKHz(v tegra.Val[tegra.Freq]) *int64 {
	if !v.OK {
		return nil
	}
	khz := v.V.KHz()
	return &khz
}

// readingLine prints a reading on one line, without its time.
func readingLine(b tegra.Board, r tegra.Reading) string {
	online := 0
	for _, c := range r.Cores {
		if c.Online {
			online++
		}
	}
	mode := "free"
	switch {
	case r.Mode.OK:
		mode = r.Mode.V.String()
	case b.Name == "", !r.EMC.Max.OK: // a log does not tell, nor a memory whose limits root alone may read
		mode = "–"
	}
	parts := []string{
		dash(r.TotalW, "%6.2f W"), mode,
		fmt.Sprintf("CPU %d/%d on %s %s", online, len(r.Cores), dashFreq(r.CPU.Actual), dash(cpuLoad(r), "%.0f %%")),
		fmt.Sprintf("GPU %s %s", dashFreq(r.GPU.Actual), dash(r.GPU.LoadPct, "%.0f %%")),
		fmt.Sprintf("EMC %s %s", dashFreq(r.EMC.Actual), dash(r.EMC.LoadPct, "%.0f %%")),
	}
	if hot := hottest(r.Temps); hot != nil {
		parts = append(parts, fmt.Sprintf("%s %.0f °C", hot.Name, hot.C))
	}
	if r.Throttled.Or(false) {
		parts = append(parts, "THROTTLED")
	}
	switch {
	case b.Replay != "":
		parts = append(parts, "REPLAY")
	case b.Virtual:
		parts = append(parts, "VIRTUAL")
	}
	return strings.Join(parts, "  ")
}

func hottest(temps []tegra.TempReading) *tegra.TempReading {
	var hot *tegra.TempReading
	for i := range temps {
		if t := temps[i]; strings.HasPrefix(t.Name, "PMIC") && (t.C == 50 || t.C == 100) {
			continue // a dummy: no sensor stands behind it
		}
		if hot == nil || temps[i].C > hot.C {
			hot = &temps[i]
		}
	}
	return hot
}

// cpuLoad is the load of all online cores together.
func cpuLoad(r tegra.Reading) tegra.Val[float64] {
	if r.CPU.LoadPct.OK {
		return r.CPU.LoadPct
	}
	sum, n := 0.0, 0
	for _, c := range r.Cores {
		if c.Online && c.LoadPct.OK {
			sum, n = sum+c.LoadPct.V, n+1
		}
	}
	if n == 0 {
		return tegra.Val[float64]{}
	}
	return tegra.Some(sum / float64(n))
}
