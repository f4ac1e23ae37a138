package workload

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

func builtIns(t *testing.T) []Workload {
	t.Helper()
	return must.Get(Load(""))(t)
}

func TestWorkloadBuiltInsAreThePapers(t *testing.T) {
	t.Parallel()
	// Minibatches per epoch: derived from the papers' tables.
	want := []struct {
		name                 string
		samples, per, worker int
	}{
		{"resnet18", 50000, 3125, 4},
		{"mobilenet", 23080, 1443, 4},
		{"yolov8n", 25000, 1563, 0},
		{"bert", 70000, 4375, 4},
		{"lstm", 36000, 2250, 4},
		{"lenet5", 60000, 3750, 4},
		{"vgg11", 50000, 3125, 4},
		{"resnet18-cifar", 50000, 3125, 4},
		{"resnet18-gld23k", 23080, 1443, 4},
		{"mobilenet-imagenet", 50000, 3125, 4},
	}
	list := slices.DeleteFunc(builtIns(t), Workload.Infers)
	if len(list) != len(want) {
		t.Fatalf("%d built-in training jobs, want %d", len(list), len(want))
	}
	for i, w := range want {
		got := list[i]
		if got.Name != w.name || got.Samples != w.samples || got.MinibatchesPerEpoch() != w.per ||
			got.Workers != w.worker ||
			got.Batch != 16 ||
			got.Prefetch != 2 {
			t.Errorf("workload %d: got %+v, want %+v at batch 16, prefetch 2", i, got, w)
		}
		if got.Own || len(got.Command) > 0 || got.Model == "" || got.Dataset == "" || got.Task == "" ||
			got.Title == "" {
			t.Errorf("%s: own %v, command %v, or a fact is missing: %+v", got.Name, got.Own, got.Command, got)
		}
	}
}

func TestFindTakesNamesAndAliases(t *testing.T) {
	t.Parallel()
	list := builtIns(t)
	for name, want := range map[string]string{
		"resnet18": "resnet18",
		"resnet":   "resnet18",
		"yolo":     "yolov8n",
		"lenet":    "lenet5",
		" BERT ":   "bert",
	} {
		if got, err := Find(list, name); err != nil || got.Name != want {
			t.Errorf("%q: got %q, %v; want %q", name, got.Name, err, want)
		}
	}
	for name, want := range map[string]int{"resnet18/8": 8, "mobilenet/32": 32, "resnet/128": 128} {
		base, _, _ := strings.Cut(name, "/")
		own, _ := Find(list, base)
		if got, err := Find(list, name); err != nil || got.Batch != want || got.Name != own.Name {
			t.Errorf("%q: got %q with %d samples a minibatch, %v", name, got.Name, got.Batch, err)
		}
	}
	for _, name := range []string{"resnet18/", "resnet18/0", "resnet18/-8", "resnet18/+8", "resnet18/8/8",
		"resnet18/x", "/8", "nothing/8"} {
		if got, err := Find(list, name); err == nil {
			t.Errorf("%q is %q with %d samples a minibatch", name, got.Name, got.Batch)
		}
	}
	if _, err := Find(list, "resnet50"); err == nil || strings.Contains(err.Error(), "nearest") ||
		!strings.Contains(err.Error(), "built in or saved") {
		t.Errorf("another network: %v; want no network in its place", err)
	}
	if _, err := Find(list, "mobilnet"); err == nil || !strings.Contains(err.Error(), "the nearest is mobilenet") {
		t.Errorf("a misspelt name: %v", err)
	}
	_, err := Find(list, strings.Repeat("x", 1000))
	if err == nil || !strings.Contains(err.Error(), "jtune workloads lists all") ||
		!strings.Contains(err.Error(), "jtune run -- ") || len(err.Error()) > 250 {
		t.Errorf("unknown name: %v; want a short error that says where the known ones are", err)
	}
}

func TestWorkloadMinibatchesPerEpochOfOddSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ samples, batch, want int }{
		{17, 16, 2},
		{16, 16, 1},
		{1, 16, 1},
		{0, 16, 0},
		{-4, 16, 0},
		{10, 0, 0},
	} {
		if got := (Workload{Samples: c.samples, Batch: c.batch}).MinibatchesPerEpoch(); got != c.want {
			t.Errorf("%d samples by %d: got %d, want %d", c.samples, c.batch, got, c.want)
		}
	}
}

func TestWorkloadUsersFileAddsAndChanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "workloads.toml")
	text := `
[workload.mynet]
command = ["python3", "train.py"]
samples = 1000
aliases = ["mine"]
env = { CUDA_VISIBLE_DEVICES = "0" }

[workload.resnet18]
command = ["./resnet.sh"]
batch = 32
`
	must.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	list := must.Get(Load(file))(t)
	mine, err := Find(list, "mine")
	if err != nil || !mine.Own || mine.Batch != 16 || mine.Workers != 4 || mine.Title != "mynet" ||
		mine.Env["CUDA_VISIBLE_DEVICES"] != "0" {
		t.Errorf("own workload: %+v, %v", mine, err)
	}
	res, err := Find(list, "resnet")
	if err != nil || !res.Own || res.Batch != 32 || res.Samples != 50000 || res.Command[0] != "./resnet.sh" {
		t.Errorf("changed workload: %+v, %v; want batch 32 and the rest as built in", res, err)
	}
	if want := len(builtIns(t)) + 1; len(list) != want {
		t.Errorf("%d workloads, want the built-in ones and 1 more, %d", len(list), want)
	}
	if before := builtIns(t); before[0].Batch != 16 {
		t.Error("the user's file changed the built-in list")
	}
}

func TestWorkloadNoUsersFileIsNoError(t *testing.T) {
	t.Parallel()
	if list, err := Load(filepath.Join(t.TempDir(), "none.toml")); err != nil || len(list) != len(builtIns(t)) {
		t.Errorf("%d workloads, %v", len(list), err)
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("a folder in place of the file is not an error")
	}
}

func TestWorkloadErrorsOfAWorkloadsFileNameFileAndLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, line, want string }{
		{"an unknown key", "[workload.a]\ncommand = ['x']\nbatchsize = 4\n", "line 3", "batchsize"},
		{"a misspelt table", "[torhc]\ndata = 'x'\n", "line 1", "[torch]"},
		{"a misspelt command", "[workload.a]\ncomand = ['x']\n", "line 2", "unknown key workload.a.comand"},
		{"an unknown table", "[workload.a]\ncommand = ['x']\n[job.b]\nx = 1\n", "line 3", "job"},
		{"a negative batch", "\n[workload.a]\ncommand = ['x']\n\nbatch = -1\n", "line 5", "batch -1 is outside"},
		{"a huge number of workers", "[workload.a]\nworkers = 5000\ncommand = ['x']\n", "line 2", "workers 5000"},
		{"a text for a number", "[workload.a]\ncommand = ['x']\nsamples = 'many'\n", "line 3", "samples"},
		{"a number that overflows", "[workload.a]\nsamples = 99999999999999999999\n", "line 2", ""},
		{"a negative silence", "[workload.a]\ncommand = ['x']\nsilence_s = -1\n", "line 3", "silence_s -1"},
		{"no command", "# mine\n[workload.a]\nbatch = 4\n", "line 2", "no command"},
		{"an empty command", "[workload.a]\ncommand = ['']\n", "line 2", "empty word"},
		{"a name given twice", "[workload.a]\ncommand = ['x']\n[workload.a]\ncommand = ['y']\n", "line 3", ""},
		{"a bad name", "[workload.'a b']\ncommand = ['x']\n", "line 1", "small letters"},
		{"a name key", "[workload.a]\nname = 'b'\ncommand = ['x']\n", "line 2", "name"},
		{"an alias of a built-in workload", "[workload.a]\ncommand = ['x']\naliases = ['resnet']\n", "line 3",
			"resnet18"},
		{"a bad alias", "[workload.a]\ncommand = ['x']\naliases = ['A B']\n", "line 3", "alias"},
		{"broken syntax", "[workload.a]\ncommand = [\n", "line 2", ""},
		{"a network nobody knows", "[workload.a]\nbatch = 2\ntorch = { net = 'alexnet', set = 'mnist' }\n", "line 3",
			"alexnet"},
		{"a data set nobody knows in its own table", "[workload.a.torch]\nnet = 'lenet5'\nset = 'mnits'\n", "line 3",
			"mnits"},
		{"a bad default of the built-in jobs", "[torch]\ncache = 'warm'\n", "line 2", "warm"},
		{"a pattern that is no expression", "[workload.a]\ncommand = ['x']\npattern = '(?P<batch'\n", "line 3",
			"is no regular expression: invalid named capture"},
		{"a pattern that finds no minibatch", "[workload.a]\ncommand = ['x']\npattern = 'step'\n", "line 3",
			"finds no step"},
		{"a pattern without a command", "[workload.resnet18]\npattern = 'tqdm'\n", "line 2", "command"},
		{"a container without an image", "[workload.a]\ncommand = ['x']\n[workload.a.container]\nruntime = " +
			"'nvidia'\n", "line 3", "without image"},
		{"an env name that cannot be", "[workload.a]\ncommand = ['x']\nenv = { 'A=B' = '1' }\n", "line 3", "env"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("my.toml", c.text, builtIns(t))
			if err == nil {
				t.Fatal("no error")
			}
			got := err.Error()
			if !strings.HasPrefix(got, "my.toml: "+c.line) || !strings.Contains(got, c.want) ||
				strings.Contains(got, "\n") {
				t.Errorf("got %q, want one line with my.toml, %s and %q", got, c.line, c.want)
			}
		})
	}
}

