package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"jtune/profiles/record"
	"jtune/tegra/boot"
)

// work is something that jtune does on the small machine (init.sh) until the power cut.
type work struct {
	name    string
	longest time.Duration // the cut is at a random moment within this time
	check   func(context.Context, *crash) []string
}

var works = []work{
	{"profile", 8 * time.Second, checkProfile},
	{"tune", 12 * time.Second, checkTune},
	{"models", 6 * time.Second, checkModels},
	{"apply", 12 * time.Second, checkApply},
	{"config", 8 * time.Second, checkConfig},
}

// crash is a machine after a power cut.
type crash struct {
	jtune string   // program for this machine's architecture
	seed  string   // seed of the work's draws
	data  string   // files of the disk after its journal was replayed
	said  []string // console lines shown before the cut
}

// powerCuts kills the emulator at random moments, replays the disk's journal and checks the files.
func powerCuts(ctx context.Context, l *lab) (count int, findings []string, err error) {
	b, err := l.newMedia(ctx, "amd64")
	if err != nil {
		return 0, nil, err
	}
	files, image := filepath.Join(l.dir, "files"), filepath.Join(l.dir, "cut.img")
	base := filepath.Join(files, "jtune/campaigns/base")
	if err := sh(ctx, `
rm -rf "$2" # of a call before
mkdir -p "$2/jtune/campaigns" "$2/etc"
cp -a "$3/etc/." "$2/etc/"
"$1" --device virtual:agx-orin --speed max --seed 1 profile resnet --sample 20 --minibatches 10 --out "$4"
"$1" --device virtual:agx-orin fit --samples "$4" --out "$2/base.model"
`, b.jtune, files, filepath.Join(l.dir, "amd64/first/board"), base); err != nil {
		return 0, nil, err
	}
	if err := os.WriteFile(filepath.Join(files, configName), []byte(configText(0)), 0o644); err != nil {
		return 0, nil, err
	}
	if err := disk(ctx, image, files, "96M"); err != nil {
		return 0, nil, err
	}
	state := filepath.Join(l.dir, "state")
	if err := b.save(ctx, image, state); err != nil {
		return 0, nil, err
	}
	draw := rand.New(rand.NewPCG(uint64(l.seed), 0))
	for ; count < l.cuts && ctx.Err() == nil; count++ {
		w := works[count%len(works)]
		after := time.Duration(draw.Int64N(int64(w.longest)))
		c := crash{jtune: b.jtune, seed: strconv.Itoa(2 + draw.IntN(1000)), data: filepath.Join(l.dir, "crash")}
		wrong, err := c.cutAndCheck(ctx, b, w, image, state, after)
		if err != nil {
			return count, findings, err
		}
		fmt.Fprintf(l.log, "cut %d: %s seed %s, %.1f s after its start, %d things done: %d findings\n", count+1,
			w.name, c.seed, after.Seconds(), len(c.done()), len(wrong))
		for _, f := range wrong {
			findings = append(findings, fmt.Sprintf("cut %d (seed %d), %s: %s", count+1, l.seed, w.name, f))
		}
	}
	return count, findings, ctx.Err()
}

// save boots a machine until it waits for work, and saves its state.
func (b media) save(ctx context.Context, image, state string) error {
	socket := state + ".monitor"
	e, err := b.start(ctx, image, "", "-monitor", "unix:"+socket+",server=on,wait=off")
	if err != nil {
		return err
	}
	defer e.cut()
	if err := e.wait("READY"); err != nil {
		return err
	}
	for _, command := range []string{fmt.Sprintf("migrate \"exec:cat > %s\"", state), "quit"} {
		if _, err := monitor(socket, command); err != nil {
			return err
		}
	}
	<-e.ended
	if st, err := os.Stat(state); err != nil || st.Size() == 0 {
		return errors.New("the machine could not be saved")
	}
	return nil
}

