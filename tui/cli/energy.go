package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/figure"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// energyFlags are the flags of experiment energy that are no part of its request.
type energyFlags struct {
	infer       inferFlags
	governors   []string
	against     string
	latencyCost float64
	svg         string
}

func (a *app) energy() *cobra.Command {
	var r session.EnergyRequest
	var f energyFlags
	cmd := &cobra.Command{
		Use:   "energy WORKLOAD",
		Short: "Find the clocks that answer a request at the least energy",
		Long: "Measures pairs of CPU and GPU clocks, cores and memory at their maxima, and compares the energy of a " +
			"request with that under the default governors, all clocks free, which is measured first, in the " +
			"middle and last.\n\n" +
			"A model screens the pairs: 24 evenly spread ones, the 5 of least energy that it predicts, the " +
			"neighbours of the best, and a few settings with fewer cores or slower memory; those that may be the " +
			"answer are read three times. --full measures every pair, ten times with 3,200 inferences each: days. " +
			"--out DIR --resume continues an interrupted study. A reading that disagrees with all others is never " +
			"the answer.\n\n" +
			"--batch 1,4,16 studies the first size and measures the others beside the baseline. At the end the " +
			"board is restored, governors included.",
		Example: "  jtune experiment energy mobilenet-infer --batch 1\n" +
			"  jtune experiment energy mobilenet-infer --full --repeat 10 --out study\n" +
			"  jtune experiment energy mobilenet-infer --governor cpu=performance,gpu=simple_ondemand\n" +
			"  jtune experiment energy mobilenet-infer --latency-cost 20 --svg plots",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd.Flags().Changed("latency-cost"), &r); err != nil {
				return err
			}
			return a.onDevice(func(s *session.Session) error {
				if err := s.EnsureFullSpace(cmd.Context()); err != nil {
					return err
				}
				if err := a.energyJobs(s, args[0], f, &r); err != nil {
					return err
				}
				return a.doEnergy(cmd.Context(), s, r, f, cmd.Flags().Changed("latency-cost"))
			})
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&r.Full, "full", false, "measure every pair of clocks; says before how long that takes")
	countFlag(fl, &r.Repeat, "repeat", "read each pair that may be the answer `N` times; with --full every pair "+
		"(default 3, or 10)")
	countFlag(fl, &r.Inferences, "inferences",
		"answer `N` in each reading (default 40 batches and 3 s; with --full 3200)")
	fl.StringArrayVar(&f.governors, "governor", nil, "another baseline: `NAMES` such as "+
		"cpu=performance,gpu=simple_ondemand; may be repeated")
	fl.Float64Var(&f.latencyCost, "latency-cost", 0, "also the least energy whose latency is at most `PCT` percent "+
		"above the baseline's")
	fl.StringVar(&f.against, "against", "", "compare with workload `NAME`: the same requests, in the baseline and at the "+
		"best pair")
	f.infer.addJob(fl)
	fl.DurationVar(&r.Every, "interval", 100*time.Millisecond, "time between two power samples")
	fl.StringVar(&f.svg, "svg", "", "draw the heat map and the curves as SVG files in `DIR`")
	fl.StringVar(&r.Dir, "out", "", "record folder, new (default below the data directory)")
	fl.BoolVar(&r.Resume, "resume", false, "continue the same study in --out DIR")
	fl.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: repeat the readings that failed")
	fl.BoolVar(&a.asCSV, "csv", false, "every point as CSV")
	a.weightsFlag(fl)
	a.jsonFlag(fl)
	return cmd
}

func (f *energyFlags) check(capped bool, r *session.EnergyRequest) error {
	r.Governors = nil
	for _, word := range f.governors {
		g, err := readGovernors(word)
		if err != nil {
			return err
		}
		r.Governors = append(r.Governors, g)
	}
	switch {
	case capped && !(f.latencyCost >= 0 && f.latencyCost <= 1000):
		return usagef("--latency-cost %g: want 0 to 1000 percent", f.latencyCost)
	case r.Every < time.Millisecond || r.Every > time.Second:
		return usagef("--interval %s: want 1ms to 1s", r.Every)
	}
	return checkResume(r.Dir, r.Resume, r.RedoFailed)
}

