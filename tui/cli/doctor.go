package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tegra/rivals"
	"jtune/telemetry"
	"jtune/tui/session"
)

// The doctor measures its own cost at the fastest rate that jtune reads at.
const (
	costSpan  = time.Second
	costEvery = 100 * time.Millisecond
)

// diagnosisJSON is `jtune doctor --json`.
type diagnosisJSON struct {
	Model    string        `json:"model"`
	Virtual  bool          `json:"virtual"`
	Sources  []sourceJSON  `json:"sources"`
	Missing  []missingJSON `json:"missing_now"`
	Off      []string      `json:"temps_off"`
	Others   []rivalJSON   `json:"others"`
	Rights   rightsJSON    `json:"rights"`
	Overhead overheadJSON  `json:"overhead"`
	Verdict  verdictJSON   `json:"verdict"`
}

type sourceJSON struct {
	Name  string  `json:"name"`
	Path  *string `json:"path"`
	Found bool    `json:"found"`
	Why   *string `json:"why"` // why it is missing, or what is peculiar about it
}

type missingJSON struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// rivalJSON is somebody else who changes knobs.
type rivalJSON struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	State   string  `json:"state"`
	Path    *string `json:"path"`
	Touches *string `json:"touches"`
	Note    *string `json:"note"`
}

// overheadJSON is what jtune itself costs while it reads ten times a second.
type overheadJSON struct {
	SpanS      number `json:"span_s"`
	Readings   int    `json:"readings"`
	CPUPct     number `json:"cpu_pct"` // of one core
	ReadingUS  number `json:"reading_us"`
	BytesPerS  number `json:"bytes_per_s"` // read from files
	CallsPerS  number `json:"calls_per_s"`
	CPUPctAt1s number `json:"cpu_pct_at_1s"` // estimated from the above
}

func (a *app) doctor() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell every source of data that was tried, what is missing and why",
		Long: "Tells every source of data that was tried, what is missing and why, who else may change the\n" +
			"power mode, what jtune itself costs (measured for a second), and ends in one line of verdict.",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onDevice(func(s *session.Session) error {
				d, err := diagnose(cmd.Context(), s)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(a.out, d)
				}
				return a.printDiagnosis(d)
			})
		},
	}
	jsonFlag(cmd.Flags(), &asJSON)
	return cmd
}

func diagnose(ctx context.Context, s *session.Session) (diagnosisJSON, error) {
	b := s.Device.Board()
	out := diagnosisJSON{Model: b.Model, Virtual: b.Virtual, Missing: []missingJSON{}, Off: []string{}, Others: []rivalJSON{}, Rights: rights(s)}
	for _, p := range s.Sysfs().Probes() {
		out.Sources = append(out.Sources, sourceJSON{p.Name, optionalText(p.Path), p.Found, optionalText(p.Why)})
	}
	last, cost, err := measureCost(ctx, s.Device)
	if err != nil {
		return out, err
	}
	out.Overhead = cost
	for _, m := range last.Missing {
		out.Missing = append(out.Missing, missingJSON{m.Name, m.Why})
	}
	out.Off = append(out.Off, last.TempsOff...)
	others := rivals.Find(s.FS(), last, s.Device.Presets(), os.Getpid())
	for _, r := range others {
		out.Others = append(out.Others, rivalJSON{r.Name, string(r.Kind), string(r.State), optionalText(r.Path), optionalText(r.Touches), optionalText(r.Note)})
	}
	out.Verdict = verdict(factsOf(s, last, others, out.Rights))
	return out, nil
}

// measureCost reads for a second of real time and takes what that cost. The
// first reading opens the files and is left out.
func measureCost(ctx context.Context, d tegra.Device) (last tegra.Reading, cost overheadJSON, err error) {
	if last, err = d.Read(); err != nil {
		return last, cost, err
	}
	tick := time.NewTicker(costEvery)
	defer tick.Stop()
	begun, cpu, io := time.Now(), telemetry.OwnCPU(), telemetry.OwnIO()
	var reading time.Duration
	n := 0
	for ; time.Since(begun) < costSpan-costEvery/2; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return last, cost, ctx.Err()
		}
		from := time.Now()
		if last, err = d.Read(); err != nil {
			return last, cost, err
		}
		reading += time.Since(from)
	}
	span := time.Since(begun).Seconds()
	used := (telemetry.OwnCPU() - cpu).Seconds()
	cost = overheadJSON{SpanS: number(span), Readings: n, CPUPct: number(100 * used / span), ReadingUS: number(float64(reading.Microseconds()) / float64(n)),
		BytesPerS: notKnown, CallsPerS: notKnown, CPUPctAt1s: number(100 * used / float64(n))}
	if now := telemetry.OwnIO(); io.OK && now.OK {
		cost.BytesPerS, cost.CallsPerS = number(float64(now.V.Bytes-io.V.Bytes)/span), number(float64(now.V.Calls-io.V.Calls)/span)
	}
	return last, cost, nil
}

func (a *app) printDiagnosis(d diagnosisJSON) error {
	rows, missing := [][]string{{"", "source", "path", ""}}, 0
	for _, s := range d.Sources {
		mark := "ok"
		if !s.Found {
			mark = "missing"
			missing++
		}
		rows = append(rows, []string{mark, s.Name, text(s.Path), text(s.Why)})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%d sources, %d missing\n", len(d.Sources), missing)
	for _, m := range d.Missing {
		fmt.Fprintf(a.out, "no value now: %s: %s\n", m.Name, m.Why)
	}
	if len(d.Off) > 0 {
		fmt.Fprintf(a.out, "sensors without a value now, for their part is powered down or they cannot be read: %s\n", strings.Join(d.Off, ", "))
	}
	if err := a.printOthers(d.Others); err != nil {
		return err
	}
	o := d.Overhead
	fmt.Fprintf(a.out, "\nsetting modes: %s\n", d.Rights.How)
	fmt.Fprintf(a.out, "jtune itself: %.2f %% of a core at %d readings in %.1f s (about %.2f %% at one a second)", o.CPUPct, o.Readings, o.SpanS, o.CPUPctAt1s)
	if known(o.BytesPerS) {
		fmt.Fprintf(a.out, ", %.0f reads and %.1f kB a second", o.CallsPerS, o.BytesPerS/1000)
	}
	fmt.Fprintf(a.out, "; one reading takes %.0f µs\n", o.ReadingUS)
	_, err := fmt.Fprintf(a.out, "verdict: %s\n", d.Verdict.Text)
	return err
}

func (a *app) printOthers(others []rivalJSON) error {
	fmt.Fprintln(a.out)
	if len(others) == 0 {
		_, err := fmt.Fprintln(a.out, "nobody else was found who changes clocks, limits or the fan")
		return err
	}
	rows := [][]string{{"who else", "", "changes", "where", ""}}
	for _, r := range others {
		rows = append(rows, []string{r.Name, r.State, orDash(text(r.Touches)), orDash(text(r.Path)), text(r.Note)})
	}
	return table(a.out, rows...)
}
