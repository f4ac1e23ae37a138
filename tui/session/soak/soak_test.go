package soak

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/telemetry/hold"
	"jtune/tui/session"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// request soaks what fits a board.
func request(t *testing.T, s *session.Session, board string) Request {
	t.Helper()
	job := "resnet18"
	if board == "nano" {
		job = "lenet5"
	}
	w := must.Get(workloads.Find(s, job))(t)
	return Request{Workload: w, Rest: 5 * time.Second}
}

func board(t *testing.T, name string, seed uint64, faults []string, air tegra.Val[float64]) *session.Session {
	t.Helper()
	return sessiontest.Open(t, session.Options{Device: "virtual:" + name, Speed: math.Inf(1), Seed: seed,
		Faults:   faults,
		AmbientC: air})
}

// rows are the samples that a soak kept, by column.
func rows(t *testing.T, dir string) (out []map[string]string) {
	t.Helper()
	text := must.Read(t, filepath.Join(dir, SamplesName))
	all := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, v := range line {
			row[all[0][i]] = v
		}
		out = append(out, row)
	}
	return out
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseFloat(text, 64))(t)
	return v
}

// first is when a sample first was as asked.
func first(t *testing.T, all []map[string]string, is func(map[string]string) bool) float64 {
	t.Helper()
	for _, row := range all {
		if is(row) {
			return number(t, row["t_s"])
		}
	}
	return math.NaN()
}

// Six boards, three seeds: one soak that holds, one that throttles late in a warm box with a blocked fan, and one that
// breaks a limit in amperes get the right verdict at the right time.
func TestSoaksOfSixBoards(t *testing.T) {
	boards, seeds, lasts := virtual.Names(), uint64(3), Usual
	if os.Getenv("JTUNE_LONG") == "" {
		boards, seeds, lasts = []string{"agx-orin", "nano", "xavier-nx"}, 1, 20*time.Minute
	}
	for _, name := range boards {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				t.Parallel()
				s := board(t, name, seed, nil, tegra.Val[float64]{})
				r := request(t, s, name)
				r.For = lasts
				held, err := Run(t.Context(), s, r, nil)
				if err != nil || held.Verdict != hold.Holds || held.DurationS != lasts.Seconds() ||
					held.Throttled != nil ||
					!held.Virtual || !held.Steady.TjC.OK {
					t.Fatalf("%v: %+v", err, held)
				}
				kept := rows(t, held.Dir)
				if len(kept) < int(lasts.Seconds())-2 {
					t.Errorf("%d samples of %v are kept", len(kept), lasts)
				}
				wantThrottling(t, name, seed)
				wantAmperes(t, name, seed, held)
			})
		}
	}
}

func wantThrottling(t *testing.T, name string, seed uint64) {
	t.Helper()
	s := board(t, name, seed, []string{"fan"}, tegra.Some(40.0))
	r := request(t, s, name)
	r.For = Usual
	out, err := Run(t.Context(), s, r, nil)
	if err != nil || out.Verdict != hold.DoesNotHold || out.Throttled == nil ||
		!strings.Contains(out.Reason, "clock fell") {
		t.Fatalf("with a blocked fan: %v: %+v", err, out)
	}
	kept := rows(t, out.Dir)
	at := first(t, kept, func(row map[string]string) bool { return row["throttled"] == "true" })
	if math.Abs(out.Throttled.AtS-at) > 1.1 || math.Abs(out.DurationS-at) > 1.1 || at < 60 {
		t.Errorf("it throttled at %g s, by the verdict at %g, and ended at %g", at, out.Throttled.AtS, out.DurationS)
	}
	if out.Peak.TjC.V < 97 || out.Throttled.To.V >= out.Throttled.From.V {
		t.Errorf("%+v", out)
	}
}

