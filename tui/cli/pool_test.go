package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// Programs that measure at the same time in one data directory, one of which is killed, lose none of each other's rows:
// the model includes every row on disk.
func TestProgramsOnOneDataDirectoryLoseNothingOfEachOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(args ...string) *exec.Cmd {
		t.Helper()
		log := filepath.Join(t.TempDir(), "log")
		at := []string{"--device", "virtual:agx-orin", "--data-dir", dir, "--log-file", log}
		cmd := child(slices.Concat(args, at)...)
		must.NoError(t, cmd.Start())
		return cmd
	}
	list := func() []map[string]any {
		t.Helper()
		return array(t, jtune(t, "campaigns", "--json", "--data-dir", dir).done(t).out)
	}
	rows := func() (n int) {
		t.Helper()
		for _, c := range list() {
			n += int(c["usable"].(float64))
		}
		return n
	}
	killed := start("profile", "lstm", "--sample", "50", "--seed", "9", "--speed", "40")
	must.Until(t, "a row is on disk", func() bool { return rows() > 0 })
	must.Equal(t, list()[0]["state"], "running")
	running := list()[0]["name"].(string)
	jtune(t, "campaigns", "delete", running, "--data-dir", dir).fails(t, exitFailed, "in use")
	fast := []string{"profile", "lstm", "--sample", "3", "--minibatches", "5", "--speed", "max", "--seed"}
	all := []*exec.Cmd{start(with(fast, "1")...), start(with(fast, "2")...)}
	must.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	for _, cmd := range all {
		must.NoError(t, cmd.Wait())
	}
	states := map[any]int{}
	for _, c := range list() {
		states[c["state"]]++
	}
	must.Equal(t, states, map[any]int{"finished": 2, "interrupted": 1})
	jtune(t, "profile", "lstm", "--sample", "1", "--minibatches", "5", "--seed", "3", "--device", "virtual:agx-orin",
		"--speed", "max", "--data-dir", dir).done(t)
	models := array(t, jtune(t, "models", "list", "--json", "--data-dir", dir).done(t).out)
	if m := models[len(models)-1]; len(models) != shippedModels+1 ||
		int(m["modes"].(float64)) != rows() || m["campaigns"] != 4.0 {
		t.Errorf("models %v; want one of 4 campaigns that knows %d modes", models, rows())
	}
}

// registry is a container engine: a running container is a file, and ends in an error when its file is removed.
const registry = `#!/bin/sh
cd DIR
case $1 in
run) while [ "$1" != --name ]; do shift; done; name=$2
     [ ! -e $name ] || exit 125
     touch $name
     echo '{"event":"hello","protocol":1}'
     i=0
     while [ $i -lt 60 ]; do
         [ -e $name ] || exit 137
         echo '{"event":"minibatch","time_ms":20}'
         i=$((i+1)); sleep 0.02
     done
     rm $name; echo $name >> ../finished ;;
rm) [ ! -e $3 ] || { rm $3; echo $3 >> ../killed; } ;;
ps) ls ;;
container) [ -e $3 ] ;;
esac
`

// Several jtunes share a board, a container engine, a data directory and a configuration: no container ends another, no
// record and no saved job is lost, and who may not set a mode says who does.
func TestJtunesTogetherLoseNothing(t *testing.T) {
	t.Parallel()
	programs := []int{2, 5}
	if os.Getenv("JTUNE_LONG") != "" {
		programs = append(programs, 20)
	}
	for _, n := range programs {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			args, root := fakeBoard(t, "true")
			before := tegratest.Contents(t, root)
			dir := t.TempDir()
			running, docker := filepath.Join(dir, "running"), filepath.Join(dir, "docker")
			must.NoError(t, os.Mkdir(running, 0o755))
			tegratest.Program(t, docker, strings.Replace(registry, "DIR", running, 1))
			type one struct {
				*exec.Cmd
				err   bytes.Buffer
				moded bool
			}
			all := make([]*one, n)
			for i := range all {
				line, moded := with(args, "run", "--base", "0", "--save", fmt.Sprint("saved", i)), i%2 == 1
				if moded {
					line = append(line, "--mode", aMode)
				}
				all[i] = &one{Cmd: exec.Command(os.Args[0], append(line, "--", docker, "run", "image", "train")...),
					moded: moded}
				all[i].Env, all[i].Stderr = append(os.Environ(), asJtune+"=1"), &all[i].err
				must.NoError(t, all[i].Start())
			}
			ran, set := 0, 0
			for _, one := range all {
				_ = one.Wait()
				switch code, says := one.ProcessState.ExitCode(), one.err.String(); {
				case code == exitOK:
					if ran++; one.moded {
						set++
					}
				case !one.moded || code != exitNoDevice || !strings.Contains(says, "(pid "):
					t.Errorf("ended with %d: %s", code, says)
				}
			}
			if set == 0 {
				t.Error("no run set its mode")
			}
			finished, _ := os.ReadFile(filepath.Join(dir, "finished"))
			killed, _ := os.ReadFile(filepath.Join(dir, "killed"))
			if got := bytes.Count(finished, []byte("\n")); got != ran || len(killed) > 0 {
				t.Errorf("%d of %d containers ended of their own; killed: %s", got, ran, killed)
			}
			must.Equal(t, len(array(t, jtune(t, with(args, "campaigns", "list", "--json")...).done(t).out)), ran)
			config, err := os.ReadFile(args[3])
			if got := bytes.Count(config, []byte("[workload.saved")); err != nil || got != ran {
				t.Errorf("%d saved jobs of %d runs, %v", got, ran, err)
			}
			same(t, root, before)
		})
	}
}
