package guard

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// What holds on every board, one after the other with one guard of each fake root; in the short form on every fourth.
func TestGuardOnEveryBoard(t *testing.T) {
	t.Parallel()
	parts := []struct {
		name string
		test func(t *testing.T, r *rig)
	}{
		{"writes nothing where the found state cannot be saved", writesNothingUnsaved}, // before anything is saved
		{"reads all four knobs back", readsKnobsBack},
		{"changes only the files of a knob", changesOnlyAKnob},
		{"leaves clocks free with DVFS", leavesClocksFree},
		{"applies the presets", appliesPresets},
		{"sets and restores the fan", setsTheFan},
		{"writes no knob that it cannot read", writesNoUnreadKnob},
	}
	for i, board := range tegratest.Boards() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(board.Name, func(t *testing.T) {
			t.Parallel()
			r := newRigInMemory(t, board.New())
			for _, part := range parts {
				t.Run(part.name, func(t *testing.T) {
					r.t = t
					part.test(t, r)
					if _, err := r.Restore(context.Background()); err != nil {
						t.Error(err)
					}
					r.wantAsFound()
					r.wantNoRefusals()
					if len(r.k.Stray) > 0 {
						t.Errorf("clocks that the kernel does not list were written: %v", r.k.Stray)
					}
				})
			}
			r.t = t
			r.try(tegra.Request{Mode: r.space.Max(), Fan: tegra.FanMax})
			must.NoError(t, r.Close())
			r.wantAsFound()
		})
	}
}

// try applies a request and wants every file and the mode to read back.
func (r *rig) try(req tegra.Request) tegra.Applied {
	r.t.Helper()
	a, err := r.Apply(context.Background(), req)
	if err != nil || !a.OK() || a.Actual != tegra.Some(req.Mode) {
		r.t.Errorf("asked %s (%+v): %v, %v, %+v", req.Mode, req, a.Actual, err, a.Files)
	}
	return a
}

func readsKnobsBack(t *testing.T, r *rig) {
	space := r.space
	low := tegra.Mode{Cores: 1, CPU: space.CPU[0], GPU: space.GPU[0], EMC: space.EMC[0]}
	before := len(r.k.Writes())
	for _, m := range append([]tegra.Mode{space.Max(), low, space.Max()}, space.Sample(6, 2)...) {
		r.try(tegra.Request{Mode: m})
	}
	for _, w := range r.k.Writes()[before:] {
		if strings.Contains(w, "/cpu0/online") {
			t.Errorf("core 0 is never switched: %s", w)
		}
	}
	if _, err := r.Revert(context.Background()); err != nil {
		t.Error(err)
	}
	r.wantNoRefusals()
}

func changesOnlyAKnob(t *testing.T, r *rig) {
	space := r.space
	top := space.Max()
	r.try(tegra.Request{Mode: top})
	for k, change := range map[string]func(*tegra.Mode){
		"/online":   func(m *tegra.Mode) { m.Cores-- },
		"/scaling_": func(m *tegra.Mode) { m.CPU = space.CPU[0] },
		"_freq":     func(m *tegra.Mode) { m.GPU = space.GPU[0] },
		"emc":       func(m *tegra.Mode) { m.EMC = space.EMC[0] },
	} {
		m := top
		change(&m)
		from := r.contents()
		r.try(tegra.Request{Mode: m})
		changed := tegratest.Differences(from, r.contents())
		if len(changed) == 0 {
			t.Errorf("%s: nothing changed", k)
		}
		for _, line := range changed {
			if !strings.Contains(line, k) || k == "_freq" && strings.Contains(line, "cpufreq") {
				t.Errorf("only %s should be written, yet %s", k, line)
			}
		}
		r.try(tegra.Request{Mode: top})
	}
}

func leavesClocksFree(t *testing.T, r *rig) {
	for _, m := range r.space.Sample(4, 5) {
		r.try(tegra.Request{Mode: m})
		a := r.try(tegra.Request{Mode: m, DVFS: true})
		for _, f := range a.Files {
			if min := strings.HasSuffix(f.Path, "min_freq"); min && f.Actual != first(r.k.Value(listBeside(f.Path))) {
				t.Errorf("%s is %s with DVFS on", f.Path, f.Actual)
			}
			if f.Knob == "EMC lock" && f.Actual != "0" {
				t.Errorf("the memory is locked with DVFS on: %+v", f)
			}
		}
	}
}

func listBeside(limit string) string {
	at := strings.LastIndexAny(limit, "/") + 1
	if strings.Contains(limit, "cpufreq") {
		return limit[:at] + "scaling_available_frequencies"
	}
	return limit[:at] + "available_frequencies"
}

func first(list string) string { return strings.Fields(list + " none")[0] }

func appliesPresets(t *testing.T, r *rig) {
	s := must.Get(tegra.Open(r.k, tegra.RealClock()))(t)
	defer s.Close()
	masks := func() (out []string) {
		for name, content := range r.contents() {
			if strings.HasSuffix(name, "_pg_mask") {
				out = append(out, name+"="+content)
			}
		}
		slices.Sort(out)
		return out
	}
	before := masks()
	for _, p := range s.Presets() {
		r.try(tegra.Request{Mode: p.Mode, DVFS: true})
	}
	if after := masks(); !slices.Equal(before, after) {
		t.Errorf("power-gate masks were touched: %v, then %v", before, after)
	}
}