func wantAmperes(t *testing.T, name string, seed uint64, held Result) {
	t.Helper()
	if !held.Peak.Amperes.OK || !held.Least.Volts.OK {
		t.Fatalf("no peak current: %+v", held)
	}
	limit := 0.97 * held.Peak.Amperes.V
	s := board(t, name, seed, nil, tegra.Val[float64]{})
	r := request(t, s, name)
	r.For, r.GoOn = 2*time.Minute, true
	r.Limits = metric.Limits{}.With(metric.Bound{Metric: metric.Current, On: held.Peak.Rail.V, Value: limit})
	out := must.Get(Run(t.Context(), s, r, nil))(t)
	at := first(t, rows(t, out.Dir), func(row map[string]string) bool {
		return number(t, row[held.Peak.Rail.V+"_a"]) > limit
	})
	if math.IsNaN(at) { // this unit reached it later
		must.Equal(t, out.Verdict, hold.Holds, limit)
		return
	}
	if out.Verdict != hold.DoesNotHold || !strings.Contains(out.Reason, " A of "+held.Peak.Rail.V) ||
		out.Margins.Amperes.V >= 0 || out.DurationS < 119 {
		t.Errorf("over %g A at %g s: %+v", limit, at, out)
	}
	if e := out.Events[1]; math.Abs(e.AtS-at) > 1.1 {
		t.Errorf("the event is at %g s, the sample at %g", e.AtS, at)
	}
}

func TestSoakUntilSteadyInAMode(t *testing.T) {
	t.Parallel()
	s := board(t, "agx-orin", 1, nil, tegra.Val[float64]{})
	r := request(t, s, "agx-orin")
	found := s.Setup()
	mode := must.Get(s.FindRequest(t.Context(), "8c/1.73C/0.62G/3.20M"))(t)
	r.Mode, r.UntilSteady = &mode, true
	var seen []Status
	out, err := Run(t.Context(), s, r, func(st Status) { seen = append(seen, st) })
	if err != nil || out.Verdict != hold.Holds || !out.Steady.Reached || out.Mode.V != mode.Mode ||
		out.DurationS > 3600 ||
		out.DurationS < 300 {
		t.Fatalf("%v: %+v", err, out)
	}
	if now := s.Setup(); now.Mode != found.Mode || now.Locked != found.Locked {
		t.Errorf("the board is not restored: %+v, %+v", now, found)
	}
	if len(seen) < 20 || seen[0].Phase != Resting || seen[len(seen)-1].Phase != RestingAfter {
		t.Errorf("%d states", len(seen))
	}
	text, err := os.ReadFile(filepath.Join(out.Dir, ResultName))
	var kept Result
	if err == nil {
		err = json.Unmarshal(text, &struct {
			Verdict *hold.Verdict `json:"verdict"`
		}{&kept.Verdict})
	}
	must.NoError(t, err)
	must.Equal(t, kept.Verdict, hold.Holds)
}

// What happens to a board in the middle of a soak.
func TestSoakOfABoardThatFails(t *testing.T) {
	t.Parallel()
	zones := "/sys/class/thermal/thermal_zone*/temp"
	for name, c := range map[string]struct {
		fault  virtual.FileFault
		reason string
	}{
		"a lost sensor":   {virtual.FileFault{Pattern: zones, Read: os.ErrPermission}, "the temperature does not"},
		"a frozen sensor": {virtual.FileFault{Pattern: zones}, "-therm repeats "},
		"a job that ends": {virtual.FileFault{}, "after 95 s of 8 min"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := board(t, "agx-orin", 1, nil, tegra.Val[float64]{})
			r := request(t, s, "agx-orin")
			r.For = 8 * time.Minute
			injected := false
			out, err := Run(t.Context(), s, r, func(st Status) {
				if st.At > 90*time.Second && !injected {
					injected = true
					faults := virtual.Faults{}
					switch {
					case c.fault.Pattern == "":
						faults.DieAfter = 1
					case c.fault.Read == nil: // as it stands
						c.fault.Garbage = strconv.Itoa(int(math.Round(st.TjC.V * 1000)))
						fallthrough
					default:
						faults.Files = []virtual.FileFault{c.fault}
					}
					s.Virtual.Inject(faults)
				}
			})
			if err != nil || out.Verdict != hold.NotSeen || !strings.Contains(out.Reason, c.reason) {
				t.Fatalf("%v: %s: %s %v", err, out.Verdict, out.Reason, out.Events)
			}
			if n := len(rows(t, out.Dir)); n < 85 || n < int(out.DurationS)-2 {
				t.Errorf("%d samples of %g s", n, out.DurationS)
			}
		})
	}
}

