package virtual

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/boards"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
)

// evenGrid is the published grid: 4,368 modes.
func evenGrid() (cores []int, cpu, gpu, emc []tegra.Freq) {
	m := models[0]
	l := m.lists(boards.Of(m.facts))
	for i := 28; i >= 2; i -= 2 {
		cpu = append(cpu, l.cpu[i])
	}
	slices.Sort(cpu)
	return []int{2, 4, 6, 8, 10, 12}, cpu, l.gpu, l.emc
}

// synthetic is a full synthetic table with as many digits as real ones.
func synthetic(t testing.TB) *sweep.Table {
	rng := rand.New(rand.NewPCG(1, 2))
	cores, cpu, gpu, emc := evenGrid()
	return table(t, cores, cpu, gpu, emc, func(tegra.Mode) (float64, float64) {
		return 10 + 3000*rng.Float64(), float64(
			11000+rng.IntN(48000)*2+rng.IntN(2)) / 2000 // half mW, as medians of two
	})
}

// checkExact applies a mode and compares the answers with the row.
func checkExact(t testing.TB, b *Board, d tegra.Device, row tegra.Measured) {
	t.Helper()
	set(t, b, row.Mode)
	start(t, b, "some label")
	sleep(t, b, settleEnd)
	next(t, b)
	for range 2 {
		m := next(t, b)
		if m.TimeMS != row.TimeMS {
			t.Fatalf("%s takes %v ms, file says %v", row.Mode, m.TimeMS, row.TimeMS)
		}
		if m.Parts || m.FetchMS != 0 || m.StallMS != 0 || m.ComputeMS != 0 || m.OverheadMS != 0 {
			t.Fatalf("parts that no table tells: %+v", m)
		}
		if got := power(t, d); math.Abs(got-row.PowerW) > 0.5e-6+1e-9 {
			t.Fatalf("%s draws %.9f W, file says %v", row.Mode, got, row.PowerW)
		}
	}
}

func TestReplayAtFullSpeedGivesTheFilesNumbers(t *testing.T) {
	sweep := synthetic(t)
	b := fast(t, Options{Replay: sweep})
	d := open(t, b)
	if got := d.Space().Len(); got != 4368 || !d.Space().Full() {
		t.Fatalf("%d modes, want the table's 4368", got)
	}
	if board := d.Board(); !board.Virtual || board.Replay != "sweep.csv" {
		t.Errorf("virtual %v, replay %q", board.Virtual, board.Replay)
	}
	rows, stride := sweep.Measured(), 7
	switch {
	case os.Getenv("JTUNE_LONG") != "":
		stride = 1
	case testing.Short():
		stride = 37
	}
	for i := 0; i < len(rows); i += stride {
		checkExact(t, b, d, rows[i])
	}
}

func TestReplayOfAMeasuredSweep(t *testing.T) {
	for _, name := range []string{sweeptest.LSTM, sweeptest.ResNet} {
		rows := must.Get(sweep.ReadFile(sweeptest.Shared(t, name), sweep.Options{}))(t)
		b := fast(t, Options{Replay: rows})
		d := open(t, b)
		for i, row := range rows.Measured() {
			if i%29 == 0 {
				checkExact(t, b, d, row)
			}
		}
	}
}

func TestReplayPowerStaysConstantOnceSettled(t *testing.T) {
	b := fast(t, Options{Replay: synthetic(t)})
	d := open(t, b)
	row := b.table.sizes[0].order[1234]
	set(t, b, row.Mode)
	start(t, b, "label")
	sleep(t, b, settleEnd)
	first, _ := d.Read()
	for range 50 {
		sleep(t, b, 313*time.Millisecond)
		r, _ := d.Read()
		if r.TotalW != first.TotalW || !slices.Equal(r.Rails, first.Rails) {
			t.Fatalf("rails %v, first %v", r.Rails, first.Rails)
		}
	}
	for _, rail := range first.Rails[:3] {
		if rail.PowerW.V <= 0 {
			t.Errorf("rail %s draws %v W", rail.Name, rail.PowerW.V)
		}
	}
}

func TestReplayAtOtherSpeedsScattersALittle(t *testing.T) {
	b := fast(t, Options{Replay: synthetic(t), Seed: 1, Speed: 1e6})
	d := open(t, b)
	row := b.table.sizes[0].order[0]
	set(t, b, row.Mode)
	start(t, b, "label")
	next(t, b)
	var times []float64
	for range 40 {
		times = append(times, next(t, b).TimeMS)
	}
	if !near(median(times), row.TimeMS, 0.01) || slices.Min(times) == slices.Max(times) {
		t.Errorf("times %v around %v", times, row.TimeMS)
	}
	if p := power(t, d); !near(p, row.PowerW, 0.06) {
		t.Errorf("power %v around %v", p, row.PowerW)
	}
}

