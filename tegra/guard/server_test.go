package guard

import (
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// rig is a guard on a fake root behind a kernel that enforces its rules.
type rig struct {
	*Client
	server *Server
	t      *testing.T
	k      *tegratest.Kernel
	root   string
	memory *tegratest.Memory // holds the board's files; nil: they are below root
	before map[string]string
	space  *tegra.Space
}

// newRig serves a tree in this process, saving states below its root.
func newRig(t *testing.T, tree *tegratest.Tree) *rig {
	t.Helper()
	root := tree.Write(t)
	r := &rig{t: t, root: root, k: tegratest.NewKernel(tegra.DiskFS(root))}
	r.before = tegratest.Contents(t, root)
	r.connect()
	return r
}

// connect serves the rig's root again.
func (r *rig) connect() {
	r.t.Helper()
	s := must.Get(NewServer(r.k, tegra.RealClock(), ServerOptions{}))(r.t)
	s.pause = func(time.Duration) {} // the fault lasts for a number of tries, not for a time
	s.store = must.Get(stateStore(tegra.DiskFS(r.root), true))(r.t)
	r.server, r.space = s, s.sysfs.Space()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	go func() {
		_ = Serve(context.Background(), requests, answers, s)
		requests.Close()
		answers.Close()
	}()
	r.Client = must.Get(connect(in, out))(r.t)
	r.t.Cleanup(func() { r.Client.Close() })
}

func (r *rig) apply(m tegra.Mode) tegra.Applied {
	r.t.Helper()
	a, err := r.Apply(context.Background(), tegra.Request{Mode: m})
	if err != nil {
		r.t.Fatalf("apply %s: %v", m, err)
	}
	return a
}

// newRigInMemory is newRig with the board's files in memory; only states are saved below its root.
func newRigInMemory(t *testing.T, tree *tegratest.Tree) *rig {
	t.Helper()
	board := tegratest.NewMemory(tree)
	r := &rig{t: t, root: (&tegratest.Tree{}).Write(t), memory: board, k: tegratest.NewKernel(board)}
	r.before = r.contents()
	r.connect()
	return r
}

// contents returns the content of each file below the root, and of those in memory that have another one than at first.
func (r *rig) contents() map[string]string {
	files := tegratest.Contents(r.t, r.root)
	if r.memory != nil {
		maps.Copy(files, r.memory.Changes())
	}
	return files
}

func (r *rig) changed() []string { return tegratest.Differences(r.before, r.contents()) }

func (r *rig) wantAsFound() {
	r.t.Helper()
	if got := r.changed(); len(got) > 0 {
		r.t.Errorf("not as found:\n%s", strings.Join(got, "\n"))
	}
}

func (r *rig) wantNoRefusals() {
	r.t.Helper()
	for _, w := range r.k.Writes() {
		if strings.HasPrefix(w, "refused") {
			r.t.Errorf("the kernel %s", w)
		}
	}
}

func mode(cores int, cpuKHz, gpuHz, emcHz int64) tegra.Mode {
	return tegra.Mode{Cores: cores, CPU: tegra.Freq(cpuKHz) * tegra.KHz, GPU: tegra.Freq(gpuHz), EMC: tegra.Freq(emcHz)}
}

var (
	slow = mode(2, 268800, 114750000, 204000000)
	fast = mode(12, 2201600, 1300500000, 3199000000)
	mid  = mode(6, 1344000, 624750000, 2133000000)
)

func TestGuardReadsEveryModeBackAndRestoresEveryFile(t *testing.T) {
	t.Parallel()
	plain := tegratest.NewAGXOrin35()
	plain.Unlink()
	for name, tree := range map[string]*tegratest.Tree{"policies as links": tegratest.NewAGXOrin35(),
		"a root without links": plain} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tree)
			for _, m := range append([]tegra.Mode{fast, slow, fast, mid, slow, mid}, r.space.Sample(12, 1)...) {
				if a := r.apply(m); !a.OK() || !a.Actual.OK || a.Actual.V != m {
					t.Errorf("asked %s, got %v, files %+v", m, a.Actual, a.Files)
				}
			}
			r.wantNoRefusals()
			must.NoError(t, r.Close())
			r.wantAsFound()
			r.wantNoRefusals()
		})
	}
}

