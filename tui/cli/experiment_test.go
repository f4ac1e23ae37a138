package cli

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/profiles/lab/experiment"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual"
)

func TestExperimentAloneListsThem(t *testing.T) {
	t.Parallel()
	out := jtune(t, "experiment").done(t).out
	help := strings.Join(strings.Fields(jtune(t, "experiment", "--help").done(t).out), " ")
	for _, e := range experiment.All() {
		must.Contain(t, out, e.Name, e.Title)
		must.Contain(t, help, e.Name+" "+e.Title)
	}
}

func TestExperimentDrawsItsSettingsAsBars(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := with(virtualBoard, "experiment", "modes", "lenet", "--minibatches", "10", "--base", "0", "--data-dir", dir,
		"--pair", "8c/1.73C/0.62G/3.20M", "--pair", "8c/1.73C/0.83G/3.20M", "--svg", filepath.Join(dir, "svg"))
	out := jtune(t, with(args, "--plot")...).done(t).out
	must.Contain(t, out, "GPU 624.75 MHz to 828.75 MHz:", "stall, s", "compute, ms", "█")
	for _, name := range []string{"experiment-modes.svg", "experiment-modes-epoch.svg"} {
		drawn, err := os.ReadFile(filepath.Join(dir, "svg", name))
		if err != nil || !strings.Contains(string(drawn), "VIRTUAL") || strings.Count(string(drawn), "<rect") < 8 {
			t.Errorf("%s: %v, or no bars with their mark:\n%s", name, err, drawn)
		}
	}
}

// A model is fitted to the modes of an experiment whose runs differ only in the mode, and to no other experiment.
func TestFitLearnsFromTheModesOfAnExperiment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	modes, dvfs := filepath.Join(dir, "modes"), filepath.Join(dir, "dvfs")
	board := []string{"--device", "virtual:nano", "--speed", "max"}
	brief := []string{"lenet", "--minibatches", "10", "--base", "0", "--out"}
	jtune(t, with(with(board, "experiment", "modes"), with(brief, modes)...)...).done(t)
	o := jtune(t, "fit", "--samples", modes, "--out", filepath.Join(dir, "m.model"), "--no-cv", "--json").done(t)
	has(t, o.object(t, "method samples cv reference warnings virtual"), "samples >= 10")
	jtune(t, with(with(board, "experiment", "dvfs"), with(brief, dvfs)...)...).done(t)
	jtune(t, "fit", "--samples", dvfs, "--out", filepath.Join(dir, "n.model")).fails(t, exitFailed,
		"whose runs differ in more than the mode")
}

func TestExperimentReportsAsTextCSVAndJSON(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	o := jtune(t, with(virtualBoard, "experiment", "dvfs", "--workload", "lenet", "--minibatches", "20", "--mode",
		"8c/1.73C/0.62G/3.20M", "--out", dir)...).done(t)
	must.Contain(t, o.out, "dvfs: clocks locked or following", "a simulation, not a measurement", "DVFS off", "DVFS on",
		"What follows", "GPU clock falls from 0.62")
	must.Equal(t, string(must.Read(t, filepath.Join(dir, "report.txt"))), o.out)
	f := must.Get(os.Open(filepath.Join(dir, "report.csv")))(t)
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil || len(table) != 3 || table[1][0] != "DVFS off" || table[1][3] != "8" {
		t.Errorf("report.csv: %v, %v; want two settings in a mode of 8 cores", table, err)
	}

	jtune(t, with(virtualBoard, "experiment", "dvfs", "--workload", "lenet", "--minibatches", "20", "--mode",
		"8c/1.73C/0.62G/3.20M", "--out", dir)...).fails(t, exitFailed, "--resume")
	v := jtune(t, with(virtualBoard, "experiment", "dvfs", "--workload", "lenet", "--minibatches", "20", "--mode",
		"8c/1.73C/0.62G/3.20M", "--out", dir, "--resume", "--json")...).done(t).
		object(t, "experiment workload device virtual repeat dir lines missing skipped failed notes takeaway")
	lines := v["lines"].([]any)
	if len(lines) != 2 || v["virtual"] != true || v["workload"] != "lenet5" {
		t.Fatalf("got %v", v)
	}
	line := lines[0].(map[string]any)
	if ms, ok := line["time_ms"].(map[string]any); !ok || !(ms["median"].(float64) > 0) {
		t.Errorf("time_ms is %v", line["time_ms"])
	}
	for _, c := range experiment.Columns() {
		if _, ok := line[c.Key]; !ok {
			t.Errorf("a line lacks %s", c.Key)
		}
	}
}

// A real job on fake sysfs files: known values are printed, unknown ones are dashes, and the board is restored.
func TestExperimentOfARealCommand(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, goodJob)
	before := tegratest.Contents(t, root)
	o := jtune(t, with(args, "experiment", "dvfs", "--workload", "job", "--minibatches", "5", "--base", "0",
		"--interval", "100ms")...).done(t)
	must.Contain(t, o.out, "20.0", "no difference beyond noise (3 %)")
	same(t, root, before)
	jtune(t, with(args, "experiment", "cache", "--workload", "job")...).fails(t, exitNoDevice, "cache", "takes root")
}

