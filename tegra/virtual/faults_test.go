package virtual

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jtune/tegra"
)

func TestFilesFailAsTold(t *testing.T) {
	const rail = "/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/curr1_input"
	for _, c := range []struct {
		name  string
		fault FileFault
		errno error
		text  string
	}{
		{"EIO", FileFault{Pattern: rail, Read: syscall.EIO}, syscall.EIO, ""},
		{"EAGAIN by the file's real place",
			FileFault{Pattern: "/sys/devices/platform/*/*/1-0040/hwmon/hwmon3/curr1_input", Read: syscall.EAGAIN},
			syscall.EAGAIN, ""},
		{"no permission", FileFault{Pattern: rail, Read: syscall.EACCES}, syscall.EACCES, ""},
		{"garbage", FileFault{Pattern: rail, Garbage: "\x00???"}, nil, "\x00???"},
	} {
		b := fast(t, Options{Faults: Faults{Files: []FileFault{c.fault}}})
		data, err := b.FS().ReadFile(rail)
		if !errors.Is(err, c.errno) || (c.text != "" && string(data) != c.text) {
			t.Errorf("%s: read %q, %v", c.name, data, err)
		}
		d := open(t, b)
		if r, err := d.Read(); err != nil || r.TotalW.OK || !r.Rails[1].PowerW.OK {
			t.Errorf("%s: one bad rail must cost the total and nothing else: %v, %v", c.name, r.Rails, err)
		}
		b.Inject(Faults{})
		if r, err := d.Read(); err != nil || !r.TotalW.OK {
			t.Errorf("%s: no total after the fault is gone: %v", c.name, err)
		}
	}
}

func TestFaultMayHitAFewTimesOnly(t *testing.T) {
	b := fast(t, Options{Faults: Faults{Files: []FileFault{{Pattern: emcCapFile, Write: syscall.EBUSY, Times: 2}}}})
	for i, want := range []error{syscall.EBUSY, syscall.EBUSY, nil, nil} {
		if err := b.FS().WriteFile(emcCapFile, []byte("2133000000")); !errors.Is(err, want) {
			t.Errorf("write %d gives %v, want %v", i, err, want)
		}
	}
}

func TestStuckKnobKeepsItsValueSilently(t *testing.T) {
	b := fast(t, Options{
		Faults: Faults{
			Files: []FileFault{{Pattern: "/sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq", Stuck: true}}},
	})
	write(t, b, cpuDir+"/cpu0/cpufreq/scaling_max_freq", "1113600")
	if got := read(t, b, policy0+"/scaling_max_freq"); got != "2201600" {
		t.Errorf("maximum is %s, want the old 2201600", got)
	}
}

func TestFaultStrictRaiseRuleRefusesRaisesOnly(t *testing.T) {
	b := fast(t, Options{Faults: Faults{RejectRaise: true}})
	set(t, b, midst) // everything lower: fine
	for _, path := range []string{policy0 + "/scaling_max_freq", gpuFreqDir + "/max_freq"} {
		if err := b.FS().WriteFile(path, []byte("1300500000")); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("raising %s gives %v, want EINVAL", path, err)
		}
	}
	write(t, b, emcDir+"/rate", "3199000000") // memory may rise
	write(t, b, cpuDir+"/cpu11/online", "1")  // and cores
	lower := midst
	lower.CPU, lower.GPU = 729600*tegra.KHz, 318750000
	lock(t, b, &b.knobs.gpu, gpuFreqDir+"/", lower.GPU, tegra.Hz)
	if got := read(t, b, gpuFreqDir+"/max_freq"); got != "318750000" {
		t.Errorf("GPU maximum is %s after lowering", got)
	}
}

func TestCoreThatRefusesToGoOffline(t *testing.T) {
	b := fast(t, Options{Faults: Faults{PinnedCores: []int{5}}})
	if err := b.FS().WriteFile(cpuDir+"/cpu5/online", []byte("0")); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("core 5: %v, want EBUSY", err)
	}
	write(t, b, cpuDir+"/cpu6/online", "0")
}

