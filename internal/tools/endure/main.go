// Command endure runs the tests whose counts add up over runs, and appends a line of each run to
// docs/reliability.csv.
//
//	.ci/endure -part fuzz -for 8m      every fuzz target in turn, for as long each
//	.ci/endure -below 500000 -for 1h   those with fewer executions so far (docs/fuzz.csv)
//	.ci/endure -part kills -rounds 50  kills of client, guard, watchdog and job
//	.ci/endure -part keys -rounds 5000 random keys and resizes
//	.ci/endure -part bindings -rounds 5000 keys of every binding while a job runs, alone
//
//	go test -c ──► test program ──► output ──► executions, kills, keys; findings ──► docs/reliability.csv
//
// A fuzz target counts its executions. A panic, an input that takes more than 1 s of CPU time, 10 s or 200 MB, and a
// process of more than 200 MB are findings. The other tests say what they counted on a line "counted N".
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"jtune/internal/tools/reliability"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "endure:", err)
		os.Exit(1)
	}
}

// mostKB is the memory limit of a fuzz target, including the fuzzing itself.
const mostKB = 200 << 10

// tests lists the tests of the parts other than fuzz: package and pattern.
var tests = map[string][][2]string{
	"kills":    {{"./tegra/guard", "KilledAtAnyMoment"}, {"./tui/cli", "InterruptedAtAnyMoment"}},
	"keys":     {{"./tui", "KeysAtRandom"}},
	"bindings": {{"./tui", "KeysAtRandomOfEveryBinding"}}, // one of them
}

// bench sums the counts of a run.
type bench struct {
	dir      string // of the test programs
	out      io.Writer
	count    int
	findings []string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("endure", flag.ContinueOnError)
	part := flags.String("part", "fuzz", "`PART` to run: fuzz, kills, keys or bindings")
	span := flags.Duration("for", 8*time.Minute, "how long all fuzz targets take together, once they are built")
	only := flags.String("only", "", "`PATTERN` of the fuzz targets to run, such as tegra.FuzzSelect")
	below := flags.Int("below", 0, "fuzz the targets with fewer than `N` executions so far; 0: all")
	rounds := flags.Int("rounds", 20, "`N` rounds of each kind of kill, or keys of each walk")
	seed := flags.Int64("seed", time.Now().UnixNano()%1_000_000, "`N` of what is drawn")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "jtune-endure")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, out: out}
	record, err := reliability.Begin(ctx, *part)
	if err != nil {
		return err
	}
	if list, ok := tests[*part]; ok {
		for _, t := range list {
			if err := b.test(ctx, t[0], t[1], *rounds, *seed); err != nil {
				return err
			}
		}
	} else if *part != "fuzz" {
		return fmt.Errorf("-part %s: want fuzz, kills, keys or bindings", *part)
	} else if err := b.fuzz(ctx, *span, *only, *below); err != nil {
		return err
	}
	record.Count, record.Findings = b.count, len(b.findings)
	line, err := record.Append()
	fmt.Fprint(out, line)
	if err == nil && len(b.findings) > 0 {
		err = errors.New(strings.Join(b.findings, "\n"))
	}
	return err
}

// build builds the test program of a package, like go test.
func (b *bench) build(ctx context.Context, pkg string, more ...string) (program string, err error) {
	program = filepath.Join(b.dir, strings.NewReplacer("/", "-", ".", "").Replace(pkg)+".test")
	out, err := exec.CommandContext(ctx, "go", append(append([]string{"test", "-c", "-o", program}, more...),
		pkg)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return program, err
}

var counted = regexp.MustCompile(`counted (\d+)`)

func (b *bench) test(ctx context.Context, pkg, pattern string, rounds int, seed int64) error {
	program, err := b.build(ctx, pkg)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.timeout", "2h", "-test.run", pattern)
	cmd.Dir = pkg
	cmd.Env = append(os.Environ(), fmt.Sprintf("JTUNE_ROUNDS=%d", rounds), fmt.Sprintf("JTUNE_SEED=%d", seed))
	out, err := cmd.CombinedOutput()
	for _, m := range counted.FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		b.count += n
	}
	if err != nil {
		b.findings = append(b.findings, fmt.Sprintf("%s %s (seed %d): %v\n%s", pkg, pattern, seed, err, out))
	}
	return nil
}