func TestGuardRestoresTheLimitsOfAClusterThatWasOffline(t *testing.T) {
	t.Parallel()
	tree := tegratest.NewAGXOrin35()
	for _, n := range []string{"8", "9", "10", "11"} {
		tree.Set(tegratest.CPU+"/cpu"+n+"/online", "0")
	}
	tree.Set(tegratest.CPU+"/cpufreq/policy8/scaling_max_freq", "1420800")
	r := newRig(t, tree)
	r.apply(mid)
	r.apply(fast)
	r.apply(slow)
	must.NoError(t, r.Close())
	r.wantAsFound()
	r.wantNoRefusals()
}

func TestGuardBringsCoresOnlineFirstAndOfflineLast(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(slow)
	first := len(r.k.Writes())
	writes := r.k.Writes()[:first]
	offline := slices.IndexFunc(writes, func(w string) bool { return strings.HasSuffix(w, "/online = 0") })
	for _, w := range writes[offline:] {
		if !strings.HasSuffix(w, "/online = 0") {
			t.Errorf("%s comes after the first core went offline", w)
		}
	}
	r.apply(fast)
	writes = r.k.Writes()[first:]
	last := 0
	for i, w := range writes {
		if strings.HasSuffix(w, "/online = 1") {
			last = i
		}
		if strings.Contains(w, "scaling_") &&
			slices.ContainsFunc(writes[i:], func(w string) bool { return strings.Contains(w, "cpu11/online = 1") }) &&
			!strings.Contains(w, "cpu0/") {
			t.Errorf("%s before core 11 was online", w)
		}
	}
	if last == 0 {
		t.Error("no core was brought online")
	}
}

func TestGuardKeepsNoModeThatHasChangedSinceItWasSet(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	limit := filepath.Join(tegratest.GPU35, "max_freq")
	set := r.apply(slow)
	if err := os.WriteFile(filepath.Join(r.root, limit), []byte("1300500000\n"), 0o644); err != nil { // as firmware may
		t.Fatal(err)
	}
	err := r.Keep(t.Context())
	if err == nil || !strings.Contains(err.Error(), limit) || !strings.Contains(err.Error(), "not kept") {
		t.Errorf("keep says %v, want that it is not kept, because of %s", err, limit)
	}
	if a := r.apply(slow); a.Actual != set.Actual {
		t.Errorf("applied again: %v, want %v", a.Actual, set.Actual)
	}
	if err := r.Keep(t.Context()); err != nil {
		t.Errorf("keep, once it was applied again: %v", err)
	}
}

// cooler is the folder of a device that lowers clocks when it is hot.
const cooler = "/sys/class/thermal/cooling_device0"

// cooled is a board with a cooling device of a kind, in a state.
func cooled(kind, state string) *tegratest.Tree {
	tree := tegratest.NewAGXOrin35()
	tree.Set(cooler+"/type", kind)
	tree.Set(cooler+"/cur_state", state)
	return tree
}