// A board that leaves the mode under test proves nothing about it: the samples of the other mode do not count.
func TestSoakOfABoardThatLeavesItsMode(t *testing.T) {
	t.Parallel()
	s := board(t, "agx-orin", 1, nil, tegra.Val[float64]{})
	g := must.Get(s.Guard(t.Context()))(t)
	low, err := s.FindRequest(t.Context(), "4c/1.11C/0.42G/2.13M")
	if err == nil {
		_, err = g.Apply(t.Context(), low)
	}
	must.NoError(t, err)
	r := request(t, s, "agx-orin")
	r.Limits = metric.Power.Max(30)
	var left error = errors.New("it was not reverted")
	out, err := Run(t.Context(), s, r, func(st Status) {
		if st.At > 90*time.Second && left != nil {
			_, left = g.Revert(t.Context())
		}
	})
	if err != nil || left != nil {
		t.Fatal(err, left)
	}
	if out.Verdict != hold.NotSeen || !strings.HasPrefix(out.Reason, "cpu4/online was changed from 0 to 1, and ") ||
		out.Mode.V != low.Mode || out.DurationS > 100 {
		t.Errorf("%+v", out)
	}
	for _, row := range rows(t, out.Dir) {
		if (row["cpu_asked_khz"] == "1113600") != (row["faults"] == "") {
			t.Fatalf("a sample of another mode counts: %v", row)
		}
	}
	must.Equal(t, kept(t, out.Dir).Result.Reason, out.Reason)
	must.Equal(t, record.Ended(out.Dir), "interrupted")
}