func TestLoadReturnsListsOfItsOwn(t *testing.T) {
	t.Parallel()
	want := must.Get(parse("built-in workloads", builtIn, nil))(t)
	file := filepath.Join(t.TempDir(), "my.toml") // which changes the built-in lists and tables
	text := "[workload.resnet18]\naliases = ['r']\nenv = { A = 'b' }\n[workload.llama]\ncommand = ['x']\n"
	must.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	for _, name := range []string{file, ""} {
		list := must.Get(Load(name))(t)
		for _, w := range list {
			for _, words := range [][]string{w.Aliases, w.Command, w.Container.Flags, w.Container.Mounts} {
				for i := range words {
					words[i] = "changed"
				}
			}
			for i := range w.Batches {
				w.Batches[i] = -1
			}
			clear(w.Env)
		}
	}
	if got := builtIns(t); !reflect.DeepEqual(got, want) {
		t.Errorf("what callers change is seen by the next: %+v", got)
	}
}

// A list or table that a workload gets later must be copied too.
func TestDeepCopySharesNoListOrTable(t *testing.T) {
	t.Parallel()
	var w Workload
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
		}
	}
	fill(reflect.ValueOf(&w).Elem())
	var compare func(path string, a, b reflect.Value)
	compare = func(path string, a, b reflect.Value) {
		switch a.Kind() {
		case reflect.Struct:
			for i := range a.NumField() {
				compare(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
			}
		case reflect.Slice, reflect.Map:
			if a.Pointer() == b.Pointer() {
				t.Errorf("%s is shared", path)
			}
		}
	}
	compare("Workload", reflect.ValueOf(w), reflect.ValueOf(deepCopy([]Workload{w})[0]))
}

func FuzzWorkloadsFile(f *testing.F) {
	f.Add("[workload.a]\ncommand = ['x']\n")
	f.Add("[workload.resnet18]\nbatch = 32\naliases = ['r']\n")
	f.Add("workload = 3\n[[workload]]\n\"")
	base := must.Get(Load(""))(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		list, err := parse("fuzz.toml", text, deepCopy(base))
		if err != nil {
			return
		}
		for _, w := range list {
			if bad := w.faults(); len(bad) > 0 {
				t.Errorf("accepted a workload with faults: %v", bad)
			}
		}
	})
}

func TestOtherwiseWritesTablesAsTheUsersFileDoes(t *testing.T) {
	t.Parallel()
	there := Workload{Name: "net", Container: harness.Container{Image: "l4t", Mounts: []string{"/data:/data"}},
		Torch: torch.Job{Net: "lenet5", Set: "mnist", Beside: true}, Server: Server{URL: "http://127.0.0.1:8080"},
		Load: Demand{Rate: 2.5}}
	got, want := there.Otherwise(Workload{Name: "net", Load: Demand{Rate: 2}}), []string{
		`container image = "l4t", mounts = ["/data:/data"] (here none)`,
		`built-in job net = "lenet5", set = "mnist", beside = true (here none)`,
		`server url = "http://127.0.0.1:8080" (here none)`,
		`load rate = 2.5 (here rate = 2.0)`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A report names no batch size and no loader processes that an own command was never given.
func TestDefaultsAreNotKnownOfAnOwnCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w              Workload
		batch, workers int
	}{
		{Workload{Batch: 16, Workers: 4}, 16, 4},
		{Workload{Batch: 16, Workers: 4, Own: true}, 16, 4}, // a job of jtune's own with the user's settings
		{Workload{Batch: 16, Workers: 4, Own: true, Command: []string{"true"}}, 0, 0},
		{Workload{Batch: 16, Workers: 2, Own: true, Command: []string{"true"}, Sized: true}, 16, 2},
		{Workload{Batch: 32, Workers: 4, Own: true, Command: []string{"true"}}, 32, 0},
	} {
		if batch, workers := c.w.Known(); batch != c.batch || workers != c.workers {
			t.Errorf("%+v: %d, %d", c.w, batch, workers)
		}
	}
}