func setsTheFan(t *testing.T, r *rig) {
	fan := tegratest.Fan
	if r.k.Value("/sys/devices/pwm-fan/target_pwm") == "0" {
		fan = "/sys/devices/pwm-fan/target_pwm"
	}
	found := r.k.Value(fan)
	for _, c := range []struct {
		asked tegra.FanPolicy
		want  string
	}{{tegra.FanUntouched, found}, {tegra.FanMax, "255"}, {tegra.FanAuto, found}, {tegra.FanMax, "255"}} {
		r.try(tegra.Request{Mode: r.space.Max(), Fan: c.asked})
		if got := r.k.Value(fan); got != c.want {
			t.Errorf("fan %v: at %s, want %s", c.asked, got, c.want)
		}
	}
}

func TestGuardGivesFreeClocksAGovernorThatScales(t *testing.T) {
	t.Parallel()
	for _, board := range []string{"agx-orin-36", "agx-orin-39"} { // without enable_3d_scaling on L4T 39
		t.Run(board, func(t *testing.T) { guardGivesAGovernor(t, tegratest.New(board)) })
	}
}

func guardGivesAGovernor(t *testing.T, tree *tegratest.Tree) {
	ctx := context.Background()
	cpu := func(policy, file string) string { return tegratest.CPU + "/cpufreq/policy" + policy + "/" + file }
	for _, policy := range []string{"0", "4", "8"} {
		tree.Set(cpu(policy, "scaling_governor"), "performance")
	}
	tree.Set(cpu("4", "scaling_available_governors"), "performance conservative userspace ")
	tree.Set(tegratest.GPU36+"/governor", "performance")
	r := newRig(t, tree)
	governors := func() string {
		return strings.Join([]string{r.k.Value(cpu("0", "scaling_governor")), r.k.Value(cpu("4", "scaling_governor")),
			r.k.Value(cpu("8", "scaling_governor")), r.k.Value(tegratest.GPU36 + "/governor")}, " ")
	}
	locked := mode(12, 1113600, 408000000, 665600000)
	r.try(tegra.Request{Mode: locked})
	if got := governors(); got != "performance performance performance performance" {
		t.Errorf("locked: %s; minimum = maximum needs no other governor", got)
	}
	r.try(tegra.Request{Mode: locked, DVFS: true})
	if got := governors(); got != "schedutil conservative schedutil nvhost_podgov" {
		t.Errorf("free: %s", got)
	}
	eight := locked
	eight.Cores = 8
	r.try(tegra.Request{Mode: eight, DVFS: true}) // the last cluster goes offline with its governor changed
	_, err := r.Restore(ctx)
	must.NoError(t, err)
	r.wantAsFound()
	r.try(tegra.Request{Mode: locked, DVFS: true})
	r.try(tegra.Request{Mode: locked})
	if got := governors(); got != "performance performance performance performance" {
		t.Errorf("locked again: %s, want the found ones", got)
	}
	r.Close()
	r.wantAsFound()
	r.wantNoRefusals()
}

func TestGuardLeavesTheUsersGovernorAlone(t *testing.T) {
	t.Parallel()
	tree := tegratest.New("agx-xavier-32")
	tree.Set(tegratest.CPU+"/cpufreq/policy2/scaling_governor", "ondemand")
	r := newRig(t, tree)
	r.try(tegra.Request{Mode: r.space.Max(), DVFS: true})
	for _, w := range r.k.Writes() {
		if strings.Contains(w, "governor") {
			t.Error(w)
		}
	}
}

func TestGuardSetsGovernorsByNameAndRestoresThem(t *testing.T) {
	t.Parallel()
	tree := tegratest.New("agx-orin-36")
	cpu := func(policy string) string { return tegratest.CPU + "/cpufreq/policy" + policy + "/scaling_governor" }
	r := newRig(t, tree)
	governors := func() string {
		gpu := r.k.Value(tegratest.GPU36 + "/governor")
		return strings.Join([]string{r.k.Value(cpu("0")), r.k.Value(cpu("8")), gpu}, " ")
	}
	found := governors()
	top := tegra.Request{Mode: r.space.Max(), DVFS: true}
	other := top
	other.Governors = tegra.Governors{CPU: "ondemand", GPU: "simple_ondemand"}
	r.try(other)
	if got := governors(); got != "ondemand ondemand simple_ondemand" {
		t.Errorf("asked for ondemand and simple_ondemand: %s", got)
	}
	r.try(top)
	if got := governors(); got != found {
		t.Errorf("nothing asked for: %s, found %s", got, found)
	}
	for name, bad := range map[string]tegra.Request{
		"a name that is not listed": {Mode: top.Mode, DVFS: true, Governors: tegra.Governors{CPU: "../../online"}},
		"locked clocks":             {Mode: top.Mode, Governors: other.Governors},
	} {
		before := len(r.k.Writes())
		if _, err := r.Apply(context.Background(), bad); !errors.Is(err, tegra.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(r.k.Writes()); got != before {
			t.Errorf("%s: something was written", name)
		}
	}
	r.try(other)
	r.Close()
	r.wantAsFound()
}