// target is a fuzz test.
type target struct{ pkg, name string }

func (t target) String() string { return filepath.Base(t.pkg) + "." + t.name }

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// targets finds all fuzz tests below the working directory.
func targets() (list []target, err error) {
	err = filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			list = append(list, target{"./" + filepath.Dir(path), string(m[1])})
		}
		return err
	})
	return list, err
}

// fuzz fuzzes for span, starting when all test programs are built. It skips targets with at least below executions; 0:
// none.
func (b *bench) fuzz(ctx context.Context, span time.Duration, only string, below int) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := targets()
	if err != nil {
		return err
	}
	counts, err := reliability.FuzzCounts(reliability.FuzzFile)
	if err != nil {
		return err
	}
	var list []target
	programs := map[string]string{}
	for _, t := range all {
		if !pattern.MatchString(t.String()) || below > 0 && counts[t.String()].Executions >= below {
			continue
		}
		if list = append(list, t); programs[t.pkg] == "" {
			if programs[t.pkg], err = b.build(ctx, t.pkg, "-fuzz=."); err != nil {
				return err
			}
		}
	}
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	until := time.Now().Add(span)
	for i, t := range list {
		if ctx.Err() != nil {
			break
		}
		span := max(time.Until(until)/time.Duration(len(list)-i), time.Second)
		b.fuzzOne(ctx, t, programs[t.pkg], filepath.Join(strings.TrimSpace(string(cache)), "fuzz/jtune", t.pkg), span)
	}
	return ctx.Err()
}

var executions = regexp.MustCompile(`execs: (\d+)`)

// fuzzOne fuzzes with one worker. The corpus is shared with go test -fuzz, so that each run continues from earlier
// ones.
func (b *bench) fuzzOne(ctx context.Context, t target, program, corpus string, span time.Duration) {
	cmd := exec.CommandContext(ctx, program, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.parallel=1",
		"-test.fuzztime="+span.String(), "-test.fuzzminimizetime=1x", "-test.fuzzcachedir="+corpus, "-test.timeout=0")
	cmd.Dir = t.pkg
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=150MiB") // below mostKB: garbage is not memory that an input takes
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	// A time limit reached while an input runs is no finding: golang.org/issue/48591.
	if err := cmd.Run(); err != nil && !bytes.Contains(text.Bytes(), []byte("s)\n    context deadline exceeded\n")) {
		b.findings = append(b.findings, fmt.Sprintf("%s %s: %v\n%s", t.pkg, t.name, err, text.Bytes()))
	}
	n := 0
	if all := executions.FindAllSubmatch(text.Bytes(), -1); len(all) > 0 {
		n, _ = strconv.Atoi(string(all[len(all)-1][1]))
	}
	b.count += n
	kb := int64(0) // maximum of the process and of those it waited for
	if cmd.ProcessState == nil {
		return // it did not start
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		kb = usage.Maxrss
	}
	fmt.Fprintf(b.out, "%s: %d executions in %.0f s, %d MB\n", t, n, span.Seconds(), kb>>10)
	if err := reliability.AddFuzz(reliability.FuzzFile, t.String(),
		reliability.Fuzzed{Executions: n, Seconds: int(span.Seconds())}); err != nil {
		b.findings = append(b.findings, err.Error())
	}
	if kb > mostKB {
		b.findings = append(b.findings, fmt.Sprintf("%s %s took %d MB", t.pkg, t.name, kb>>10))
	}
}