// The kernel shows the lowest limit in force, so a cooling device lowers the user's.
func TestGuardKeepsAModeWhoseClocksHeatCaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state, cpu, gpu string // mid sets 1344000 and 624750000
		kept            bool
	}{
		"heat lowers limits":        {"1", "729600", "510000000", true},
		"heat raises none":          {"1", "729600", "1300500000", false},
		"nothing is hot":            {"0", "729600", "510000000", false},
		"heat that cannot be read":  {"", "729600", "510000000", false},
		"a limit that is no number": {"1", "729600", "performance", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, cooled("thermal-cpufreq-0", "0"))
			r.apply(mid)
			for file, value := range map[string]string{
				tegratest.CPU + "/cpu0/cpufreq/scaling_min_freq": c.cpu,
				tegratest.CPU + "/cpu0/cpufreq/scaling_max_freq": c.cpu,
				tegratest.GPU35 + "/min_freq":                    c.gpu,
				tegratest.GPU35 + "/max_freq":                    c.gpu,
				cooler + "/cur_state":                            c.state,
			} {
				must.NoError(t, os.WriteFile(filepath.Join(r.root, file), []byte(value+"\n"), 0o644))
			}
			if err := r.Keep(t.Context()); (err == nil) != c.kept {
				t.Errorf("keep says %v", err)
			}
		})
	}
}

func TestGuardRestoresUnderAThermalCapAndAppliesNothing(t *testing.T) {
	t.Parallel()
	const limit = tegratest.CPU + "/cpu0/cpufreq/scaling_max_freq"
	for _, hot := range []bool{true, false} {
		r := newRig(t, cooled("thermal-cpufreq-0", map[bool]string{true: "2", false: "0"}[hot]))
		r.apply(slow)
		r.k.Do(func() { r.k.Clip[limit] = "1344000" })
		_, err := r.Apply(t.Context(), tegra.Request{Mode: fast})
		if err == nil || strings.Contains(err.Error(), "thermal limit") != hot {
			t.Errorf("hot %v: apply says %v", hot, err)
		}
		if _, err := r.Restore(t.Context()); (err == nil) != hot {
			t.Errorf("hot %v: restore says %v", hot, err)
		}
	}
}

// Heat that lowers limits when the guard first looks at them hides the user's, so that they could not be restored.
func TestGuardWritesNoLimitThatHeatHides(t *testing.T) {
	t.Parallel()
	cpu, gpu := tegratest.CPU+"/cpu0/cpufreq/scaling_max_freq", tegratest.GPU35+"/max_freq"
	for name, c := range map[string]struct {
		kind, limit, cap string
		own              string // the user's limit; "" for the highest clock
		refused          bool
	}{
		"a CPU limit":                        {"thermal-cpufreq-0", cpu, "1344000", "", true},
		"a GPU limit":                        {"thermal-devfreq-0", gpu, "624750000", "", true},
		"the user's limit of another unit":   {"thermal-cpufreq-0", gpu, "", "624750000", false},
		"a cooler that lowers nothing":       {"thermal-cpufreq-0", cpu, "", "", false},
		"a limit that may be heat's or not":  {"thermal-cpufreq-0", cpu, "", "1344000", true},
		"a user's limit beside an idle unit": {"thermal-fan", cpu, "", "1344000", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, cooled(c.kind, "2"))
			if c.own != "" {
				must.NoError(t, os.WriteFile(filepath.Join(r.root, c.limit), []byte(c.own+"\n"), 0o644))
				r.before = tegratest.Contents(t, r.root)
			}
			r.k.Do(func() { r.k.Cap[c.limit] = c.cap })
			_, err := r.Apply(t.Context(), tegra.Request{Mode: slow})
			if refused := err != nil && strings.Contains(err.Error(), "a thermal limit hides"); refused != c.refused {
				t.Errorf("apply says %v", err)
			}
			if n := len(r.k.Writes()); c.refused && n > 0 {
				t.Errorf("%d writes", n)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			wantSame(t, r.before, r.root, "at the end")
		})
	}
}