func TestHostileReplayTables(t *testing.T) {
	const header = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"
	for _, c := range []struct {
		name, text string
		modes      int // 0: refused
	}{
		{"one row", header + "12,2201600,1300500000,3199000000,60,50", 1},
		{"one row of one core", header + "1,102000,76800000,204000000,60,1.5", 1},
		{"duplicates count by their median", header + "4,1036800,318750000,665600000,10,10\n" +
			"4,1036800,318750000,665600000,30,30\n4,1036800,318750000,665600000,20,20", 1},
		{"a partial sweep has just its modes", header + "2,1036800,318750000,665600000,40,10\n" +
			"12,2201600,1300500000,3199000000,10,40", 2},
		{"five cores, an odd policy", header + "5,1036800,318750000,665600000,40,10", 1},
		{"more cores than an Orin has", header + "64,3000000,2000000000,4266000000,1,400", 1},
		{"values closer than nominal ones", header + "2,1036800,318750000,665600000,40,10\n" +
			"2,1036801,318750001,665601000,41,11", 2},
		{"tiny power", header + "2,1036800,318750000,665600000,40,0.000123", 0},
		{"tiny time", header + "2,1036800,318750000,665600000,0.0000001,10", 0},
		{"endless time", header + "2,1036800,318750000,665600000,1e300,10", 0},
		{"more power than rails can tell", header + "2,1036800,318750000,665600000,40,1e9", 0},
		{"a clock of no whole kHz", header + "2,1036800.5,318750000,665600000,40,10", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := sweep.Read(strings.NewReader(c.text), "sweep.csv", sweep.Options{})
			var b *Board
			if err == nil {
				b, err = New(Options{Replay: rows, Speed: math.Inf(1)})
			}
			if c.modes == 0 {
				if err == nil {
					t.Error("accepted")
				}
				return
			}
			must.NoError(t, err)
			d := open(t, b)
			if got := d.Space().Len(); got != c.modes {
				t.Fatalf("%d modes, want %d", got, c.modes)
			}
			for _, m := range d.Space().All() {
				ms, w, err := b.Truth("any", m)
				must.NoError(t, err)
				checkExact(t, b, d, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w})
			}
		})
	}
}

func TestReplayOfAnotherBoardIsNotCalledAnOrin(t *testing.T) {
	const nano = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n2,1510400,624750000,665600000,400,6\n" +
		"6,1510400,306000000,2133000000,60,9"
	d := open(t, fast(t, Options{Replay: tableOf(t, nano)}))
	if b := d.Board(); b.Name == "AGX Orin" || b.Model != "Replay of sweep.csv" {
		t.Errorf("called %q, %q", b.Name, b.Model)
	}
	if p := d.Presets(); len(p) != 1 || p[0].Name != "MAXN" {
		t.Errorf("presets %+v, want MAXN alone", p)
	}
	const orin = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n2,268800,114750000,204000000,400,6"
	if b := open(t, fast(t, Options{Replay: tableOf(t, orin)})).Board(); b.Name != "AGX Orin" {
		t.Errorf("a sweep of AGX Orin values is called %q", b.Name)
	}
}

func TestReplaysPresetsAreTheBoardsOwnOrMissing(t *testing.T) {
	const rows = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n12,1497600,828750000,3199000000,80,30\n" +
		"4,1036800,420750000,2133000000,300,12\n12,2201600,1300500000,3199000000,60,50"
	got := open(t, fast(t, Options{Replay: tableOf(t, rows)})).Presets()
	if len(got) != 2 || got[0].Name != "MAXN" || got[1].Name != "MODE_50W" || got[1].ID != 3 {
		t.Fatalf("got %+v, want MAXN and MODE_50W: the table has no mode of the others", got)
	}
	if want := (tegra.Mode{Cores: 12, CPU: 1497600 * tegra.KHz, GPU: 828750000,
		EMC: 3199 * tegra.MHz}); got[1].Mode != want {
		t.Errorf("MODE_50W is %s, want %s", got[1].Mode, want)
	}
}