// readGovernors reads cpu=NAME,gpu=NAME.
func readGovernors(word string) (g tegra.Governors, err error) {
	for part := range strings.SplitSeq(word, ",") {
		what, name, _ := strings.Cut(part, "=")
		to := map[string]*string{"cpu": &g.CPU, "gpu": &g.GPU}[what]
		if to == nil || name == "" || *to != "" {
			return g, usagef("--governor %s: want cpu=NAME, gpu=NAME, or both with a comma", word)
		}
		*to = name
	}
	return g, nil
}

// energyJobs finds the workloads of a study and their batch sizes.
func (a *app) energyJobs(s *session.Session, name string, f energyFlags, r *session.EnergyRequest) error {
	w, _, err := s.SizedWorkload(name)
	if err != nil {
		return err
	}
	if w, err = f.infer.over(w); err != nil {
		return err
	}
	var others []int
	if given := a.options.Batches; len(given) > 0 {
		w, others = w.AtBatch(given[0]), given[1:]
	} else if s.TakesBatches(w) {
		w = w.AtBatch(1)
	}
	r.Workload, r.Batches = w, s.OtherBatches(w, others)
	if f.against != "" {
		other, _, err := s.SizedWorkload(f.against)
		if err != nil {
			return err
		}
		other = other.AtBatch(w.Batch)
		if other.Name == w.Name || !other.Infers() {
			return usagef("--against %s: want another workload of inference", f.against)
		}
		r.Against = &other
	}
	return nil
}

