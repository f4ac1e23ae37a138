package cli

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
)

// slurm starts a cluster of only this machine, with its own keys, ports and folders, and returns the environment for
// its commands.
func slurm(t *testing.T, dir string) []string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("Slurm's daemons need root")
	}
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 1024)
	_, _ = rand.Read(key)
	for _, sub := range []string{"munge", "state", "spool"} {
		must.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	config := fmt.Sprintf(`ClusterName=jtune
SlurmctldHost=%[1]s(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.sock
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=orin Nodes=%[1]s Default=YES MaxTime=INFINITE State=UP
`, host, dir)
	for name, text := range map[string]string{"munge/key": string(key), "slurm.conf": config} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o400))
	}
	environment := append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"), asJtune+"=1")
	munge := filepath.Join(dir, "munge")
	for _, daemon := range [][]string{ // in the foreground: they end with the test
		{"munged", "--foreground", "--force", "--key-file=" + munge + "/key", "--socket=" + dir + "/munge.sock",
			"--pid-file=" + munge + "/pid", "--log-file=" + munge + "/log", "--seed-file=" + munge + "/seed"},
		{"slurmctld", "-D", "-c"},
		{"slurmd", "-D"},
	} {
		cmd := exec.Command(daemon[0], daemon[1:]...)
		cmd.Env = environment
		if err := cmd.Start(); err != nil {
			t.Skipf("%s: %v", daemon[0], err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		time.Sleep(time.Second) // each connects to the previous one
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second) {
		cmd := exec.Command("sinfo", "--noheader", "--format=%t")
		cmd.Env = environment
		out, err := cmd.CombinedOutput()
		if strings.TrimSpace(string(out)) == "idle" {
			return environment
		}
		if time.Now().After(end) {
			t.Skipf("Slurm does not run here: %v %s", err, out)
		}
	}
}

// TestSlurmArrayJobMeasuresOnePlan submits the array job of docs/howto/many-boards.md to a real Slurm and merges the
// parts.
func TestSlurmArrayJobMeasuresOnePlan(t *testing.T) {
	long(t, "runs Slurm's daemons", "munged", "slurmctld", "slurmd", "sbatch", "sinfo")
	dir := t.TempDir()
	environment := slurm(t, dir)
	job := fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=jtune-lstm
#SBATCH --partition=orin
#SBATCH --array=1-3
srun %s profile lstm --sample 9 --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
     --device virtual:nano --speed max --data-dir %[2]s/data --out "%[2]s/part-$SLURM_ARRAY_TASK_ID" --resume
`, os.Args[0], dir)
	script := filepath.Join(dir, "profile.sh")
	must.NoError(t, os.WriteFile(script, []byte(job), 0o755))
	cmd := exec.Command("sbatch", "--wait", "--output="+dir+"/out-%a", script)
	cmd.Env = environment
	if out, err := cmd.CombinedOutput(); err != nil {
		said, _ := os.ReadFile(filepath.Join(dir, "out-1"))
		t.Fatalf("sbatch: %v\n%s%s", err, out, said)
	}
	var parts []string
	for i := range 3 {
		parts = append(parts, filepath.Join(dir, fmt.Sprintf("part-%d", i+1)))
	}
	all := filepath.Join(dir, "all")
	jtune(t, append(append([]string{"merge"}, parts...), "--out", all)...).done(t)
	head, _ := rowsIn(t, all, 9)
	must.Equal(t, head.Device.Virtual, true)
}