// TestExperimentTrainsForReal trains with PyTorch on data of this machine: it drops and preloads the kernel's real page
// cache.
func TestExperimentTrainsForReal(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	data := t.TempDir()
	mnist(t, data, 320)
	config := write(t, "[torch]\ndata = \""+data+"\"\npython = \""+python+"\"\nbeside = true\n[workload.lenet5]\n"+
		"workers = 1\nsamples = 320\nenv = { OMP_NUM_THREADS = '1' }\n")
	args := []string{"experiment", "cache", "--workload", "lenet5", "--config", config, "--device", "virtual:agx-orin",
		"--base", "0", "--interval", "50ms", "--json"}
	v := jtune(t, args...).done(t).object(t,
		"experiment workload device virtual repeat dir lines missing skipped failed notes takeaway")
	got := map[string]map[string]any{}
	for _, l := range v["lines"].([]any) {
		line := l.(map[string]any)
		got[line["setting"].(string)+", "+line["part"].(string)] = line
	}
	if len(got) != 6 {
		t.Fatalf("%d lines, want two of each of three runs: %v", len(got), v)
	}
	median := func(line, key string) float64 {
		s, ok := got[line][key].(map[string]any)
		if !ok {
			t.Errorf("%s: no %s", line, key)
			return -1
		}
		return s["median"].(float64)
	}
	for line := range got {
		if ms := median(line, "time_ms"); !(ms > 0) {
			t.Errorf("%s: %v ms", line, ms)
		}
	}
	must.Equal(t, median("preloaded, later epochs", "cache_pct"), 100)
	// LeNet's job reads the files once, before they are dropped.
	if share := median("dropped each epoch, later epochs", "cache_pct"); share > 5 && !inMemory(t, data) {
		t.Errorf("dropped: %v %% of the files in memory", share)
	}
}

// inMemory reports whether a folder's file system is only in the page cache.
func inMemory(t *testing.T, dir string) bool {
	t.Helper()
	var st unix.Statfs_t
	must.NoError(t, unix.Statfs(dir, &st))
	return st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC
}

// mnist writes blank images in MNIST's published format.
func mnist(t *testing.T, dir string, n uint32) {
	t.Helper()
	var images []byte
	for _, v := range []uint32{2051, n, 28, 28} {
		images = binary.BigEndian.AppendUint32(images, v)
	}
	images = append(images, make([]byte, n*28*28)...)
	labels := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2049), n), make([]byte, n)...)
	for name, content := range map[string][]byte{"train-images-idx3-ubyte": images, "train-labels-idx1-ubyte": labels} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
}

func TestExperimentDevicesComparesBoardsAndSaysWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	text := jtune(t, "experiment", "devices", "resnet18").done(t).out
	must.Contain(t, strings.Join(strings.Fields(text), " "), "time, s", "energy, kJ", "nano* DNR",
		"DNR on nano: resnet18 needs 3.9 GB", "a simulation, not a measurement", "Raspberry Pi 5", "stated")
	v := jtune(t, "experiment", "devices", "lenet5", "--json").done(t).object(t, "virtual devices stated")
	must.Equal(t, v["virtual"], true)
	must.Equal(t, len(v["devices"].([]any)), len(virtual.Names()))
}

func TestExperimentAllRunsEachInAFolderOfItsOwnAndPrintsOneJSONArray(t *testing.T) {
	t.Parallel()
	computes(t)
	dir := t.TempDir()
	all := with(virtualBoard, "experiment", "all", "lenet", "--idle", "10s", "--base", "1s", "--out", dir,
		"--config", write(t, "[workload.lenet5]\nsamples = 3200\n"))
	o := jtune(t, all...).done(t)
	for _, e := range experiment.All() {
		if _, err := os.Stat(filepath.Join(dir, e.Name, "report.txt")); err != nil {
			t.Error(err)
		}
		must.Contain(t, o.out, e.Name+": "+e.Title)
	}
	o = jtune(t, append(all, "--resume", "--json")...).done(t) // without measuring once more
	var list []struct{ Experiment string }
	if err := json.Unmarshal([]byte(o.out), &list); err != nil {
		t.Fatalf("not one document: %v", err)
	}
	if len(list) != len(experiment.All()) {
		t.Fatalf("%d of %d experiments", len(list), len(experiment.All()))
	}
	for i, e := range experiment.All() {
		must.Equal(t, list[i].Experiment, e.Name, i)
	}
}

func TestExperimentTakesLabelsWithAndWithoutLetters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, labels, rest string }{
		{"modes lenet5", everyLabel, "modes lenet5"},
		{"modes ag", "ag", "modes"},
		{"modes lenet5 gh", "gh", "modes lenet5"},
		{"modes ag lenet5", "ag", "modes lenet5"},
		{"modes llama", everyLabel, "modes llama"},
	} {
		labels, rest := takeLabels(everyLabel, strings.Fields(c.args))
		must.Equal(t, labels, c.labels)
		must.Equal(t, strings.Join(rest, " "), c.rest)
	}
	if labels, rest := takeLabels("", []string{"modes", "ag"}); labels != "" || len(rest) != 2 {
		t.Errorf("without the flag it takes %q", labels)
	}
}

// A letter is a mode of the study: the AGX Xavier's own, on other boards at the same shares of their maxima.
func TestApplyTakesALabelOfTheStudy(t *testing.T) {
	t.Parallel()
	for board, want := range map[string]string{"agx-xavier": "requested  2c/2.11C/0.91G/1.60M",
		"agx-orin": "requested  3c/2.04C/0.83G/2.13M"} {
		o := jtune(t, "--device", "virtual:"+board, "--speed", "max", "apply", "f", "--yes").done(t)
		must.Contain(t, o.out, want)
	}
}
