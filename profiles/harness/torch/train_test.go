package torch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
	"jtune/profiles/harness/turns"
	"jtune/tegra"
)

const python = testhome.Python

func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

// needs skips the test unless the interpreter has a module.
func needs(t *testing.T, module string) {
	t.Helper()
	look := "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
	if err := exec.Command(python, "-c", look, module).Run(); err != nil {
		t.Skipf("%s has no %s (%v): install python3-%[2]s to run this test", python, module, err)
	}
}

func scripts(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	_, err := torch.Write(folder)
	must.NoError(t, err)
	return folder
}

// start runs a command and ends it with the test.
func start(t *testing.T, log string, env map[string]string, command ...string) harness.Harness {
	t.Helper()
	h := must.Get(harness.Exec(t.Context(),
		harness.ExecOptions{Command: command, Env: env, Log: log, Silence: 3 * time.Minute}))(t)
	t.Cleanup(func() { h.Stop(context.Background()) })
	return h
}

func all(t *testing.T, h harness.Harness) (byKind map[harness.Kind][]harness.Event, err error) {
	t.Helper()
	byKind = map[harness.Kind][]harness.Event{}
	for {
		e, err := h.Next(t.Context())
		if err != nil {
			return byKind, err
		}
		byKind[e.Kind] = append(byKind[e.Kind], e)
	}
}

func TestTrainNetworksTrainForRealOnTheCPU(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	for _, c := range []struct {
		name           string
		job            torch.Job
		batch, workers string
		samples        string
		minibatches    int
	}{
		{"LeNet with two loaders", torch.Job{Net: "lenet5", Set: "mnist"}, "16", "2", "60000", 5},
		{"ResNet-18 loading by itself", torch.Job{Net: "resnet18", Set: "imagenet-val"}, "2", "0", "50000", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.job.Python, c.job.Data = python, torch.Synthetic
			env := map[string]string{
				"JTUNE_BATCH":    c.batch,
				"JTUNE_WORKERS":  c.workers,
				"JTUNE_PREFETCH": "2",
				"JTUNE_EPOCHS":   "0",
				"JTUNE_WORKLOAD": "test",
			}
			got, err := all(t,
				start(t, "", env, append(c.job.Command(scripts(t)), "--minibatches", strconv.Itoa(c.minibatches))...))
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if len(got[harness.Minibatch]) != c.minibatches || len(got[harness.Hello]) != 1 ||
				len(got[harness.EpochEnd]) != 1 ||
				len(got[harness.Done]) != 1 {
				t.Fatalf("got %v; want %d minibatches, a hello, an epoch, done", got, c.minibatches)
			}
			info := got[harness.Hello][0].Info
			if info["samples"] != c.samples || info["batch_size"] != c.batch || info["num_workers"] != c.workers ||
				info["workload"] != "test" ||
				!strings.HasPrefix(info["framework"], "torch ") {
				t.Errorf("hello says %v", info)
			}
			for i, e := range got[harness.Minibatch] {
				alone := c.workers == "0" // then its pre-processing is part of the wait
				if e.Batch != i || e.FetchMS.V <= 0 || e.ComputeMS.V <= 0 ||
					e.FetchMS.V+e.ComputeMS.V > e.TimeMS*1.001 ||
					!(e.PrepareMS.V > 0) || alone && e.PrepareMS.V > e.FetchMS.V*1.001 {
					t.Errorf("minibatch %d: %+v; want fetch and compute within the whole, pre-processing in it", i, e)
				}
			}
		})
	}
}

func TestTrainInferenceAnswersFixedWorkForRealOnTheCPU(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	job := torch.Job{Net: "berttiny", Set: "sentences", Infer: true, NoGC: true, Python: python}
	env := map[string]string{"JTUNE_BATCH": "2", "JTUNE_WORKERS": "0", "JTUNE_EPOCHS": "2", "JTUNE_REQUESTS": "7"}
	got, err := all(t, start(t, "", env, job.Command(scripts(t))...))
	if !errors.Is(err, io.EOF) || len(got[harness.Minibatch]) != 0 || len(got[harness.Warm]) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	if info := got[harness.Hello][0].Info; info["kind"] != "infer" || info["unit"] != "inference" ||
		info["protocol"] != "2" || info["precision"] != "fp32" {
		t.Errorf("hello says %v", info)
	}
	var sizes []int
	for _, e := range got[harness.Infer] {
		if !e.Unclean {
			sizes = append(sizes, e.N)
		}
	}
	if want := []int{2, 2, 2, 1, 2, 2, 2, 1}; !slices.Equal(sizes, want) {
		t.Errorf("batches of %v, want %v: 7 inferences twice, after the warm-up", sizes, want)
	}
}

