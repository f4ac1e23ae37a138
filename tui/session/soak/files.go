package soak

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"jtune/internal/safefile"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// Files of a soak, beside those of every campaign.
const (
	SamplesName = "soak.csv"  // a line a second, written as it comes
	ResultName  = "soak.json" // the verdict
)

// files are what a soak keeps: every sample is on the disk before the next one is taken, so that whatever ends the
// program loses nothing that was seen. nil keeps nothing.
type files struct {
	dir  string
	mode tegra.Val[tegra.Mode]
	rec  *record.Record // nil: none
	f    *os.File
	out  *csv.Writer

	mu     sync.Mutex
	stepMS float64 // of the job's newest step; 0: none yet
	rails  []string
	mark   string
	err    error // the first of writing
}

// keep makes the folder of a soak.
func keep(s *session.Session, r Request) (*files, error) {
	now := s.Setup()
	k := &files{mode: now.Mode, rails: s.Device.Board().Rails, mark: strconv.FormatBool(s.Device.Board().Virtual)}
	if r.NoRecord {
		return k, nil
	}
	plan := record.PlanHeader{Kind: campaigns.RunKind, Modes: 1, Source: campaigns.SoakSource}
	head := campaigns.HeaderOf(s, r.Workload, plan, nil, record.Settings{SampleEvery: sampleEvery})
	rec, err := campaigns.Record(s, r.Dir, head, false)
	if err != nil {
		return nil, err
	}
	k.rec, k.dir = rec, rec.Dir()
	if k.f, err = safefile.Open(filepath.Join(k.dir, SamplesName), os.O_WRONLY|os.O_APPEND); err != nil {
		return nil, err
	}
	k.out = csv.NewWriter(k.f)
	names := []string{"t_s", "power_w", "tj_c", "cpu_khz", "cpu_asked_khz", "gpu_hz", "gpu_asked_hz", "emc_hz",
		"fan_pct",
		"throttled", "over_currents", "ram_bytes", "step_ms"}
	for _, rail := range k.rails {
		names = append(names, rail+"_v", rail+"_a")
	}
	k.line(append(names, "virtual"))
	return k, k.err
}

// log is the file for what the job says besides events; "" for none.
func (k *files) log() string {
	if k.rec == nil {
		return ""
	}
	return k.rec.Log()
}

// step is the time of the job's newest step.
func (k *files) step(ms float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stepMS = ms
}

func (k *files) line(fields []string) {
	if err := k.out.Write(fields); err == nil {
		k.out.Flush()
	}
	if err := k.out.Error(); err != nil && k.err == nil {
		k.err = err
	}
}

// sample keeps a reading; what the board does not show is empty.
func (k *files) sample(at float64, s telemetry.Sample) {
	if k.out == nil {
		return
	}
	k.mu.Lock()
	step := k.stepMS
	k.mu.Unlock()
	number := func(v tegra.Val[float64]) string {
		if !v.OK {
			return ""
		}
		return strconv.FormatFloat(v.V, 'f', -1, 64)
	}
	whole := func(v tegra.Val[int64]) string {
		if !v.OK {
			return ""
		}
		return strconv.FormatInt(v.V, 10)
	}
	hertz := func(v tegra.Val[tegra.Freq]) string { return whole(tegra.Val[int64]{V: int64(v.V), OK: v.OK}) }
	r, hottest := s.Reading, tegra.Val[float64]{}
	for _, z := range r.Temps {
		if !z.Dummy() && (!hottest.OK || z.C > hottest.V) {
			hottest = tegra.Some(z.C)
		}
	}
	throttled := ""
	if r.Throttled.OK {
		throttled = strconv.FormatBool(r.Throttled.V)
	}
	fields := []string{strconv.FormatFloat(at, 'f', 1, 64), number(r.TotalW), number(hottest),
		whole(tegra.InKHz(r.CPU.Actual)),
		whole(tegra.InKHz(r.CPU.Max)), hertz(r.GPU.Actual), hertz(r.GPU.Max), hertz(r.EMC.Actual), number(r.FanPct),
		throttled, whole(r.OverCurrents), whole(r.RAMUsed), number(tegra.Val[float64]{V: step, OK: step > 0})}
	for _, name := range k.rails {
		volts, amperes := tegra.Val[float64]{}, tegra.Val[float64]{}
		for _, rail := range r.Rails {
			if rail.Name == name {
				volts, amperes = rail.Volts, rail.Amperes
			}
		}
		fields = append(fields, number(volts), number(amperes))
	}
	k.line(append(fields, k.mark))
}

// result keeps the verdict.
func (k *files) result(r Result) error {
	if k.rec == nil {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = safefile.Replace(filepath.Join(k.dir, ResultName), append(text, '\n'))
	}
	if err == nil {
		err = k.rec.End("complete")
	}
	if err == nil {
		err = k.err
	}
	return err
}

func (k *files) close() {
	if k.f != nil {
		_ = k.f.Close()
	}
	if k.rec != nil {
		_ = k.rec.Close()
	}
}
