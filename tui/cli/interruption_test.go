package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/tegratest"
)

// interrupted is a campaign that is interrupted repeatedly.
type interrupted struct {
	t        *testing.T
	rng      *rand.Rand
	args     []string          // of every command
	plan     []string          // the command
	modes    int               // rows of the complete plan
	fates    []string          // misfortunes by round, "nothing" lets it end; nil: random
	after    int               // minimum rows before a misfortune
	patience time.Duration     // maximum time until a misfortune
	root     string            // of a board of files; "": a virtual board
	found    map[string]string // its files at the start
	job      string            // folder of the job of such a board, which its processes name
	disk     string            // a small file system for the record; "" if none can be mounted

	dir    string // campaign folder
	orphan bool   // a dead guard's state may be waiting for the next one
	kept   []byte // complete lines of modes.csv after the previous round
	kills  int    // processes killed so far
}

type misfortune struct {
	name  string
	board bool // only for a board of files
	do    func(c *interrupted, client *os.Process) (ends bool)
}

// misfortunes are what may happen to a running campaign. Each reports whether the process ends.
var misfortunes = []misfortune{
	{"kill -9 of jtune", false, func(c *interrupted, client *os.Process) bool { return c.killJtune(client) }},
	{"a terminal that hangs up", false,
		func(c *interrupted, client *os.Process) bool { client.Signal(syscall.SIGHUP); return true }},
	{"kill -15 of jtune", false,
		func(c *interrupted, client *os.Process) bool { client.Signal(syscall.SIGTERM); return true }},
	{"an interrupt", false, func(c *interrupted, client *os.Process) bool { client.Signal(os.Interrupt); return true }},
	{"a full disk", false, func(c *interrupted, client *os.Process) bool { return c.fillDisk() }},
	{"kill -9 of the guard", true, func(c *interrupted, client *os.Process) bool { return c.kill("-stage=serve") > 0 }},
	{"kill -9 of the job", true, func(c *interrupted, client *os.Process) bool { c.kill("leader"); return false }},
	{"kill -9 of a loader", true, func(c *interrupted, client *os.Process) bool { c.kill("loader"); return false }},
	{"an unplugged data set", true, func(c *interrupted, client *os.Process) bool { c.unplug(); return false }},
	{"kill -9 of jtune and its guard", true, func(c *interrupted, client *os.Process) bool {
		c.killJtune(client)
		c.kill("-stage=serve")
		return true
	}},
	{"kill -9 of jtune, its guard and the guard's watchdog", true, func(c *interrupted, client *os.Process) bool {
		c.killJtune(client)
		c.kill("-stage=watch")
		c.kill("-stage=serve")
		return true
	}},
}

// misfortunesOfPairs affect one of two jobs: the pair fails, and is run again.
var misfortunesOfPairs = []misfortune{
	{"kill -9 of the training", true, func(c *interrupted, client *os.Process) bool {
		c.signal(`"want":"train"`, syscall.SIGKILL)
		return false
	}},
	{"a training that hangs", true, func(c *interrupted, client *os.Process) bool {
		c.signal(`"want":"train"`, syscall.SIGSTOP)
		return false
	}},
	{"an inference that hangs", true, func(c *interrupted, client *os.Process) bool {
		c.signal(`"want":"infer"`, syscall.SIGSTOP)
		return false
	}},
}