// Every sample is on the disk when it was taken; a soak that is interrupted says what was not seen, and restores.
func TestSoakIsInterrupted(t *testing.T) {
	t.Parallel()
	s := board(t, "agx-orin", 1, nil, tegra.Val[float64]{})
	r := request(t, s, "agx-orin")
	mode := must.Get(s.FindRequest(t.Context(), "4c/1.11C/0.42G/2.13M"))(t)
	found := s.Setup()
	r.Mode, r.Dir = &mode, filepath.Join(t.TempDir(), "soak")
	r.Limits = metric.Power.Max(60)
	ctx, cancel := context.WithCancel(t.Context())
	onDisk := 0
	out, err := Run(ctx, s, r, func(st Status) {
		if st.At >= 3*time.Minute && ctx.Err() == nil {
			text, _ := os.ReadFile(filepath.Join(r.Dir, SamplesName))
			onDisk = bytes.Count(text, []byte("\n")) - 1
			cancel()
		}
	})
	if err != nil || out.Verdict != hold.NotSeen || !strings.Contains(out.Reason, "interrupted after 3 min") {
		t.Fatalf("%v: %+v", err, out)
	}
	if onDisk < 179 {
		t.Errorf("%d samples are on the disk after three minutes", onDisk)
	}
	must.Equal(t, s.Setup().Mode, found.Mode)
	if _, err := Run(t.Context(), s, r, nil); err == nil {
		t.Error("a second soak goes to the same folder")
	}
	if kept, err := Read(r.Dir); err != nil || !kept.Ended || kept.Result.Reason != out.Reason ||
		kept.Result.Mode != out.Mode || len(kept.Course) < onDisk {
		t.Errorf("%v: %+v", err, kept.Result)
	}
	seen := View{}
	r.Resume, r.Mode, r.Limits = true, nil, metric.Limits{}
	again, err := Run(t.Context(), s, r, seen.Follow)
	if err != nil || again.Verdict != hold.Holds || again.Mode != out.Mode || again.DurationS != Usual.Seconds() ||
		!strings.Contains(again.Reason, "in 2 parts; steady at") || again.Peak.TjC.V < out.Peak.TjC.V {
		t.Fatalf("continued: %v: %+v", err, again)
	}
	must.Equal(t, seen.Mode, out.Mode)
	must.Equal(t, seen.Curves.Limits, metric.Power.Max(60))
	if n := len(rows(t, r.Dir)); n < int(Usual.Seconds())-5 {
		t.Errorf("%d samples of both parts", n)
	}
	if _, err := Run(t.Context(), s, r, nil); err == nil || !strings.Contains(err.Error(), "nothing to resume") {
		t.Errorf("a soak that has ended is continued: %v", err)
	}
	if _, err := Run(ctx, s, request(t, s, "agx-orin"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before it began: %v", err)
	}
}

// Whatever is killed, the samples that it left are judged as they were when they came, and the soak goes on from there.
func TestSoakThatWasKilled(t *testing.T) {
	t.Parallel()
	s := board(t, "orin-nano", 2, []string{"fan"}, tegra.Some(30.0))
	r := request(t, s, "orin-nano")
	r.For, r.Limits, r.GoOn = 5*time.Minute, metric.Temperature.Max(70), true
	out, err := Run(t.Context(), s, r, nil)
	if err != nil || out.Verdict != hold.DoesNotHold {
		t.Fatalf("%v: %+v", err, out)
	}
	full := kept(t, out.Dir)
	if full.Result.Reason != out.Reason || full.Result.Steady != out.Steady || full.Result.Peak != out.Peak ||
		full.Limits != r.Limits || !full.Result.Virtual {
		t.Errorf("read back %+v\nit was %+v", full.Result, out)
	}
	for _, name := range []string{ResultName, "end.txt"} {
		must.NoError(t, os.Remove(filepath.Join(out.Dir, name)))
	}
	left := kept(t, out.Dir)
	if left.Ended || left.Result.Verdict != hold.DoesNotHold || left.Result.Reason != out.Reason ||
		left.Result.Peak != out.Peak || left.Result.Least != out.Least || left.Result.Steady != out.Steady ||
		left.Result.Margins != out.Margins || left.Result.DurationS != out.DurationS {
		t.Errorf("worked out %+v\nit was %+v", left.Result, out)
	}
	// the last line is torn, the three minutes before it are there
	path := filepath.Join(out.Dir, SamplesName)
	text := must.Read(t, path)
	lines := bytes.SplitAfter(text, []byte("\n"))
	torn := append(bytes.Join(lines[:181], nil), lines[181][:40]...)
	must.NoError(t, os.WriteFile(path, torn, 0o644))
	if left = kept(t, out.Dir); left.Result.DurationS < 179 || left.Result.DurationS > 181 {
		t.Errorf("a torn line: %+v", left.Result)
	}
	r = Request{Workload: r.Workload, Dir: out.Dir, Resume: true}
	again, err := Run(t.Context(), s, r, nil)
	if err != nil || again.Verdict != hold.DoesNotHold || again.DurationS != 300 || again.Reason != left.Result.Reason {
		t.Fatalf("continued: %v: %+v", err, again)
	}
	parts := kept(t, out.Dir)
	if n := len(parts.Course); n < 295 || n > 305 || parts.Course[n-1].Part.V != 1 || parts.Result.Peak.TjC.V < 70 {
		t.Errorf("%d samples, %+v", n, parts.Result)
	}
	for i, one := range parts.Course[1:] {
		if one.AtS <= parts.Course[i].AtS {
			t.Errorf("a sample at %g s follows one at %g", one.AtS, parts.Course[i].AtS)
		}
	}
}

// A soak that an earlier release began keeps its columns: no line after the break is lost.
func TestSoakOfAnEarlierReleaseGoesOnInItsColumns(t *testing.T) {
	t.Parallel()
	s := board(t, "orin-nano", 1, nil, tegra.Val[float64]{})
	r := request(t, s, "orin-nano")
	r.For = 3 * time.Minute
	out := must.Get(Run(t.Context(), s, r, nil))(t)
	for _, name := range []string{ResultName, "end.txt"} {
		must.NoError(t, os.Remove(filepath.Join(out.Dir, name)))
	}
	path := filepath.Join(out.Dir, SamplesName)
	text := must.Read(t, path)
	var old bytes.Buffer
	const samples, columns = 60, 5
	for i, line := range bytes.SplitAfterN(text, []byte("\n"), samples+2)[:samples+1] {
		fields := strings.Split(strings.TrimSpace(string(line)), ",")
		sum := "7"
		if i == 0 {
			sum = sumColumn
		}
		old.WriteString(strings.Join(append(fields[:columns], sum, fields[len(fields)-1]), ",") + "\n")
	}
	must.NoError(t, os.WriteFile(path, old.Bytes(), 0o644))
	again, err := Run(t.Context(), s, Request{Workload: r.Workload, Dir: out.Dir, Resume: true}, nil)
	if err != nil || again.DurationS != 180 {
		t.Fatalf("%v: %+v", err, again)
	}
	if k := kept(t, out.Dir); len(k.Course) < 175 {
		t.Errorf("%d samples are read of 180", len(k.Course))
	}
}

func kept(t *testing.T, dir string) Kept {
	t.Helper()
	k := must.Get(Read(dir))(t)
	return k
}
