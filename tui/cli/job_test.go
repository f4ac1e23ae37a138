package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// A job may die, hang, print garbage, or print nothing: the campaign ends with an error that explains it, and the board
// is restored.
func TestBadHarnesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		words        []string
	}{
		{"that dies at once", "echo no such dataset >&2; exit 3", []string{"no such dataset"}},
		{"that prints garbage and dies", "head -c 3000 /dev/zero; echo; echo '{\"event\":'; exit 1",
			[]string{"command sh ended with exit status 1"}},
	} {
		t.Run("a harness "+c.name, func(t *testing.T) {
			t.Parallel()
			args, root := fakeBoard(t, c.script)
			before := tegratest.Contents(t, root)
			o := jtune(t, with(args, "profile", "job", "--sample", "2", "--out", filepath.Join(t.TempDir(), "c"))...)
			o.ends(t, exitFailed)
			must.Contain(t, o.err, c.words...)
			same(t, root, before)
		})
	}
	t.Run("a harness that dies half way", func(t *testing.T) {
		t.Parallel()
		args, _ := fakeBoard(t,
			`for i in 1 2 3; do echo '{"event":"minibatch","time_ms":20}'; done; echo out of memory >&2; exit 9`)
		jtune(t, with(args, "run", "job")...).fails(t, exitFailed, "exit status 9", "out of memory")
	})
	t.Run("a harness that is silent for longer than it may", func(t *testing.T) {
		t.Parallel()
		args := jobOf(t, "sleep 600", "silence_s = 1\n")
		jtune(t, with(args, "profile", "job", "--sample", "1", "--retries", "0", "--out",
			filepath.Join(t.TempDir(), "c"))...).fails(t, exitNoDevice, "prints nothing for 1 s")
	})
	t.Run("a harness that never prints is left at an interrupt", func(t *testing.T) {
		t.Parallel()
		begun := filepath.Join(t.TempDir(), "begun")
		args, root := fakeBoard(t, "touch "+begun+"; sleep 600")
		before := tegratest.Contents(t, root)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(begun); err == nil {
					cancel()
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
		o := jtuneWith(t, ctx, strings.NewReader(""),
			with(args, "profile", "job", "--sample", "2", "--out", filepath.Join(t.TempDir(), "c"))...)
		o.fails(t, exitInterrupted)
		same(t, root, before)
	})
	t.Run("a data folder that is not there", func(t *testing.T) {
		t.Parallel()
		out := filepath.Join(t.TempDir(), "c")
		config := write(t, "[torch]\ndata = \"/no/such/data\"\npython = \"sh\"\nbeside = true\n")
		for _, args := range [][]string{{"--sysroot", tegratest.AGXOrin35(t)}, {"--device", "virtual:agx-orin"}} {
			jtune(t, with(args, "--config", config, "profile", "lenet5", "--sample", "1", "--out", out)...).fails(t,
				exitFailed, "/no/such/data")
		}
		must.Fail(t, must.Err(os.Stat(out)), "no such file")
	})
	t.Run("a workload without a command", func(t *testing.T) {
		t.Parallel()
		args, _ := fakeBoard(t, "true")
		jtune(t, with(args, "tune", "resnet", "--energy")...).fails(t, exitNoDevice, "resnet18", "command")
	})
}

// goodJob prints minibatches in the harness protocol endlessly.
const goodJob = `i=0; while :; do echo '{"event":"minibatch","epoch":0,"batch":'$i',"time_ms":20,"fetch_ms":2,` +
	`"stall_ms":1,"compute_ms":18}'; i=$((i+1)); sleep 0.02; done`

func TestRunOfARealCommand(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, goodJob)
	before := tegratest.Contents(t, root)
	v := jtune(t, with(args, "run", "job", "--minibatches", "10", "--json")...).done(t).object(t, runKeys)
	has(t, v, "minibatches = 10", "time_ms = 20")
	v = jtune(t, with(args, "run", "job", "--no-instrument", "--minibatches", "4", "--json")...).done(t).object(t,
		runKeys+" reading")
	has(t, v, "reading.minibatches = 4", "minibatches = 4", "power_w = null")
	same(t, root, before)
}