// A mode that is applied and reverted while the board is hot goes back to what was set before, not to what heat left.
func TestGuardRevertsToTheUsersLimitsOnAHotBoard(t *testing.T) {
	t.Parallel()
	limit := tegratest.CPU + "/cpu0/cpufreq/scaling_max_freq"
	r := newRig(t, cooled("thermal-cpufreq-0", "0"))
	r.apply(fast)
	set := tegratest.Contents(t, r.root)[limit]
	must.NoError(t, os.WriteFile(filepath.Join(r.root, cooler+"/cur_state"), []byte("2\n"), 0o644))
	r.k.Do(func() { r.k.Cap[limit] = "1344000" })
	r.apply(slow)
	_, err := r.Revert(t.Context())
	must.NoError(t, err)
	if now := tegratest.Contents(t, r.root)[limit]; now != set {
		t.Errorf("reverted to %q, want %q", now, set)
	}
	if _, err := r.Restore(t.Context()); err != nil {
		t.Error(err)
	}
	delete(r.before, cooler+"/cur_state")
	if now := tegratest.Contents(t, r.root)[limit]; now != r.before[limit] {
		t.Errorf("restored to %q, want %q", now, r.before[limit])
	}
}

// Since Linux 5.4 a limit of the CPU takes effect shortly after its write has returned.
func TestGuardWaitsForALimitToTakeEffect(t *testing.T) {
	t.Parallel()
	limit := tegratest.CPU + "/cpu0/cpufreq/scaling_max_freq"
	for late, ok := range map[int]bool{effectTries - 1: true, 100: false} {
		r := newRig(t, tegratest.NewAGXOrin35())
		r.k.Do(func() { r.k.Late[limit] = late })
		a, err := r.Apply(t.Context(), tegra.Request{Mode: slow})
		if (err == nil) != ok || ok && !a.OK() {
			t.Errorf("%d late readings: %v, %v", late, a.Mismatch(), err)
		}
	}
}

// A request that fails leaves the countdown of the mode before running.
func TestGuardCountsDownAfterAnApplyThatFailed(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	_, err := r.ApplyFor(t.Context(), tegra.Request{Mode: slow}, 200*time.Millisecond)
	must.NoError(t, err)
	unknown := tegra.Governors{CPU: "none"}
	if _, err := r.Apply(t.Context(), tegra.Request{Mode: fast, Governors: unknown, DVFS: true}); err == nil {
		t.Fatal("a governor that does not exist was set")
	}
	must.Until(t, "the first mode is reverted", func() bool {
		return len(tegratest.Differences(r.before, tegratest.Contents(t, r.root))) == 0
	})
	if err := r.Keep(t.Context()); err == nil {
		t.Error("a mode that was reverted is kept")
	}
}

func TestGuardNamesAFailedKnobAndRollsBack(t *testing.T) {
	t.Parallel()
	gpuMax := tegratest.GPU35 + "/max_freq"
	for name, c := range map[string]struct {
		fault func(*tegratest.Kernel)
		names string
		kind  error
	}{
		"a GPU that takes no write": {func(k *tegratest.Kernel) { k.Stuck[gpuMax] = true }, "GPU max", nil},
		"a memory rate that is clipped": {func(k *tegratest.Kernel) {
			k.Clip[tegratest.EMC+"/rate"] = "665600000"
		}, "EMC rate", nil},
		"a core that stays online": {func(k *tegratest.Kernel) {
			k.Stuck[tegratest.CPU+"/cpu7/online"] = true
		}, "core 7", nil},
		"a core that refuses": {func(k *tegratest.Kernel) {
			k.Refuse[tegratest.CPU+"/cpu9/online"] = syscall.EIO
		}, "core 9", nil},
		"a cap that only root may write": {func(k *tegratest.Kernel) { k.Refuse[tegratest.Cap35] = syscall.EACCES },
			"EMC cap", tegra.ErrPermission},
		"a limit that is busy for good": {func(k *tegratest.Kernel) {
			k.Busy[tegratest.CPU+"/cpu4/cpufreq/scaling_max_freq"] = 1000
		}, "CPU 4 max", nil},
		"a limit that cannot be read back": {func(k *tegratest.Kernel) { k.After = failWhenWritten(k, gpuMax) },
			"GPU max", nil},
		"a knob that a later write moves on": {func(k *tegratest.Kernel) { k.After = moveLater(k) }, "CPU 0 max", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tegratest.NewAGXOrin35())
			r.apply(fast)
			state := tegratest.Contents(t, r.root)
			r.k.Do(func() { c.fault(r.k) })
			a, err := r.Apply(context.Background(), tegra.Request{Mode: mid})
			if err == nil || !strings.Contains(err.Error(), c.names) {
				t.Fatalf("error %v does not name %s", err, c.names)
			}
			if c.kind != nil && !errors.Is(err, c.kind) {
				t.Errorf("%v is not %v", err, c.kind)
			}
			if a.OK() && len(a.Files) == 0 {
				t.Error("nothing says how far it went")
			}
			r.heal()
			if a.Asked != mid {
				t.Errorf("asked for %v, not %v", a.Asked, mid)
			}
			if name == "a memory rate that is clipped" || name == "a limit that cannot be read back" {
				r.apply(fast) // while the fault lasted the knob could not be restored either
			} else if a.Actual != tegra.Some(fast) {
				t.Errorf("reads back %v, want the mode before", a.Actual)
			}
			if d := tegratest.Differences(state, tegratest.Contents(t, r.root)); len(d) > 0 {
				t.Errorf("not as before:\n%s", strings.Join(d, "\n"))
			}
			must.NoError(t, r.Close())
			r.wantAsFound()
		})
	}
}