func (c *crash) cutAndCheck(ctx context.Context, b media, w work, image, state string, after time.Duration) ([]string,
	error) {
	scratch := c.data + ".img"
	if err := sh(ctx, `rm -rf "$3"; cp --sparse=always "$1" "$2"`, image, scratch, c.data); err != nil {
		return nil, err
	}
	e, err := b.start(ctx, scratch, "", "-incoming", "exec:cat "+state)
	if err != nil {
		return nil, err
	}
	defer e.cut()
	fmt.Fprintf(e.keys, "\n%s %s\n", w.name, c.seed)
	if err := e.wait("BEGIN " + w.name); err != nil {
		return nil, err
	}
	select {
	case <-time.After(after):
	case <-e.ended:
	}
	e.cut()
	c.said = e.said()
	if err := sh(ctx, `
PATH="$PATH:/usr/sbin:/sbin"
e2fsck -fy "$1" >"$1.log" 2>&1 || [ $? = 1 ] || { cat "$1.log"; exit 1; }
mkdir "$2"
debugfs -R "rdump / $2" "$1" >"$1.log" 2>&1
`, scratch, c.data); err != nil {
		return []string{"the disk: " + err.Error()}, nil
	}
	var wrong []string
	for _, line := range c.said {
		if strings.HasPrefix(line, "FAILED ") {
			wrong = append(wrong, line)
		}
	}
	return append(wrong, w.check(ctx, c)...), nil
}

// run runs jtune on the disk's files, like the next start.
func (c *crash) run(ctx context.Context, words ...string) (string, error) {
	words = append([]string{"--device", "virtual:agx-orin", "--speed", "max", "--seed", c.seed, "--data-dir",
		filepath.Join(c.data, "jtune"), "--log-file", filepath.Join(c.data, "log")}, words...)
	out, err := exec.CommandContext(ctx, c.jtune, words...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("jtune %s: %w: %s", strings.Join(words, " "), err, out)
	}
	return string(out), err
}

// measured matches the line that jtune prints after it has recorded a mode.
var measured = regexp.MustCompile(`^\d+/\d+  (\S+)  (\w+)  `)

// done returns what the console reported as done: modes of a campaign, otherwise commands.
func (c *crash) done() (out []string) {
	for _, line := range c.said {
		if m := measured.FindStringSubmatch(line); m != nil {
			out = append(out, m[1])
		} else if strings.HasPrefix(line, "DONE ") {
			out = append(out, line)
		}
	}
	return out
}

// checkRows checks that the rows of a campaign begin with all modes that it reported as recorded.
func (c *crash) checkRows(dir string) (wrong []string) {
	done := c.done()
	if _, err := os.Stat(filepath.Join(dir, "campaign.toml")); len(done) == 0 && err != nil {
		return nil // cut before the folder was complete: a folder without that file is started again
	}
	_, rows, err := record.Read(dir)
	if err != nil {
		return []string{err.Error()}
	}
	for i, mode := range done {
		if i >= len(rows) || rows[i].Mode.String() != mode {
			wrong = append(wrong, fmt.Sprintf("row %d of %d, %s, is lost: %d rows are left", i+1, len(done), mode,
				len(rows)))
		}
	}
	return wrong
}

func checkProfile(ctx context.Context, c *crash) []string {
	dir := filepath.Join(c.data, "jtune/campaigns/cut")
	wrong := c.checkRows(dir)
	wrong = append(wrong, c.checkState(ctx, dir)...)
	_, before, _ := record.Read(dir)
	if _, err := c.run(ctx, "profile", "resnet", "--sample", "100", "--minibatches", "10", "--out", dir,
		"--resume"); err != nil {
		return append(wrong, err.Error())
	}
	_, after, err := record.Read(dir)
	if err != nil {
		return append(wrong, err.Error())
	}
	once := map[string]bool{}
	for i, row := range after {
		once[row.Mode.String()] = true
		if i < len(before) && strings.Join(row.Fields(), ",") != strings.Join(before[i].Fields(), ",") {
			wrong = append(wrong, fmt.Sprintf("row %d changed when the campaign was resumed", i+1))
		}
	}
	if len(after) != 100 || len(once) != 100 {
		wrong = append(wrong, fmt.Sprintf("%d rows of %d modes after resuming, want 100", len(after), len(once)))
	}
	return wrong
}

// checkState checks that the list of campaigns shows how this one ended.
func (c *crash) checkState(ctx context.Context, dir string) []string {
	if _, _, err := record.Read(dir); err != nil {
		return nil // cut before its first file was written
	}
	list, err := c.run(ctx, "campaigns", "list")
	if err != nil {
		return []string{err.Error()}
	}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) > 0 && f[0] == filepath.Base(dir) {
			whole := strings.Contains(strings.Join(c.said, "\n"), "\nEND ")
			// A search records its end before it prints it.
			told := strings.Contains(line, "interrupted") || strings.Contains(line, "complete") ||
				strings.Contains(line, "finished")
			if !whole && !told {
				return []string{"the list does not say how it ended: " + line}
			}
			return nil
		}
	}
	return []string{"the list of campaigns lacks it: " + list}
}

