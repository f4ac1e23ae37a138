package live

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/task"
)

// reads gives the page a modified reading.
func reads(d *pagetest.Driver, change func(r *tegra.Reading)) {
	sample := d.Board.Readings().Last
	change(&sample.Reading)
	d.State.Readings.Sample = sample
}

func TestLiveTellsHeatAndOverCurrentApart(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Sees("throttled no", "supply ok")
	reads(d, func(r *tegra.Reading) { r.Signals[0].Count = tegra.Some(int64(5)) })
	d.Sees("throttled no", "instantaneous over-current 2×")
	reads(d, func(r *tegra.Reading) { r.Signals[0].Alarm = tegra.Some(true) })
	d.Sees("throttled no", "ALARM instantaneous over-current")
	reads(d, func(r *tegra.Reading) { r.Heat, r.Throttled = tegra.Some(true), tegra.Some(true) })
	d.Sees("throttled YES (thermal)")
	d.Size(40, 10)
	d.Sees("THROTTLED (thermal)")
	d.Size(80, 22)
	reads(d, func(r *tegra.Reading) {
		r.Heat, r.Throttled, r.Signals = tegra.Val[bool]{}, tegra.Val[bool]{}, nil
	})
	d.Sees("throttled –", "supply –")
}

func TestLiveShowsEnginesWhileTheyWork(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	reads(d, func(r *tegra.Reading) {
		r.Engines = []tegra.EngineReading{{Name: "NVDEC", OnPct: tegra.Some(0.0)}, {Name: "NVENC"},
			{Name: "VIC", OnPct: tegra.Some(37.0)}}
	})
	for _, s := range pagetest.Sizes[:3] {
		d.Size(s[0], s[1]-2)
		d.Sees("on: VIC\u00a037\u00a0%")
	}
	must.Lack(t, d.Screen(), "NV")
}

func TestLiveMarksAClockThatIsOnlyAskedFor(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	must.Lack(t, d.Screen(), "asked")
	reads(d, func(r *tegra.Reading) {
		for i := range r.Cores {
			r.Cores[i].Requested = true
		}
	})
	for _, s := range pagetest.Sizes {
		d.Size(s[0], s[1]-2)
		d.Sees("asked")
	}
}

func TestLiveSaysThatTheBoardIsHot(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	must.Lack(t, d.Screen(), "HOT")
	reads(d, func(r *tegra.Reading) {
		trip := tegra.Some(tegra.Trip{Kind: "passive", C: 99})
		r.Temps = []tegra.TempReading{{Name: "tj-thermal", C: 97, Trip: trip}}
	})
	d.Sees("HOT: tj-thermal at 97 °C")
	d.Size(40, 10)
	d.Sees("HOT: tj-thermal at 97 °C")
}

func TestLiveWarnsInWordsNextToTheCause(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	trip := tegra.Some(tegra.Trip{Kind: "passive", C: 99})
	reads(d, func(r *tegra.Reading) {
		r.Temps = []tegra.TempReading{{Name: "cpu-thermal", C: 85, Trip: trip},
			{Name: "gpu-thermal", C: 80, Trip: trip}, {Name: "tj-thermal", C: 97, Trip: trip}}
		r.Mode, r.TotalW = tegra.Some(d.State.Device.Presets[2].Mode), tegra.Some(29.0)
		r.GPU.Actual, r.RAMUsed = tegra.Some(r.GPU.Max.V/2), r.RAMTotal
		r.Judge()
	})
	d.Sees("tj\u00a097\u00a0HOT", "cpu\u00a085\u00a0warm", "gpu\u00a080\u00a0°C", "near the preset's budget of 30 W",
		"GPU runs at 0.65, set to 1.30", "RAM nearly full")
	reads(d, func(r *tegra.Reading) {
		r.Mode, r.TotalW = tegra.Some(d.State.Device.Presets[2].Mode), tegra.Some(31.0)
	})
	d.Sees("over the preset's budget of 30 W")
	reads(d, func(r *tegra.Reading) { r.Mode = tegra.Some(d.State.Device.Space.Max()) })
	must.Lack(t, d.Screen(), "budget")
}

