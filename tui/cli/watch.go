package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// watchCmd is `jtune watch`.
type watchCmd struct {
	*app
	Interval time.Duration
	Count    int
	From     string
}

func newWatch(a *app) *cobra.Command {
	c := &watchCmd{app: a, Interval: time.Second}
	return a.command("watch", nil, c.run, c)
}

func (c *watchCmd) run(ctx context.Context) error {
	if c.From != "" {
		return watchLog(ctx, c.app, c.From, c.Count, c.Interval)
	}
	return c.watchDevice(ctx)
}

// watchDevice reads at regular intervals on the device's clock.
func (c *watchCmd) watchDevice(ctx context.Context) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Virtual == nil {
		c.limitCPU()
	}
	board, self := s.Device.Board(), telemetry.NewSelf()
	if err := warmUp(ctx, s); err != nil {
		return err
	}
	if why := s.AwaitMeter(ctx); why != "" {
		c.note("%s", why)
	}
	begun, named := s.Clock.Now(), tegra.Reading{T: -nameEvery}
	name := ""
	for n := 1; ; n++ {
		r, err := s.Device.Read()
		if err != nil {
			return err
		}
		if !c.asJSON && (r.Mode != named.Mode || r.Locked != named.Locked || r.T-named.T >= nameEvery) {
			name, named = tegra.NameNow(s.Device, r), r
		}
		if c.asJSON {
			err = printLine(c.out, watchObject(r.T.Seconds(), "", board, r, s.MeterW(), self.CPUPct()))
		} else {
			text := readingLine(board, r, name) + supplies(r)
			if w := s.MeterW(); w.OK {
				text += fmt.Sprintf("  meter %.2f W", w.V)
			}
			_, err = fmt.Fprintf(c.out, "%8.1fs  %s\n", r.T.Seconds(), text)
		}
		if err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		if n == c.Count {
			return nil
		}
		next := begun + time.Duration(n)*c.Interval
		if err := s.Clock.Sleep(ctx, max(next-s.Clock.Now(), 0)); err != nil {
			return err
		}
	}
}

// nameEvery is how long the name of a mode holds: the preset set last is in a file, which is opened for each look.
const nameEvery = time.Second

// loadSpan is the minimum time for a meaningful load: 20 kernel ticks.
const loadSpan = 200 * time.Millisecond

// warmUp takes a first reading, so that the next one has loads, which are differences.
func warmUp(ctx context.Context, s *session.Session) error {
	if _, err := s.Device.Read(); err != nil {
		return err
	}
	return s.Clock.Sleep(ctx, loadSpan)
}

// watchObject is one line of `jtune watch --json`, of a device, or of a log and where its times are from: tegrastats,
// prefix or position. An absent value is null.
func watchObject(t float64, from string, b tegra.Board, r tegra.Reading, meter, self tegra.Val[float64]) report.Object {
	temps := map[string]float64{}
	for _, t := range r.Temps {
		temps[t.Name] = t.C
	}
	return report.Object{
		{"t_s", t},
		{"t_from", text.Optional(from)},
		{"device", text.Optional(b.Name)},
		{"virtual", tegra.Val[bool]{V: b.Virtual, OK: from == ""}},
		{"total_power_w", r.TotalW},
		{"total_power_rule", text.Optional(b.TotalRule)},
		{"rails", listOf(r.Rails)},
		{"cpu", listOf(r.Cores)},
		{"cpu_asked_khz", tegra.InKHz(r.CPU.Max)},
		{"gpu", r.GPU},
		{"emc", r.EMC},
		{"temps_c", temps},
		{"temps_off", listOf(r.TempsOff)},
		{"fan_pct", r.FanPct},
		{"throttled", r.Throttled},
		{"signals", listOf([]tegra.Signal(r.Signals))},
		{"hot", r.Hot() != ""},
		{"hot_reason", text.Optional(r.Hot())},
		{"mode", r.Mode},
		{"locked", r.Locked}, // its clocks are locked
		{"meter_w", meter},
		{"self", report.Object{{"cpu_pct", self}}},
	}
}

// readingLine formats a reading on one line without its time; name is its mode's name (session.NameNow).
func readingLine(b tegra.Board, r tegra.Reading, name string) string {
	mode := "custom"
	switch {
	case r.Mode.OK:
		switch mode = r.Mode.V.String(); {
		case name != "":
			mode += named(name)
		case r.Locked.V:
			mode += " locked"
		}
	case b.Name == "", !r.EMC.Max.OK: // not in a log; the memory's limits may need root
		mode = "–"
	}
	parts := []string{
		dash(r.TotalW, "%6.2f W"), mode,
		fmt.Sprintf("CPU %d/%d on %s %s", r.Online(), len(r.Cores), dash(r.CPU.Actual, "%v"),
			dash(r.CPU.LoadPct, "%.0f %%")),
		fmt.Sprintf("GPU %s %s", dash(r.GPU.Actual, "%v"), dash(r.GPU.LoadPct, "%.0f %%")),
		fmt.Sprintf("EMC %s %s", dash(r.EMC.Actual, "%v"), dash(r.EMC.LoadPct, "%.0f %%")),
	}
	if hot, ok := r.HottestZone(); ok {
		parts = append(parts, fmt.Sprintf("%s %.0f °C", hot.Name, hot.C))
	}
	if r.Throttled.Or(false) {
		parts = append(parts, "THROTTLED")
	}
	for _, c := range r.Slow {
		if !c.Capped {
			parts = append(parts, c.String())
			break
		}
	}
	for _, a := range r.Alarming() {
		parts = append(parts, a.String())
	}
	if why := r.Hot(); why != "" {
		parts = append(parts, "HOT: "+why)
	}
	switch {
	case b.Replay != "":
		parts = append(parts, "REPLAY")
	case b.Virtual:
		parts = append(parts, "VIRTUAL")
	}
	return strings.Join(parts, "  ")
}

// supplies formats voltage and current of the rails that report them.
func supplies(r tegra.Reading) (text string) {
	for _, rail := range r.Rails {
		if rail.Volts.OK || rail.Amperes.OK {
			text += fmt.Sprintf("  %s %s %s", rail.Name, dash(rail.Volts, "%.2f V"), dash(rail.Amperes, "%.2f A"))
		}
	}
	return text
}