func checkTune(ctx context.Context, c *crash) (wrong []string) {
	dirs, _ := filepath.Glob(filepath.Join(c.data, "jtune/campaigns/20*"))
	if len(dirs) > 1 || len(dirs) == 0 && len(c.done()) > 0 {
		return []string{fmt.Sprintf("%d campaigns", len(dirs))}
	}
	for _, dir := range dirs {
		wrong = append(wrong, c.checkRows(dir)...)
		wrong = append(wrong, c.checkState(ctx, dir)...)
	}
	if _, err := c.run(ctx, "tune", "resnet", "--power-limit", "25"); err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong
}

// Locations of the campaign and the model of init.sh after each of its commands; the last is the location before the
// first.
var (
	campaignAt = strings.Fields("base base moved deleted moved moved moved moved base base base")
	modelAt    = strings.Fields("base other other other other deleted other base base deleted none")
)

func checkModels(ctx context.Context, c *crash) (wrong []string) {
	find := func(below, ending string, names ...string) (at []string) {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(c.data, "jtune", below, name+ending)); err == nil {
				at = append(at, name)
			}
		}
		// The pool's model is there too while its campaign is deleted.
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(c.data, "jtune/deleted", below, name+ending)); err == nil {
				at = append(at, "deleted")
			}
		}
		return at
	}
	n := len(c.done())
	// The power may have failed during the next command, after it had done its work.
	expect := func(what string, at, after []string) {
		got := "none"
		if len(at) > 0 {
			got = strings.Join(at, " and ")
		}
		last, next := after[(n+len(after)-1)%len(after)], after[n%len(after)]
		if got != last && got != next {
			wrong = append(wrong, fmt.Sprintf("after %d commands the %s is at %s, want %s or %s", n, what, got, last,
				next))
		}
	}
	expect("campaign", find("campaigns", "", "base", "moved"), campaignAt)
	expect("model", find("models", ".model", "base", "other"), modelAt)
	for _, words := range [][]string{{"campaigns", "list"}, {"models", "list"}, {"campaigns", "list", "--deleted"}} {
		if out, err := c.run(ctx, words...); err != nil || strings.Contains(out, "unreadable") {
			wrong = append(wrong, fmt.Sprintf("%v: %v: %s", words, err, out))
		}
	}
	return wrong
}

func checkApply(_ context.Context, c *crash) []string {
	d, err := boot.Open(c.data)
	if err != nil {
		return []string{err.Error()}
	}
	defer d.Close()
	unit, err := d.Installed()
	enabled, eerr := d.Enabled()
	if err := errors.Join(err, eerr); err != nil {
		return []string{err.Error()}
	}
	got := "none"
	for _, mode := range []string{"4c/0.73C/0.31G/2.13M", "12c/2.20C/1.30G/3.20M"} {
		if strings.Contains(boot.Command(unit), " "+mode+" ") {
			got = mode
		}
	}
	if (got == "none") != (unit == "") || unit != "" && !strings.HasSuffix(unit, "WantedBy=multi-user.target\n") {
		return []string{fmt.Sprintf("the unit is not whole: %q", unit)}
	}
	after := []string{"4c/0.73C/0.31G/2.13M", "12c/2.20C/1.30G/3.20M", "none", "none"}
	n := len(c.done())
	if last, next := after[(n+3)%4], after[n%4]; got != last && got != next || enabled && unit == "" {
		return []string{fmt.Sprintf("after %d commands the unit sets %s, want %s or %s; enabled %v", n, got, last, next,
			enabled)}
	}
	return nil
}

// configName is the configuration file of init.sh on the disk.
const configName = "config.toml"

// configText returns its content after a number of edits: longer than a page, so that half a file is noticed.
func configText(edits int) string {
	return strings.Repeat("# a remark of the user's, which stays\n", 200) + fmt.Sprintf(
		"[workload.job]\ntitle = \"job\"\nsamples = 1600\nbatch = %d\ncommand = [\"true\"]\n# the end\n", edits+1)
}

func checkConfig(_ context.Context, c *crash) []string {
	text, err := os.ReadFile(filepath.Join(c.data, configName))
	n := len(c.done())
	if err != nil || string(text) != configText(n) && string(text) != configText(n+1) {
		return []string{fmt.Sprintf("after %d edits the configuration (%v) is not that of the last one or the next: %q",
			n, err, text)}
	}
	return nil
}