func (a *app) doEnergy(ctx context.Context, s *session.Session, r session.EnergyRequest, f energyFlags,
	capped bool) error {
	rep := a.reporter(s.Device)
	ctx, orders := s.Obey(ctx, session.TaskSpec{Kind: session.Profiling, Workload: r.Workload}, r.Dir != "", rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	res, err := s.EnergyStudy(ctx, r, orders.Observing(rep.observe))
	rep.wipe()
	if res.Dir == "" {
		return err
	}
	if ctx.Err() != nil {
		a.note("interrupted after %s; continue with: jtune experiment energy … --out %s --resume",
			res.Elapsed.Round(time.Second), res.Dir)
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	a.note("recorded in %s, with report.txt and report.csv", filepath.Clean(res.Dir))
	figures := []figure.Figure{res.HeatMap(), res.Curves(tegra.KnobGPU), res.Curves(tegra.KnobCPU)}
	if err := a.drawFigures(f.svg, figures); err != nil {
		return err
	}
	switch {
	case a.asJSON:
		err = printJSON(a.out, toEnergyJSON(res, s, f.latencyCost, capped))
	case a.asCSV:
		err = res.CSV(a.out)
	default:
		err = a.printEnergy(res, figures, f.latencyCost, capped)
	}
	if err == nil && !res.Least.OK {
		err = fmt.Errorf("experiment energy: no pair of clocks was measured: %s", strings.Join(res.Failed, "; "))
	}
	return err
}

func (a *app) printEnergy(res session.EnergyReport, figures []figure.Figure, cost float64, capped bool) error {
	if err := res.Text(a.out); err != nil {
		return err
	}
	if capped {
		fmt.Fprintln(a.out, wrapped(res.CappedText(cost)))
	}
	for _, f := range figures[:2] {
		fmt.Fprintln(a.out)
		if err := a.printFigure(f, plotRequest{}); err != nil {
			return err
		}
	}
	return nil
}

// energyPointJSON is a point of a study.
type energyPointJSON struct {
	Setting   string             `json:"setting,omitempty"` // of what is measured beside the pairs
	Mode      tegra.Mode         `json:"mode"`
	Status    string             `json:"status"`
	N         int                `json:"n"`
	UnitJ     float64            `json:"unit_j"`
	CVPct     tegra.Val[float64] `json:"cv_pct"`
	TimeMS    float64            `json:"time_ms"`
	PowerW    float64            `json:"power_w"`
	P50MS     tegra.Val[float64] `json:"p50_ms"`
	P95MS     tegra.Val[float64] `json:"p95_ms"`
	P99MS     tegra.Val[float64] `json:"p99_ms"`
	EnergyPct tegra.Val[float64] `json:"energy_change_pct"`
	TimePct   tegra.Val[float64] `json:"time_change_pct"`
}

type energyBaselineJSON struct {
	energyPointJSON
	Batch    int                 `json:"batch"`
	DriftPct float64             `json:"drift_pct"`
	CPU      telemetry.Residency `json:"cpu_residency"`
	GPU      telemetry.Residency `json:"gpu_residency"`
}

type energyCappedJSON struct {
	LatencyCostPct float64          `json:"latency_cost_pct"`
	Answer         *energyPointJSON `json:"answer"`
}

type energyJSON struct {
	Experiment   string               `json:"experiment"`
	Workload     string               `json:"workload"`
	Device       string               `json:"device"`
	Virtual      bool                 `json:"virtual"`
	Unit         string               `json:"unit"`
	Batch        int                  `json:"batch"`
	Full         bool                 `json:"full"`
	Repeat       int                  `json:"repeat"`
	Least        *energyPointJSON     `json:"least"`
	Beyond       *energyPointJSON     `json:"beyond"`
	Within       []energyCappedJSON   `json:"within"`
	LatencyFalls bool                 `json:"latency_falls"`
	Inner        bool                 `json:"inner_minimum"`
	Baselines    []energyBaselineJSON `json:"baselines"`
	Sizes        []energyBaselineJSON `json:"sizes"`
	Against      []energyBaselineJSON `json:"against"`
	Points       []energyPointJSON    `json:"points"`
	Findings     []string             `json:"findings"`
	Failed       []string             `json:"failed"`
	Dir          string               `json:"dir"`
}

func toEnergyJSON(r session.EnergyReport, s *session.Session, cost float64, capped bool) energyJSON {
	b := s.Device.Board()
	out := energyJSON{Experiment: "energy", Workload: r.Workload.Name, Device: b.Name, Virtual: b.Virtual,
		Unit: r.Workload.UnitName(), Batch: r.Workload.Batch, Full: r.Full, Repeat: r.Repeat,
		LatencyFalls: r.LatencyFalls(), Inner: r.Grid().InnerMinimum(), Baselines: baselinesJSON(r, r.Baselines),
		Sizes: baselinesJSON(r, r.Sizes), Against: baselinesJSON(r, r.Against), Points: []energyPointJSON{},
		Findings: listOf(r.Findings()), Failed: listOf(r.Failed), Dir: r.Dir}
	one := func(p tegra.Val[optimize.EnergyPoint]) *energyPointJSON {
		if !p.OK {
			return nil
		}
		x := energyPoint(r, p.V, "", r.UnitJ(p.V), r.Latency(p.V.Mode))
		return &x
	}
	out.Least, out.Beyond = one(r.Least), one(r.Beyond)
	costs := []float64{0, 10, 20}
	if capped {
		costs = []float64{cost}
	}
	for _, pct := range costs {
		out.Within = append(out.Within, energyCappedJSON{pct, one(r.Capped(pct))})
	}
	for _, p := range r.Points {
		out.Points = append(out.Points, energyPoint(r, p, "", r.UnitJ(p), r.Latency(p.Mode)))
	}
	return out
}

func baselinesJSON(r session.EnergyReport, list []session.EnergyBaseline) []energyBaselineJSON {
	out := []energyBaselineJSON{}
	for _, b := range list {
		out = append(out, energyBaselineJSON{energyPoint(r, b.EnergyPoint, b.Name, b.UnitJ(), b.Latency), b.Batch,
			b.DriftPct, b.CPU, b.GPU})
	}
	return out
}

func energyPoint(r session.EnergyReport, p optimize.EnergyPoint, name string, unitJ float64,
	l record.Latency) energyPointJSON {
	out := energyPointJSON{Setting: name, Mode: p.Mode, Status: session.StatusOf(p), N: p.N, UnitJ: unitJ,
		CVPct: p.CVPct, TimeMS: p.TimeMS, PowerW: p.PowerW, P95MS: l.SureP95(), P99MS: l.SureP99()}
	out.P50MS = tegra.Val[float64]{V: l.P50, OK: l.N > 0}
	out.EnergyPct, out.TimePct = r.Change(p, unitJ)
	return out
}