func TestRailThatVanishesTakesTheTotalWithIt(t *testing.T) {
	b := fast(t, Options{})
	d := open(t, b)
	b.Inject(Faults{MissingRails: []string{"VDD_CPU_CV"}})
	r, err := d.Read()
	if err != nil || r.TotalW.OK {
		t.Errorf("total %v, %v; want none", r.TotalW, err)
	}
	if gone := open(t, b).Board(); gone.TotalRule != "" || len(gone.Rails) != 3 {
		t.Errorf("a board opened now has rails %v and rule %q", gone.Rails, gone.TotalRule)
	}
}

func TestStuckClockShowsInTheReadingOnly(t *testing.T) {
	b := fast(t, Options{Noise: new(float64)})
	start(t, b, "resnet18")
	next(t, b)
	fastMS := next(t, b).TimeMS
	b.Inject(Faults{StuckClocks: []tegra.Knob{tegra.KnobGPU, tegra.KnobCPU, tegra.KnobEMC}})
	set(t, b, midst)
	if got := read(t, b, gpuFreqDir+"/max_freq"); got != "624750000" {
		t.Errorf("limit reads %s, want what was written", got)
	}
	if got := read(t, b, gpuFreqDir+"/cur_freq"); got != "1300500000" {
		t.Errorf("clock reads %s, want the stuck one", got)
	}
	if got := read(t, b, emcDir+"/rate"); got != "3199000000" {
		t.Errorf("memory reads %s, want the stuck rate", got)
	}
	next(t, b)
	if got := next(t, b).TimeMS; !near(got, fastMS, 0.2) {
		t.Errorf("minibatch takes %.1f ms, stuck clocks gave %.1f", got, fastMS)
	}
	b.Inject(Faults{})
	if got := read(t, b, gpuFreqDir+"/cur_freq"); got != "624750000" {
		t.Errorf("freed, the clock reads %s", got)
	}
}

func TestWorkloadDies(t *testing.T) {
	b := fast(t, Options{Faults: Faults{DieAfter: 5}})
	d := open(t, b)
	for range 2 { // once more after a restart
		start(t, b, "lstm")
		for range 5 {
			next(t, b)
		}
		if _, err := b.NextMinibatch(context.Background()); !errors.Is(err, ErrDied) {
			t.Fatalf("sixth minibatch gives %v, want ErrDied", err)
		}
		if _, err := b.NextMinibatch(context.Background()); !errors.Is(err, ErrStopped) {
			t.Errorf("after death: %v, want ErrStopped", err)
		}
	}
	sleep(t, b, 10*time.Second)
	if p := power(t, d); p > 20 {
		t.Errorf("a dead workload draws %.1f W", p)
	}
}

func TestWorkloadHangs(t *testing.T) {
	b := fast(t, Options{Faults: Faults{HangAfter: 3}})
	start(t, b, "lstm")
	for range 3 {
		next(t, b)
	}
	before := b.Clock().Now()
	ctx, cancel := context.WithCancel(context.Background())
	stop := b.Clock().Every(time.Minute, func(time.Duration) { cancel() })
	defer stop()
	if _, err := b.NextMinibatch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent workload gives %v, want its reader to give up", err)
	}
	if waited := b.Clock().Now() - before; waited < 59*time.Second || waited > 62*time.Second {
		t.Errorf("gave up after %v of the board's time", waited)
	}
	if _, err := b.NextMinibatch(context.Background()); !errors.Is(err, ErrSilent) {
		t.Errorf("with nobody giving up: %v, want ErrSilent", err)
	}
}

func TestHeatFollowsPowerAndTheFanFollowsHeat(t *testing.T) {
	b := fast(t, Options{Noise: new(float64)})
	d := open(t, b)
	temp := func(name string) float64 {
		r, _ := d.Read()
		for _, s := range r.Temps {
			if s.Name == name {
				return s.C
			}
		}
		return math.NaN()
	}
	sleep(t, b, 10*time.Minute)
	if !math.IsNaN(temp("GPU-therm")) {
		t.Error("an idle GPU is off: its sensor reads -256 °C")
	}
	idle := temp("tj-therm")
	set(t, b, maxn)
	start(t, b, "bert")
	sleep(t, b, 5*time.Second)
	soon := temp("tj-therm")
	sleep(t, b, 20*time.Minute)
	r, _ := d.Read()
	hot := temp("tj-therm")
	if !(idle < soon && soon < hot) || hot < idle+15 || hot > 90 {
		t.Errorf("%.1f °C idle, %.1f soon, %.1f in the end", idle, soon, hot)
	}
	if r.FanPct.V < 30 || r.Throttled.V || !r.Throttled.OK {
		t.Errorf("fan at %.0f %%, throttled %v", r.FanPct.V, r.Throttled)
	}
	write(t, b, "/sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1", "255")
	sleep(t, b, 20*time.Minute)
	if still, _ := d.Read(); still.FanRPM.V <= r.FanRPM.V || !r.FanRPM.OK {
		t.Errorf("the fan turns at %d, then %d per minute", r.FanRPM.V, still.FanRPM.V)
	}
	if r, _ := d.Read(); r.FanPct.V != 100 || temp("tj-therm") >= hot {
		t.Errorf("with the fan at %.0f %% it is %.1f °C, before %.1f", r.FanPct.V, temp("tj-therm"), hot)
	}
	for _, off := range []string{"CV0-therm", "CV1-therm", "CV2-therm"} {
		if !math.IsNaN(temp(off)) {
			t.Errorf("%s answers", off)
		}
	}
}