func TestLiveRailsShareAScale(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	total, rail := ansi.Strip(p.railSpark("", 0, 20)), ansi.Strip(p.railSpark("VDD_CPU_CV", 0, 20))
	if !strings.ContainsRune(total, '█') || strings.ContainsAny(rail, "▄▅▆▇█") {
		t.Errorf("the total is drawn as %s, a rail of a fifth of it as %s", total, rail)
	}
	d.Size(120, 33)
	d.Sees("Busy, last 2 min", "Clocks, last 2 min", "Temperature, last 2 min", "11 ░░░░░   7")
}

func TestLiveListsProcessesOnTheGPUOrSaysWhyNot(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Sees("on the GPU: python3, Xorg")
	d.Size(200, 50)
	d.Sees("python3", "7001", "1.9 GB", "Xorg", "20 MB")
	for _, c := range []struct {
		use  telemetry.GPUUse
		want string
	}{
		{telemetry.GPUUse{Asked: true, Why: "no permission (root only)"}, "on the GPU: – no permission (root only)"},
		{telemetry.GPUUse{Asked: true, Why: "no such file: /sys/kernel/clients"}, "on the GPU: – no such file"},
		{telemetry.GPUUse{Asked: true}, "on the GPU: no process"},
		{telemetry.GPUUse{}, "on the GPU: –"},
	} {
		d.State.Readings.GPU = c.use
		if d.Sees(c.want); strings.Contains(d.Screen(), "/sys") {
			t.Errorf("it names a file, which doctor does:\n%s", d.Screen())
		}
	}
}

func TestLiveMarksRailsThatMakeTheTotal(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Sees("+ VDD_GPU_SOC", "total = the rails with +", "module, not carrier board")
	d.State.Device.Board.TotalRule = "VDD_CPU_CV"
	d.Sees("= VDD_CPU_CV", "covers module")
	must.Lack(t, d.Screen(), "+ VDD")
	d.State.Device.Board.TotalRule = ""
	d.Sees("no total: this board's rails")
}

func TestLiveTellsDiskOrADash(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Sees("disk reads –")
	d.State.Readings.Disk = telemetry.DiskRates{ReadsPerS: tegra.Some(120.0), BytesPerS: tegra.Some(61.4e6)}
	d.Sees("disk reads 61.4 MB/s")
	d.Size(200, 50)
	d.Sees("disk 120 reads/s, 61.4 MB/s")
}

func TestLiveDoesNotCallACampaignFinishedBetweenTwoModes(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, task.Tuning)
	j.Progress, d.State.Tasks.Own = profiles.Progress{Phase: profiles.Finished}, j
	d.Sees("tuning, resnet18: between two modes")
	j.State = task.Paused
	d.Sees("tuning, resnet18: paused")
	j.State, j.Progress.Phase = task.Running, profiles.Measuring
	d.Sees("tuning, resnet18: measuring")
}

func TestLiveShowsTheJunctionInTheSmallestPanelOfHeat(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	for _, line := range strings.Split(ansi.Strip(p.heat(34, 2)), "\n") {
		if strings.Contains(line, "tj\u00a063") {
			return
		}
	}
	t.Errorf("the hottest sensor is cut off:\n%s", d.Screen())
}

func TestLiveShowsVoltsAndAmperes(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	supply := func(volts, amperes float64) {
		reads(d, func(r *tegra.Reading) {
			r.Rails = []tegra.RailReading{
				{Name: "VDD_GPU_SOC", PowerW: tegra.Some(volts * amperes), Volts: tegra.Some(volts),
					Amperes: tegra.Some(amperes)},
				{Name: "VDD_CPU_CV", PowerW: tegra.Some(2.0)},
			}
		})
		d.State.Readings.Peaks.Take(d.State.Readings.Sample.Reading)
	}
	supply(18.52, 1.61)
	supply(18.79, 0.66)
	d.Press("e", "e")
	d.Sees("voltage current", "18.79 V  0.66 A", "    – V     – A", "1.61 A peak, 18.52 V low")
	d.Size(200, 50)
	d.Press("esc")
	d.Sees("VDD_GPU_SOC", "18.79 V 0.66 A")
}
