package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed switches.go.txt
var switches []byte

// trial is a package under test.
type trial struct {
	plan *Plan
	pkg  Package
	seed uint64
	dir  string // for build output

	mutants []*mutant
	program string
	tests   []test
}

// test is a test with the mutants that it reaches.
type test struct {
	name  string
	took  time.Duration
	reach map[int]bool
}

// result is the outcome for a package.
type result struct {
	mutants, reached, killed, equivalent int
}

// pct returns the share of reached mutants that a test notices, without equivalents.
func (r result) pct() float64 {
	if of := r.reached - r.equivalent; of > 0 {
		return 100 * float64(r.killed) / float64(of)
	}
	return 100
}

func (t *trial) run(ctx context.Context) (r result, err error) {
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return r, err
	}
	if err := t.build(ctx); err != nil {
		return r, err
	}
	if err := t.reach(ctx); err != nil {
		return r, err
	}
	r.mutants = len(t.mutants)
	for _, m := range t.mutants {
		reached, noticed, err := t.noticed(ctx, m)
		switch {
		case err != nil:
			return r, err
		case !reached:
			continue
		case noticed:
			r.killed++
		case t.equivalent(m):
			r.equivalent++
		default:
			fmt.Printf("  survives: %s:%d %s: %s\n", m.file, m.line, m.kind, m.text)
		}
		r.reached++
	}
	return r, nil
}

func (t *trial) equivalent(m *mutant) bool {
	return slices.ContainsFunc(t.plan.Equivalent, func(e Equivalent) bool {
		return e.File == m.file && e.Kind == m.kind && e.Line == m.text
	})
}

// build draws the mutants and builds the tests with all of them as switches. A mutant that does not compile, such as
// plus for texts, is replaced by another one.
func (t *trial) build(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{range .GoFiles}}{{.}}\n{{end}}",

		"./"+t.pkg.Path).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	all, sources, err := sites(t.pkg.Path, strings.Fields(string(out)))
	if err != nil {
		return err
	}
	h := fnv.New64a()
	fmt.Fprint(h, t.pkg.Path)
	rng := rand.New(rand.NewPCG(t.seed, h.Sum64()))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	t.mutants = all[:min(len(all), t.pkg.Each)]
	all = all[len(t.mutants):]
	for id, m := range t.mutants {
		m.id = id
	}
	for {
		bad, err := t.compile(ctx, sources)
		if err != nil || len(bad) == 0 {
			return err
		}
		for i, m := range t.mutants {
			if !bad[m.id] {
				continue
			}
			if len(all) == 0 {
				return errors.New("too few changes compile")
			}
			id := m.id
			t.mutants[i], all = all[0], all[1:]
			t.mutants[i].id = id
		}
	}
}

// switchOf matches the number of a switch in a changed line.
var switchOf = regexp.MustCompile(`mutant\.\w+\((\d+)`)

// compile builds the tests, and returns the switches in lines that do not compile.
func (t *trial) compile(ctx context.Context, sources map[string][]byte) (bad map[int]bool, err error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	overlay := map[string]string{filepath.Join(wd, "internal/mutant/mutant.go"): filepath.Join(t.dir, "mutant.go")}
	if err := os.WriteFile(filepath.Join(t.dir, "mutant.go"), switches, 0o644); err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for path, source := range sources {
		var list []*mutant
		for _, m := range t.mutants {
			if m.file == path {
				list = append(list, m)
			}
		}
		if len(list) == 0 {
			continue
		}
		text := imported(changed(source, list))
		texts[path] = text
		file := filepath.Join(t.dir, "changed-"+filepath.Base(path))
		overlay[filepath.Join(wd, path)] = file
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
	}
	doc, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(t.dir, "overlay.json")
	if err := os.WriteFile(list, doc, 0o644); err != nil {
		return nil, err
	}
	t.program = filepath.Join(t.dir, "tests")
	out, err := exec.CommandContext(ctx, "go", "test", "-vet=off", "-gcflags="+"jtune/"+t.pkg.Path+"=-e", "-overlay",
		list, "-c", "-o",
		t.program, "./"+t.pkg.Path).CombinedOutput()
	if err == nil {
		return nil, nil
	}
	bad = map[int]bool{}
	for path, text := range texts {
		lines := bytes.Split(text, []byte("\n"))
		at := regexp.MustCompile(`(?m)` + regexp.QuoteMeta(filepath.Base(path)) + `:(\d+)`)
		for _, found := range at.FindAllSubmatch(out, -1) {
			n, _ := strconv.Atoi(string(found[1]))
			for ; n > 0 && n <= len(lines); n-- { // any line of a statement may name it
				ids := switchOf.FindAllSubmatch(lines[n-1], -1)
				for _, id := range ids {
					k, _ := strconv.Atoi(string(id[1]))
					bad[k] = true
				}
				if len(ids) > 0 {
					break
				}
			}
		}
	}
	if len(bad) == 0 {
		return nil, fmt.Errorf("it does not build: %w\n%s", err, out)
	}
	return bad, nil
}