func TestTrainNetworksOfInferenceHaveTheirPublishedSize(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	const count = `import sys, torch
for f in ("kaiming_uniform_", "uniform_", "normal_"):
    setattr(torch.nn.init, f, lambda t, *a, **k: t)
sys.path.insert(0, sys.argv[1])
import loop, nets
for n in sys.argv[2:]:
    print(n, nets.params(loop.NETS[n].make()))`
	want := map[string]float64{"alexnet": 61.1e6, "yolov4tiny": 6.06e6, "berttiny": 4.39e6, "distilbert": 66.4e6}
	args := append([]string{"-B", "-c", count, scripts(t)}, slices.Sorted(maps.Keys(want))...)
	out, err := exec.Command(python, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var name string
	var n float64
	for line := range strings.Lines(string(out)) {
		if _, err := fmt.Sscan(line, &name, &n); err != nil || math.Abs(n/want[name]-1) > 0.01 {
			t.Errorf("%s (%v), want %g within 1 %%", line, err, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no size of %v", want)
	}
}

// mnist puts a folder with n samples of MNIST.
func mnist(t *testing.T, n int) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string][]byte{
		"train-images-idx3-ubyte": append([]byte("\x00\x00\x08\x03\x00\x00\x00\x14\x00\x00\x00\x1c\x00\x00\x00\x1c"),
			make([]byte, 784*n)...),
		"train-labels-idx1-ubyte": append([]byte("\x00\x00\x08\x01\x00\x00\x00\x14"), make([]byte, n)...),
	} {
		must.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
	return folder
}

func TestTrainEpochsOverFilesEndByThemselves(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	job := torch.Job{Net: "lenet5", Set: "mnist", Data: mnist(t, 20), Python: python, Cache: "drop"}
	got, err := all(
		t,
		start(t, "", map[string]string{"JTUNE_BATCH": "16", "JTUNE_WORKERS": "0", "JTUNE_EPOCHS": "2"},
			job.Command(scripts(t))...),
	)
	if !errors.Is(err, io.EOF) || len(got[harness.Minibatch]) != 4 || len(got[harness.EpochEnd]) != 2 ||
		len(got[harness.Done]) != 1 {
		t.Fatalf("%v, %v; want two epochs of two minibatches, the last one of each with 4 samples", got, err)
	}
	if last := got[harness.Minibatch][3]; last.Epoch != 1 || last.Batch != 1 {
		t.Errorf("the last minibatch is %+v", last)
	}
	if len(got[harness.Other]) != 2 || got[harness.Hello][0].Info["samples"] != "20" {
		t.Errorf("got %v; want a cache event per epoch and 20 samples", got)
	}
}

func TestTrainingEndsCleanlyWhenTold(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	log := filepath.Join(t.TempDir(), "log.txt")
	job := torch.Job{Net: "lenet5", Set: "mnist", Data: torch.Synthetic, Python: python}
	temporary := t.TempDir()
	h := start(t, log, map[string]string{"JTUNE_WORKERS": "2", "TMPDIR": temporary}, job.Command(scripts(t))...)
	for n := 0; n < 3; {
		if e := must.Get(h.Next(t.Context()))(t); e.Kind == harness.Minibatch {
			n++
		}
	}
	must.NoError(t, h.Stop(t.Context()))
	text, _ := os.ReadFile(log)
	if !strings.Contains(string(text), "ended: exit status 0") || strings.Contains(string(text), "Traceback") {
		t.Errorf("the log says:\n%s", text)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
}

// looks prints what samples of small data sets in the published formats look like.
const looks = `
import gzip, json, os, pickle, struct, sys, time
import torch, numpy
sys.path.insert(0, sys.argv[1])
import data, images, loop
from fault import Fault
root = sys.argv[2]
def put(name, content):
    os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
    open(os.path.join(root, name), "wb").write(content)
put("mnist/MNIST/raw/train-images-idx3-ubyte.gz", gzip.compress(struct.pack(">4i", 2051, 3, 28, 28) + bytes(784 * 3)))
put("mnist/MNIST/raw/train-labels-idx1-ubyte", struct.pack(">2i", 2049, 3) + bytes([1, 2, 9]))
for n in range(1, 6):
    put("cifar10/data_batch_%d" % n, pickle.dumps({b"data": numpy.full((2, 3072), 255, numpy.uint8), b"labels": [3, n]}, 2))
    put("bin/data_batch_%d.bin" % n, bytes([n] + [0] * 3072))
    put("evil/data_batch_%d" % n, pickle.dumps(os.system))
put("wikitext/wiki.train.tokens", b" = A title = \n" + b" the cat sat on the mat . \n" * 40)
put("squad/train-v2.0.json", json.dumps({"data": [{"paragraphs": [{"context": "Paris is in France, they say.", "qas": [
    {"question": "Where is Paris?", "answers": [{"text": "France", "answer_start": 12}]}, {"question": "Why?", "answers": []}]}]}]}).encode())
put("coco/labels/a.txt", b"7 0.5 0.5 0.25 0.5\n\n3 0.1 0.1 0.1 0.1\n")
def show(name, set, net, folder=None):
    try:
        s = data.open_set(set, folder or root, loop.NETS[net])
        x, y, _ = data.collate([s[0], s[1]])
        print(name, len(s), list(x.shape), y.flatten().tolist()[:4])
    except Fault as e:
        print(name, "fault:", e)
show("mnist", "mnist", "lenet5")
show("crossed", "mnist", "resnet18")
show("cifar", "cifar10", "vgg11")
show("grey", "cifar10", "lenet5", root + "/bin")
show("evil", "cifar10", "vgg11", root + "/evil")
show("words", "wikitext", "lstm")
show("spans", "squad", "bert")
show("nothing", "gld23k", "mobilenet", root + "/wikitext")
show("nowhere", "mnist", "lenet5", "/no/such/folder")
class Slow:
    files = ()
    def __getitem__(self, i):
        time.sleep(0.05)
        images.reading += 0.05
        time.sleep(0.01)
        return torch.zeros(1), i
s = data.Timed(Slow())
ms = data.collate([s[0], s[1]])[2]
print("pre-processing without reading", 20 <= ms < 100 or ms)
print("boxes", images.read_labels(root + "/coco/images/a.jpg").tolist()[0], len(images.read_labels(root + "/coco/images/none.jpg")))
`

func TestTrainPublishedFormatsOfDataSetsAreRead(t *testing.T) {
	t.Parallel()
	python := testhome.Torch(t)
	needs(t, "numpy")
	out, err := exec.Command(python, "-B", "-c", looks, scripts(t), t.TempDir()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"mnist 3 [2, 1, 28, 28] [1, 2]",
		"crossed 3 [2, 3, 224, 224] [1, 2]",
		"cifar 10 [2, 3, 224, 224] [3, 1]",
		"grey 5 [2, 1, 28, 28] [1, 2]",
		"evil fault: a CIFAR-10 file holds posix.system",
		"words 5 [2, 64] ",
		"spans 2 [2, 2, 384] [9, 9, 0, 0]",
		"nothing fault: ", "no pictures",
		"nowhere fault: data folder /no/such/folder: no such folder",
		"pre-processing without reading True",
		"boxes [0.0, 7.0, 0.5, 0.5, 0.25, 0.5] 0",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Two of the built-in jobs share a GPU by turns, here a CPU.
func TestTrainAndInferTakeTurnsForRealOnTheCPU(t *testing.T) {
	t.Parallel()
	python, folder := testhome.Torch(t), scripts(t)
	job := func(infer bool, batch string) harness.ExecOptions {
		j := torch.Job{Net: "lenet5", Set: "mnist", Data: "synthetic", Python: python, Infer: infer}
		return harness.ExecOptions{Command: j.Command(folder), Env: map[string]string{"JTUNE_BATCH": batch,
			"JTUNE_WORKERS": "0", "JTUNE_PROTOCOL": "2"}}
	}
	p := must.Get(turns.Start(t.Context(), turns.Options{Names: [2]string{"lenet5", "lenet5-infer"},
		Jobs: []harness.ExecOptions{job(false, "8"), job(true, "4")}, Clock: tegra.RealClock(), Batch: 4,
		MaxWait: 20 * time.Millisecond, Turns: arrivals.Turns{Fill: true},
		First: [2]time.Duration{time.Hour, time.Hour},
		Load:  arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 30}}))(t)
	defer p.Stop(context.Background())
	train, infer, few, ended := 0, 0, 0, time.Duration(0)
	for train < 5 || infer < 10 || few == 0 {
		e, err := p.Next(t.Context())
		if err != nil || e.Kind == harness.Gone {
			t.Fatalf("after %d and %d turns: %v %s", train, infer, err, e.Message)
		}
		if !e.Timed() {
			continue
		}
		if e.Began() < ended {
			t.Errorf("a turn of %s begins at %v, the one before ended at %v", e.Job, e.Began(), ended)
		}
		ended = e.T
		switch {
		case e.Job == harness.JobTrain:
			train++
		case e.N < 4: // the maximal wait was over first
			few++
			fallthrough
		default:
			infer++
		}
	}
}