// TestInterruptedAtAnyMomentACampaignGoesOn interrupts the real program at random moments and resumes it until the plan
// is done, then starts over. After each round the record contains what was finished, nothing in it was measured twice
// or changed, the board is restored, and no process is left.
func TestInterruptedAtAnyMomentACampaignGoesOn(t *testing.T) {
	t.Parallel()
	virtualRounds, boardRounds, boards := 5, 1, 3
	switch {
	case os.Getenv("JTUNE_LONG") != "":
		virtualRounds, boardRounds, boards = 280, 17, 6
	case testing.Short():
		virtualRounds, boards = 3, 2
	}
	asked, seed := reliability.Rounds(0)
	if asked > 0 {
		virtualRounds, boardRounds, boards = 2*asked, asked, 6
	}
	var lanes sync.WaitGroup // mostly asleep: more at a time than processors
	defer lanes.Wait()
	lanes.Go(func() {
		t.Run("virtual board", func(t *testing.T) {
			c := &interrupted{t: t, rng: rand.New(rand.NewPCG(1+seed, 1)), disk: smallDisk(t), modes: 120,
				patience: time.Second,
				args: []string{"--device", "virtual:agx-orin", "--speed", "200", "--data-dir", t.TempDir(),
					"--log-file", filepath.Join(t.TempDir(), "log")},
				plan: []string{"profile", "resnet18", "--sample", "120", "--minibatches", "5"}}
			c.rounds(virtualRounds)
		})
	})
	for i := range boards {
		lanes.Go(func() {
			t.Run(fmt.Sprint("board of files ", i+1), func(t *testing.T) {
				job := t.TempDir()
				args, root := fakeBoard(t, strings.ReplaceAll(jobWithLoaders, "JOB", job))
				c := &interrupted{t: t, rng: rand.New(rand.NewPCG(2+seed, uint64(i))), disk: smallDisk(t), modes: 2,
					patience: 9 * time.Second, args: args, root: root,
					found: tegratest.Contents(t, root), job: job,
					plan: []string{"profile", "job", "--sample", "2", "--minibatches", "5"}}
				c.rounds(boardRounds)
			})
		})
	}
	pairs, pairRounds, fates := 3, 2, []string{"kill -9 of jtune", "kill -15 of jtune", "a terminal that hangs up"}
	if boards > 4 {
		pairs, pairRounds, fates = boards, boardRounds, nil
	}
	for i := range pairs {
		lanes.Go(func() {
			t.Run(fmt.Sprint("pair on a board of files ", i+1), func(t *testing.T) {
				c := interruptedPair(t, []string{"free", "strict", "fill"}[i%3])
				c.rng = rand.New(rand.NewPCG(3+seed, uint64(i)))
				if fates != nil {
					c.fates, c.after, c.patience = []string{fates[i], "nothing"}, 1-i%2, 4*time.Second
				}
				c.rounds(pairRounds)
			})
		})
	}
}

// interruptedPair is a pair of two jobs that take turns: the pair is measured, then the inference alone.
func interruptedPair(t *testing.T, policy string) *interrupted {
	job := t.TempDir()
	args, root := fakeBoard(t, "")
	text := ""
	for _, name := range []string{"train", "infer"} {
		text += fmt.Sprintf("[workload.my-%s]\ntitle = %[1]q\nkind = %[1]q\nbatch = 1\nsamples = 1600\n"+
			"command = [\"sh\", \"-c\", %q]\n", name,
			strings.NewReplacer("JOB", job, "NAME", name).Replace(jobOfTurns))
	}
	must.NoError(t, os.WriteFile(following(args, "--config"), []byte(text), 0o644))
	return &interrupted{t: t, disk: smallDisk(t), modes: 2, patience: 20 * time.Second, args: args, root: root,
		found: tegratest.Contents(t, root), job: job, plan: []string{"pair",
			"--train", "my-train", "--infer", "my-infer",
			"--rate", "8", "--arrivals", "uniform", "--at", "8c/1.34C/0.82G/2.13M", "--batch", "1", "--requests", "20",
			"--minibatches", "5", "--policy", policy}}
}

// jobOfTurns works during its turns, beside a loader that does not end on request. The folder JOB marks both.
const jobOfTurns = `cd JOB
sh -c 'trap "" TERM HUP; while :; do sleep 0.5; done; : loader JOB' 3>&- &
while [ -e data ]; do echo '{"want":"NAME"}' >&3; read -r go <&3 || exit 0; sleep 0.05; echo '{"done":1}' >&3; done
echo data set is gone >&2; exit 1 # leader`

// jobWithLoaders trains while its data set exists, beside a loader that ends on request and one that does not. The
// folder JOB marks them all.
const jobWithLoaders = `cd JOB
sh -c 'while :; do sleep 0.5; done; : loader JOB' & sh -c 'trap "" TERM HUP; while :; do sleep 0.5; done; : loader JOB' &
i=0; while [ -e data ]; do echo '{"event":"minibatch","batch":'$i',"time_ms":100}'; i=$((i+1)); sleep 0.1; done
echo data set is gone >&2; exit 1 # leader`