func TestGuardThatHasEndedSaysWhatItWasAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	must.NoError(t, r.Close())
	if a, err := r.Apply(t.Context(), tegra.Request{Mode: mid}); err == nil || a.Asked != mid || a.Actual.OK {
		t.Errorf("%+v, %v", a, err)
	}
}

func failWhenWritten(k *tegratest.Kernel, path string) func(string) {
	return func(written string) {
		if written == path {
			k.Fail[path] = syscall.EIO
		}
	}
}

// moveLater changes the CPU's limit once, when the GPU has been set.
func moveLater(k *tegratest.Kernel) func(string) {
	done := false
	return func(written string) {
		if !done && written == tegratest.GPU35+"/max_freq" {
			done = true
			_ = k.FS.WriteFile(tegratest.CPU+"/cpu0/cpufreq/scaling_max_freq", []byte("2035200\n"))
		}
	}
}

func TestGuardRetriesABusyKnob(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.k.Do(func() { r.k.Busy[tegratest.CPU+"/cpu11/online"] = 2 })
	if a := r.apply(mid); !a.OK() {
		t.Errorf("%+v", a.Files)
	}
}

func TestGuardWritesNothingForAModeThatTheBoardLacks(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	for name, m := range map[string]tegra.Mode{
		"13 cores":             mode(13, 2201600, 1300500000, 3199000000),
		"a CPU clock of 5 GHz": mode(12, 5000000, 1300500000, 3199000000),
		"no memory rate":       mode(12, 2201600, 1300500000, 1),
		"nothing":              {},
	} {
		if _, err := r.Apply(context.Background(), tegra.Request{Mode: m}); err == nil {
			t.Errorf("%s was applied", name)
		}
	}
	if got := r.k.Writes(); len(got) > 0 {
		t.Errorf("written: %v", got)
	}
}

func TestGuardKeepsTheKernelsRulesOverRandomRequests(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	rng := rand.New(rand.NewPCG(7, 7))
	for _, m := range r.space.Sample(40, 3) {
		_, err := r.Apply(ctx, tegra.Request{Mode: m, DVFS: rng.IntN(3) == 0})
		must.NoError(t, err)
		switch rng.IntN(4) {
		case 0:
			_, _ = r.Revert(ctx)
		case 1:
			_, _ = r.Restore(ctx)
			r.wantAsFound()
		}
	}
	r.Close()
	r.wantNoRefusals()
	r.wantAsFound()
}