// command runs tests of the package in its folder, with an environment variable.
func (t *trial) command(ctx context.Context, tests, variable string) *exec.Cmd {
	c := exec.CommandContext(ctx, t.program, "-test.short", "-test.failfast", "-test.run", tests)
	c.Dir, c.Env, c.WaitDelay = t.pkg.Path, append(os.Environ(), variable), time.Second
	// Its own process group: a mutant may signal process 0, which is the sender's whole group.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}

// reach runs each test by itself and records which mutants it reaches.
func (t *trial) reach(ctx context.Context) error {
	if out, err := combined(t.command(ctx, "^$", "")); err != nil {
		return fmt.Errorf("its tests do not start: %w\n%s", err, out)
	}
	c := exec.CommandContext(ctx, t.program, "-test.list", ".")
	c.Dir = t.pkg.Path
	out, err := c.Output()
	if err != nil {
		return err
	}
	skip := regexp.MustCompile(cmp.Or(t.pkg.Skip, "^$"))
	for _, name := range strings.Fields(string(out)) {
		if strings.HasPrefix(name, "Benchmark") || skip.MatchString(name) {
			continue
		}
		file := filepath.Join(t.dir, "reached")
		_ = os.Remove(file)
		begun := time.Now()
		if out, err := combined(t.command(ctx, "^"+name+"$", "JTUNE_MUTANTS_REACHED="+file)); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%s fails without any change: %w\n%s", name, err, out)
		}
		one := test{name: name, took: time.Since(begun), reach: map[int]bool{}}
		text, _ := os.ReadFile(file)
		for _, id := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(id); err == nil {
				one.reach[n] = true
			}
		}
		t.tests = append(t.tests, one)
	}
	slices.SortFunc(t.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// Limits of a run with a mutant: a run that hangs counts as failed.
const (
	together = 2 * time.Second // quick tests run in one process
	patience = 10              // times the duration without a mutant
	least    = 20 * time.Second
)

// noticed reports whether a test reaches a mutant, and whether one fails with it.
func (t *trial) noticed(ctx context.Context, m *mutant) (reached, noticed bool, err error) {
	var names []string
	var took time.Duration
	runs := func() (failed bool, err error) {
		if len(names) == 0 {
			return false, nil
		}
		bounded, cancel := context.WithTimeout(ctx, max(least, patience*took))
		defer cancel()
		err = alone(t.command(bounded, "^("+strings.Join(names, "|")+")$", fmt.Sprintf("JTUNE_MUTANT=%d", m.id)))
		names, took = nil, 0
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return err != nil, nil
	}
	for _, one := range t.tests {
		if !one.reach[m.id] {
			continue
		}
		reached = true
		if took += one.took; took > together {
			if failed, err := runs(); failed || err != nil {
				return true, failed, err
			}
			took = one.took
		}
		names = append(names, one.name)
	}
	noticed, err = runs()
	return reached, noticed, err
}