// smallDisk mounts a small file system; "" without the right to.
func smallDisk(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Logf("no full disk is tried: mounting a small one: %v", err)
		return ""
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func (c *interrupted) rounds(n int) {
	defer func() { c.t.Logf("counted %d kills", c.kills) }()
	for round := range n {
		c.round(round)
		if c.t.Failed() {
			return
		}
	}
	if c.orphan {
		jtune(c.t, with(c.args, "revert")...).done(c.t)
		same(c.t, c.root, c.found)
	}
}

// round runs the campaign until a misfortune, or to its end.
func (c *interrupted) round(round int) {
	t := c.t
	if c.dir == "" {
		c.begin(round)
	}
	c.replug()
	may := misfortunes
	if slices.Contains(c.plan, "pair") {
		may = slices.Concat(may, misfortunesOfPairs)
	}
	m := may[c.rng.IntN(len(may))]
	if c.fates != nil {
		m.name = c.fates[round%len(c.fates)]
		m.do = func(c *interrupted, client *os.Process) bool {
			client.Signal(syscall.SIGABRT) // prints its goroutines
			t.Errorf("round %d: it does nothing for %v and does not end", round, must.Patience)
			return true
		}
		if i := slices.IndexFunc(may, func(of misfortune) bool { return of.name == m.name }); i >= 0 {
			m = may[i]
		}
	}
	for c.fates == nil && m.board && c.root == "" || c.fates == nil && c.disk == "" && m.name == "a full disk" {
		m = may[c.rng.IntN(len(may))]
	}
	var said safeBuffer
	client := exec.Command(os.Args[0], slices.Concat(c.args, c.plan,
		[]string{"--out", c.dir, "--resume", "--redo-failed"})...)
	client.Env = append(os.Environ(), asJtune+"=1", "TMPDIR="+t.TempDir()) // rows may be rescued to it
	client.Stderr = &said
	must.NoError(t, client.Start())
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }()
	what := "nothing"
	select {
	case err := <-ended:
		// On a busy machine a pair's requests may be late, so that no mode meets the limit.
		if err != nil && client.ProcessState.ExitCode() != exitInfeasible {
			t.Errorf("round %d: nothing befell it: %v", round, err)
		}
	case <-c.moment(m, &said):
		if what = m.name; !m.do(c, client.Process) {
			select { // it continues for another random time
			case err := <-ended:
				ended <- err
			case <-time.After(time.Duration(c.rng.Int64N(int64(c.patience)))):
				what += ", then an interrupt"
				client.Process.Signal(os.Interrupt)
			}
		}
		select {
		case <-ended:
		case <-time.After(must.Patience):
			client.Process.Kill()
			t.Fatalf("round %d, %s: jtune goes on %v later; it said\n%s", round, what, must.Patience, said.String())
		}
	}
	c.emptyDisk()
	c.allGone(round, what)
	c.check(said.String())
	t.Logf("round %d: %s; %d lines recorded", round, what, bytes.Count(c.kept, []byte("\n")))
	if what == "nothing" && c.dir != "" {
		t.Errorf("round %d: it ended before the plan did", round)
	}
	if t.Failed() {
		t.Fatalf("round %d: %s; jtune said\n%s", round, what, said.String())
	}
}

