// Command machine tries jtune on real Linux systems, most in QEMU: power cuts at random moments, and a
// Debian system with systemd, sudo, OpenSSH, CPU hotplug and suspend; presets over reboots; a smoke test on arm64.
//
//	.ci/machine                      all of it
//	.ci/machine -parts cuts -cuts 10 -seed 7
//
//	mmdebstrap ──► kernel, busybox ──► initramfs with jtune ──► QEMU ──► console ──► findings
//	                                   disk ◄──────────────────┘ └──► disk after a cut, checked from outside
//
// The part "reboots" boots its disk under user-mode Linux instead: a boot takes seconds there. It needs root, Debian's
// qemu-system-x86, qemu-system-arm, user-mode-linux, mmdebstrap, cpio, e2fsprogs and openssh-client, and keeps two
// processors busy. Each part adds a line to docs/reliability.csv.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"jtune/internal/tools/reliability"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// part is one of the tests. It returns the number of trials and the findings.
type part struct {
	name  string
	needs string // programs, besides those that all parts need
	try   func(context.Context, *lab) (count int, findings []string, err error)
}

// The longest parts come first.
var parts = []part{
	{"system", "qemu-system-x86_64 ssh", trySystem},
	{"reboots", "linux.uml ssh", tryReboots},
	{"cuts", "qemu-system-x86_64", powerCuts},
	{"system-cuts", "qemu-system-x86_64 ssh", cutSystem},
	{"arm64", "qemu-system-aarch64 ssh", smokeOfArm64},
}

// lab is what all parts share.
type lab struct {
	dir        string    // for what they build
	log        io.Writer // progress
	seed       int64
	cuts       int
	days       string // names of days, separated by commas
	systemCuts int
	reboots    int // tries of presets that need a reboot; 0: as JTUNE_LONG says
	suite      string
	media      sync.Mutex // held while a part builds the media or the Debian system for all
	debian     sync.Mutex
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("machine", flag.ContinueOnError)
	flags.SetOutput(stderr)
	names := flags.String("parts", nameList(), "the `PARTS` to try, with commas")
	l := &lab{log: stderr}
	flags.Int64Var(&l.seed, "seed", time.Now().UnixNano()%1_000_000, "seed `N` of the moments of the cuts")
	flags.IntVar(&l.cuts, "cuts", 100, "number `N` of power cuts")
	flags.IntVar(&l.systemCuts, "system-cuts", 10, "number `N` of power cuts of the Debian system")
	flags.IntVar(&l.reboots, "reboots", 0, "number `N` of tries of presets that need a reboot (default 3, 30 with "+
		"JTUNE_LONG)")
	flags.StringVar(&l.days, "days", strings.Join(dayNames(), ","),
		"the `BOOTS` of the Debian system to try, with commas and in this order")
	flags.StringVar(&l.dir, "dir", "",
		"`FOLDER` for what is built, kept for a further call; a new one that is removed by default")
	flags.StringVar(&l.suite, "suite", "bookworm", "`RELEASE` of Debian whose kernel, systemd and sudo are tried")
	atOnce := flags.Int("at-once", 2, "number `N` of parts that are tried at the same time, each on a processor")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	if l.dir == "" {
		dir, err := os.MkdirTemp("", "jtune-machine")
		if err != nil {
			fmt.Fprintln(stderr, "machine:", err)
			return 1
		}
		defer os.RemoveAll(dir)
		l.dir = dir
	}
	var wg sync.WaitGroup
	var failed atomic.Bool
	next := make(chan part)
	for range max(1, *atOnce) {
		wg.Go(func() {
			for p := range next {
				if !l.report(ctx, p, stdout) {
					failed.Store(true)
				}
			}
		})
	}
	for _, p := range parts {
		if !slices.Contains(strings.Split(*names, ","), p.name) {
			continue
		}
		if why := p.missing(exec.LookPath); why != "" {
			fmt.Fprintf(stderr, "machine: %s is skipped: %s\n", p.name, why)
			continue
		}
		next <- p
	}
	close(next)
	wg.Wait()
	if failed.Load() {
		return 1
	}
	return 0
}

// report runs a part and adds it to the record. It reports whether there were no findings.
func (l *lab) report(ctx context.Context, p part, stdout io.Writer) bool {
	record, err := reliability.Begin(ctx, p.name)
	if err != nil {
		fmt.Fprintln(l.log, "machine:", err)
		return false
	}
	count, findings, err := p.try(ctx, l)
	if ctx.Err() != nil {
		fmt.Fprintf(l.log, "%s: stopped; what was tried until then counts\n", p.name)
	} else if err != nil {
		findings = append(findings, err.Error())
	}
	for _, f := range findings {
		fmt.Fprintf(l.log, "%s: %s\n", p.name, f)
	}
	record.Count, record.Findings = count, len(findings)
	line, err := record.Append()
	if err != nil {
		fmt.Fprintln(l.log, "machine:", err)
	}
	fmt.Fprint(stdout, line)
	return err == nil && len(findings) == 0
}

func nameList() string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
}

// missing says why a part cannot run here; "" if it can.
func (p part) missing(find func(program string) (path string, err error)) string {
	if os.Geteuid() != 0 {
		return "building a Debian system takes root"
	}
	for program := range strings.FieldsSeq("mmdebstrap cpio mke2fs debugfs " + p.needs) {
		if _, err := find(program); err != nil {
			return "no " + program +
				": apt-get install qemu-system-x86 qemu-system-arm mmdebstrap cpio e2fsprogs openssh-client"
		}
	}
	return ""
}

// sh runs a shell script with words as $1, $2, …. The error includes its output.
func sh(ctx context.Context, script string, words ...string) error {
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-euc", script, "sh"}, words...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", script, err, out)
	}
	return nil
}