func TestExtremeHeatThrottles(t *testing.T) {
	b := fast(t, Options{Noise: new(float64)})
	d := open(t, b)
	set(t, b, maxn)
	start(t, b, "resnet18")
	next(t, b)
	cool := next(t, b).TimeMS
	b.Inject(Faults{AmbientC: 55, FanStuck: true})
	slow, throttled := 0.0, false
	for range 120 { // the heat sink takes minutes
		sleep(t, b, 10*time.Second)
		next(t, b)
		slow = max(slow, next(t, b).TimeMS)
		r, _ := d.Read()
		throttled = throttled || r.Throttled.V
	}
	if !throttled || slow < 1.2*cool {
		t.Errorf("throttled %v, minibatches of up to %.1f ms, %.1f when cool", throttled, slow, cool)
	}
	b.Inject(Faults{})
	sleep(t, b, 30*time.Minute)
	next(t, b)
	if r, _ := d.Read(); r.Throttled.V {
		t.Error("still throttled half an hour after the air cooled")
	}
	if got := next(t, b).TimeMS; !near(got, cool, 0.01) {
		t.Errorf("cooled down a minibatch takes %.1f ms, before %.1f", got, cool)
	}
}

func TestBoardOfManyUsersAtOnce(t *testing.T) {
	for _, speed := range []float64{5000, math.Inf(1)} {
		b := fast(t, Options{Seed: 1, Speed: speed})
		d := open(t, b)
		start(t, b, "resnet18")
		defer b.Clock().Every(200*time.Millisecond, func(time.Duration) { d.Read() })()
		var group sync.WaitGroup
		for who := range 4 {
			group.Go(func() {
				for i := range 60 {
					switch who {
					case 0:
						b.NextMinibatch(context.Background())
					case 1:
						b.FS().WriteFile(gpuFreqDir+"/max_freq", fmt.Append(nil, int64(b.lists.gpu[2+i%11])))
						b.FS().WriteFile(fmt.Sprintf("%s/cpu%d/online", cpuDir, 1+i%11), fmt.Append(nil, i%2))
					case 2:
						b.Clock().Sleep(context.Background(), 100*time.Millisecond)
						b.FS().Glob(cpuDir + "/cpu*/cpufreq/*")
					case 3:
						switch i % 20 {
						case 5:
							b.Inject(Faults{RejectRaise: i%40 == 5})
						case 10:
							b.StopWorkload()
						case 11:
							b.StartWorkload("lstm", 0)
						}
						b.Truth("bert", midst)
					}
				}
			})
		}
		group.Wait()
	}
}

func TestBoardCanBeHeatedToItsTripPoints(t *testing.T) {
	b := fast(t, Options{Noise: new(float64)})
	d := open(t, b)
	for _, c := range []struct {
		to   float64
		want string
	}{{40, ""}, {90, ""}, {95, "passive trip point at 99 °C"}, {100, "thermal throttling"}} {
		b.Heat(c.to)
		sleep(t, b, time.Second)
		if r, _ := d.Read(); (r.Hot() == "") != (c.want == "") || !strings.Contains(r.Hot(), c.want) {
			t.Errorf("at %.0f °C: %q, want %q", c.to, r.Hot(), c.want)
		}
	}
	sleep(t, b, 20*time.Minute)
	if r, _ := d.Read(); r.Hot() != "" {
		t.Errorf("20 minutes later: %q", r.Hot())
	}
}
