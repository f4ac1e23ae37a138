package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/boards"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
)

func TestApplyListsEachFileOfAModeThatWasNotTaken(t *testing.T) {
	t.Parallel()
	s := must.Get(session.Open(session.Options{Device: "virtual:agx-orin"}))(t)
	defer s.Close()
	space := s.Device.Space()
	before := tegra.Some(space.At(0))
	applied := tegra.Applied{Asked: space.Max(), Actual: before,
		Files: []tegra.KnobFile{{Knob: "GPU max", Path: "/sys/gpu/max_freq", Asked: "1300500000", Actual: "318750000"}}}
	var out bytes.Buffer
	a := &applyCmd{app: &app{out: &out, asJSON: true}}
	must.NoError(t, a.notApplied(s, applied, before))
	var got struct {
		Asked          map[string]int64
		Kept, Reverted bool
		Files          []tegra.KnobFile
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if got.Kept || !got.Reverted || len(got.Files) != 1 || got.Files[0].Actual != "318750000" ||
		got.Asked["gpu_hz"] != int64(space.Max().GPU) {
		t.Errorf("got %+v", got)
	}
	out.Reset()
	a.asJSON = false
	must.NoError(t, a.notApplied(s, applied, before))
	must.Contain(t, out.String(), "differs")
	out.Reset()
	a.asJSON = true
	if err := a.notApplied(s, tegra.Applied{Asked: space.Max()}, before); err != nil || out.Len() > 0 {
		t.Errorf("nothing was written, yet: %v %s", err, out.String())
	}
}

// pipe returns a standard input that stays open and empty.
func pipe(t testing.TB) (io.Reader, io.WriteCloser) {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r, w
}

func TestApplyKeepsRevertsOrWaits(t *testing.T) {
	t.Parallel()
	const mode = "8c/1.34C/0.83G/2.13M"
	for _, c := range []struct {
		name      string
		stdin     string
		args      []string
		code      int
		kept      bool
		leaveOpen bool
	}{
		{"yes on the command line keeps", "", []string{"--yes"}, exitOK, true, false},
		{"y keeps", "y\n", nil, exitOK, true, true},
		{"n reverts", "n\n", nil, exitReverted, false, true},
		{"silence reverts", "", []string{"--keep-after", "300ms"}, exitReverted, false, true},
		{"end of input is not an answer", "", []string{"--keep-after", "300ms"}, exitReverted, false, false},
		{"neither is another word", "maybe\n", []string{"--keep-after", "300ms"}, exitReverted, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args, root := fakeBoard(t, "true")
			before := tegratest.Contents(t, root)
			r, w := pipe(t)
			go func() {
				io.WriteString(w, c.stdin)
				if !c.leaveOpen {
					w.Close()
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), must.Patience)
			defer cancel()
			o := jtuneWith(t, ctx, r, with(with(args, "apply", mode, "--json"), c.args...)...)
			if o.code != c.code {
				t.Fatalf("got exit code %d, want %d; stderr %s", o.code, c.code, o.err)
			}
			v := o.object(t, appliedKeys)
			must.Equal(t, v["kept"], any(c.kept))
			must.Equal(t, v["reverted"], any(!c.kept))
			if !c.kept {
				same(t, root, before)
				return
			}
			if d := tegratest.Differences(before, tegratest.Contents(t, root)); len(d) == 0 {
				t.Error("kept, but no file has changed")
			}
			jtune(t, with(args, "revert")...).done(t)
			same(t, root, before)
		})
	}
}

func TestInterruptedApplyRestores(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	before := tegratest.Contents(t, root)
	r, _ := pipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil && len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	jtuneWith(t, ctx, r, with(args, "apply", "8c/1.34C/0.83G/2.13M")...).fails(t, exitInterrupted)
	same(t, root, before)
}

// same checks that no file has changed.
func same(t testing.TB, root string, before map[string]string) {
	t.Helper()
	for _, d := range tegratest.Differences(before, tegratest.Contents(t, root)) {
		t.Errorf("not restored: %s", d)
	}
}

func TestApplyRefusesAPresetOfAnotherBoard(t *testing.T) {
	t.Parallel()
	tree := tegratest.New("orin-nano-36")
	tree.Files[boards.Of("orin-nano-36").Conf.Path] = boards.Of("agx-orin-36").Conf.String()
	args := []string{"--sysroot", tree.Write(t), "--data-dir", t.TempDir()}
	jtune(t, with(args, "apply", "30W", "--yes")...).fails(t, exitNoDevice, "MODE_30W", "cores 6", "another board")
	v := jtune(t, with(args, "device", "--json")...).done(t).object(t, deviceKeys)
	if usable, not := v["presets"].([]any), v["presets_unusable"].([]any); len(usable) > 0 || len(not) != 4 {
		t.Errorf("presets %v, unusable %v", usable, not)
	}
}