// moment sends at the time of a misfortune: random, and not before the rows that it waits for. It sends nothing if the
// campaign makes no progress: how long it takes to finish depends on the machine's load.
func (c *interrupted) moment(m misfortune, said *safeBuffer) <-chan time.Time {
	if m.name == "nothing" {
		return c.standstill(said)
	}
	chance := time.After(time.Duration(c.rng.Int64N(int64(c.patience))))
	if c.after == 0 {
		return chance
	}
	then := make(chan time.Time, 1)
	modes, after := filepath.Join(c.dir, "modes.csv"), c.after // check starts another one while this still looks
	go func() {
		for c.t.Context().Err() == nil {
			text, _ := os.ReadFile(modes)
			if bytes.Count(text, []byte("\n")) > after {
				then <- <-chance
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	return then
}

// standstill sends when nothing was printed or recorded for longer than the tests wait.
func (c *interrupted) standstill(said *safeBuffer) <-chan time.Time {
	still := make(chan time.Time, 1)
	dir := c.dir // check starts another folder while this goroutine still looks
	progress := func() (bytes int64) {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range files {
			if st, err := os.Stat(name); err == nil {
				bytes += st.Size()
			}
		}
		return bytes + int64(len(said.String()))
	}
	go func() {
		last, since := progress(), time.Now()
		for c.t.Context().Err() == nil {
			time.Sleep(time.Second)
			if now := progress(); now != last {
				last, since = now, time.Now()
			}
			if time.Since(since) > must.Patience {
				still <- time.Now()
				return
			}
		}
	}()
	return still
}

// begin starts a new folder.
func (c *interrupted) begin(round int) {
	parent := c.disk
	if parent == "" {
		parent = c.t.TempDir()
	}
	c.dir, c.kept = filepath.Join(parent, fmt.Sprintf("%s-%d", filepath.Base(c.t.Name()), round)), nil
}

// allGone waits until no process of the round is left and the board is restored. If guard and watchdog were killed,
// revert or the next guard restores it.
func (c *interrupted) allGone(round int, what string) {
	if c.root == "" {
		return
	}
	must.Until(c.t, fmt.Sprintf("round %d: all processes end after %s", round, what), func() bool {
		return len(processes("-sysroot="+c.root))+len(processes(c.job)) == 0
	})
	c.orphan = c.orphan || strings.Contains(what, "watchdog")
	left := must.Get(guard.PendingRestore(c.root))(c.t)
	if left != nil && c.orphan && c.rng.IntN(2) == 0 {
		return // the next round takes it over
	}
	if left != nil && c.orphan {
		jtune(c.t, with(c.args, "revert")...).done(c.t)
	}
	c.orphan = false
	same(c.t, c.root, c.found)
}

// check checks the record.
func (c *interrupted) check(said string) {
	t := c.t
	text, err := os.ReadFile(filepath.Join(c.dir, "modes.csv"))
	if err != nil && (len(c.kept) > 0 || !errors.Is(err, os.ErrNotExist)) {
		t.Errorf("the record is gone: %v", err)
		return
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if !bytes.HasPrefix(whole, c.kept) {
		t.Errorf("what was recorded has changed: from\n%s\nto\n%s", c.kept, whole)
	}
	c.kept = whole
	if len(whole) == 0 {
		return
	}
	head, rows, notes, err := record.ReadNoted(c.dir)
	if err != nil || len(notes) > 0 {
		t.Errorf("the record does not open: %v %v", err, notes)
		return
	}
	seen, measured, ran := map[tegra.Mode]bool{}, 0, map[string]bool{} // true: usable
	for _, r := range rows {
		run := fmt.Sprint(r.Mode, r.Extra) // of a pair, one of several in its mode
		if ran[run] {
			t.Errorf("%s was measured again", run)
		}
		if ran[run] = r.Status.Usable(); ran[run] {
			measured++
		}
		seen[r.Mode] = ran[run]
	}
	space := must.Get(head.Device.Space())(t)
	for line := range strings.Lines(said) {
		f := strings.Fields(line)
		if len(f) < 3 || f[2] != "ok" {
			continue
		}
		if m, err := space.Parse(f[1]); err != nil || !seen[m] {
			t.Errorf("reported as done but not in the record: %s (%v)", line, err)
		}
	}
	if measured == c.modes {
		os.RemoveAll(c.dir)
		c.dir = ""
	}
}

// processes lists the processes whose command line contains all the words.
func processes(words ...string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		line, _ := os.ReadFile(name)
		missing := func(w string) bool { return !strings.Contains(string(line), w) }
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != os.Getpid() &&
			!slices.ContainsFunc(words, missing) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill kills the processes of this board or its job whose command line contains the word, and returns their number.
func (c *interrupted) kill(word string) int { return c.signal(word, syscall.SIGKILL) }

// signal is kill with any signal.
func (c *interrupted) signal(word string, s syscall.Signal) int {
	of := c.job
	if strings.HasPrefix(word, "-") {
		of = "-sysroot=" + c.root
	}
	pids := processes(word, of)
	for _, pid := range pids {
		if syscall.Kill(pid, s) == nil && s == syscall.SIGKILL {
			c.kills++
		}
	}
	return len(pids)
}

func (c *interrupted) killJtune(client *os.Process) (ends bool) {
	if client.Kill() == nil {
		c.kills++
	}
	return true
}

func (c *interrupted) unplug() { os.Remove(filepath.Join(c.job, "data")) }

func (c *interrupted) replug() {
	if c.job == "" {
		return
	}
	must.NoError(c.t, os.WriteFile(filepath.Join(c.job, "data"), nil, 0o644))
}

// fillDisk fills the record's disk.
func (c *interrupted) fillDisk() bool {
	f, err := os.Create(filepath.Join(c.disk, "ballast"))
	if err != nil {
		return false
	}
	defer f.Close()
	for _, size := range []int{1 << 16, 1 << 12, 1} {
		for chunk := make([]byte, size); err == nil; {
			_, err = f.Write(chunk)
		}
		err = nil
	}
	return false
}

func (c *interrupted) emptyDisk() {
	if c.disk != "" {
		os.Remove(filepath.Join(c.disk, "ballast"))
	}
}