func TestReplayAnswersStatesBetweenItsModesWithTheNearest(t *testing.T) {
	b := fast(t, Options{
		Replay: tableOf(
			t,
			"cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n2,422400,318750000,665600000,400,12\n"+
				"12,2201600,1300500000,3199000000,60,50",
		),
	})
	start(t, b, "label") // clocks are free: everything at its maximum
	next(t, b)
	if m := next(t, b); m.TimeMS != 60 {
		t.Errorf("%v ms, want the nearest row's 60", m.TimeMS)
	}
	if _, _, err := b.Truth("label",
		tegra.Mode{Cores: 4, CPU: 422400 * tegra.KHz, GPU: 318750000, EMC: 665600 * tegra.KHz}); err == nil {
		t.Error("truth of a mode that the table lacks")
	}
}

func TestRailsAddUpToTheMicrowatt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		total := int64(1000 + rng.IntN(60_000_000))
		sys, sum := (0.1+0.3*rng.Float64())*float64(total)/1e6, int64(0)
		for rail, m := range decompose(total, 0.8, sys) {
			if m.milliAmp < 0 || m.milliVolt <= 0 {
				t.Fatalf("%d µW: rail %d reads %+v", total, rail, m)
			}
			sum += m.milliVolt * m.milliAmp
		}
		if sum != total {
			t.Fatalf("%d µW come out as %d", total, sum)
		}
	}
}

func TestQuantisedRailsAreUnbiased(t *testing.T) {
	b := fast(t, Options{Seed: 9})
	set(t, b, midst)
	start(t, b, "resnet18")
	sleep(t, b, settleEnd)
	sum := make([]float64, len(b.rails))
	const n = 4000
	for range n {
		sleep(t, b, 100*time.Millisecond)
		leave, m := b.enter(), b.measured()
		leave()
		for i, v := range m {
			sum[i] += float64(v.milliVolt*v.milliAmp) / 1e6 / n
			if v.milliAmp%b.model.stepMA != 0 || v.milliVolt%busStepMV != 0 {
				t.Fatalf("rail %d reads %+v: not the chip's steps", i, v)
			}
		}
	}
	for i, mean := range sum {
		if !near(mean, b.rails[i].of(b.steady.steps.Power), 0.01) {
			t.Errorf("%s reads %.3f W on average, draws %.3f", b.rails[i].label, mean,
				b.rails[i].of(b.steady.steps.Power))
		}
	}
}

func BenchmarkReplayMinibatch(bench *testing.B) {
	b := fast(bench, Options{Replay: synthetic(bench)})
	start(bench, b, "label")
	for bench.Loop() {
		_, err := b.NextMinibatch(context.Background())
		must.NoError(bench, err)
	}
}

func BenchmarkRead(bench *testing.B) {
	b := fast(bench, Options{})
	d := open(bench, b)
	for bench.Loop() {
		d.Read()
		sleep(bench, b, time.Second)
	}
}

func ExampleBoard() {
	b, err := New(Options{Name: AGXOrin, Speed: math.Inf(1), Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, _ := b.Open()
	b.StartWorkload("resnet18", 0)
	for range 100 {
		b.NextMinibatch(context.Background())
	}
	r, _ := d.Read()
	fmt.Println(d.Board().Name, "virtual:", d.Board().Virtual, "above 40 W:", r.TotalW.V > 40)
	// Output: AGX Orin virtual: true above 40 W: true
}

func TestReplayOfSeveralMinibatchSizesAnswersEachWithItsOwnRows(t *testing.T) {
	const low, top = "2,1036800,318750000,665600000,", "4,1036800,318750000,665600000,"
	b := must.Get(New(Options{
		Replay: tableOf(t, "cores,cpu,gpu,mem,bs,time_ms,power_w\n"+low+"1,40,10\n"+low+"4,60,11\n"+top+"1,30,12"),
		Speed:  math.Inf(1)}))(t)
	d := must.Get(b.Open())(t)
	if n := d.Space().Len(); n != 2 {
		t.Errorf("%d modes, want those of all sizes, 2", n)
	}
	mode := tegra.Mode{Cores: 2, CPU: 1036800 * tegra.KHz, GPU: 318750000, EMC: 665600000}
	set(t, b, mode)
	for size, want := range map[int]tegra.Measured{1: {TimeMS: 40, PowerW: 10}, 4: {TimeMS: 60, PowerW: 11}} {
		must.NoError(t, b.StartWorkload("label", size))
		sleep(t, b, settleEnd)
		next(t, b)
		if got, watts := next(t, b), power(t, d); got.TimeMS != want.TimeMS || math.Abs(watts-want.PowerW) > 1e-6 {
			t.Errorf("minibatches of %d take %v ms at %v W, the file says %v and %v", size, got.TimeMS, watts,
				want.TimeMS, want.PowerW)
		}
		b.StopWorkload()
	}
	if err := b.StartWorkload("label", 8); err == nil {
		t.Error("minibatches of 8, which the file has not, were accepted")
	}
}
