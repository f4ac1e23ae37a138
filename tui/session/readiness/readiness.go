package readiness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"jtune/internal/conclusion"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/harness/torch"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/doctor"
	"jtune/tui/session/workloads"
)

// Check is one requirement of a workload.
type Check struct {
	What  string `json:"what"`
	State string `json:"state"` // checkOK, checkWarn, checkMissing
	Found string `json:"found"`
	Need  string `json:"need"`
	Do    string `json:"do"` // "" if there is nothing to do
}

// States of a check.
const (
	checkOK      = "ok"
	checkWarn    = "warning"
	checkMissing = "missing"
)

// Readiness compares what a workload needs with what this machine has.
type Readiness struct {
	Workload  string  `json:"workload"`
	Simulated bool    `json:"simulated"` // simulated on this virtual board: needs nothing from this machine
	Refusal   string  `json:"refusal"`   // why the board refuses it, as run, tune and profile would; "" if it does not
	Virtual   bool    `json:"virtual"`
	Ready     bool    `json:"ready"`
	Checks    []Check `json:"checks"`
}

// CheckWorkload checks whether a workload can run on this machine, without starting it.
func CheckWorkload(ctx context.Context, s *session.Session, w workload.Workload) (Readiness, error) {
	return check(ctx, s, w, packages)
}

// Jobs checks every workload. Of Python it only asks whether there is PyTorch, which takes a minute to load on a Nano.
func Jobs(ctx context.Context, s *session.Session) (out []doctor.Job, err error) {
	list, err := workloads.List(s)
	if err != nil {
		return nil, err
	}
	python := map[string]Check{}
	quick := func(ctx context.Context, _ *session.Session, w workload.Workload) []Check {
		c, done := python[w.Torch.Python]
		if !done {
			c = failing(Check{What: "PyTorch"}, w.Torch.Installed(ctx), "install it")
			python[w.Torch.Python] = c
		}
		return []Check{c}
	}
	for _, w := range list {
		job := doctor.Job{Name: w.Name, Ready: true}
		if s.Simulated(w) && workloads.Simulates(w) {
			job.Missing = workloads.Refusal(s, w)
		} else {
			r, err := check(ctx, s, w, quick)
			if err != nil {
				return nil, err
			}
			job.Missing = r.Refusal
			for _, c := range r.Checks {
				if c.State == checkMissing && job.Missing == "" {
					job.Missing = c.What
				}
			}
			if job.Missing == "" && w.Serves() && !answers(ctx, w) {
				job.Missing = "server"
			}
		}
		job.Ready = job.Missing == ""
		out = append(out, job)
	}
	return out, nil
}

// answers reports whether something listens at a workload's server, or its program is there to be started.
func answers(ctx context.Context, w workload.Workload) bool {
	if len(w.Command) > 0 {
		_, err := exec.LookPath(w.Command[0])
		return err == nil
	}
	at, err := url.Parse(w.Server.URL)
	if err != nil {
		return false
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", at.Host)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// Lacks returns by name what the workloads that cannot run here lack.
func Lacks(ctx context.Context, s *session.Session) (map[string]string, error) {
	jobs, err := Jobs(ctx, s)
	lacks := map[string]string{}
	for _, j := range jobs {
		if !j.Ready {
			lacks[j.Name] = j.Missing
		}
	}
	return lacks, err
}

// check is CheckWorkload with that check of the packages of Python.
func check(ctx context.Context, s *session.Session, w workload.Workload,
	packages func(context.Context, *session.Session, workload.Workload) []Check) (Readiness, error) {
	r := Readiness{Workload: w.Name, Simulated: s.Simulated(w) && workloads.Simulates(w),
		Virtual: s.Device.Board().Virtual, Ready: true}
	if s.Virtual != nil {
		if r.Refusal = workloads.Refusal(s, w); r.Refusal == "" {
			if err := workloads.CanRun(s, w); err != nil {
				r.Refusal = err.Error()
			}
		}
	}
	add := func(c Check) {
		r.Ready = r.Ready && c.State != checkMissing
		r.Checks = append(r.Checks, c)
	}
	switch {
	case w.Serves():
		add(failing(Check{What: "server", Need: w.Server.URL}, w.Ready(), "start the server, or give its address"))
	case len(w.Command) > 0 && w.Container.Image == "":
		path, err := exec.LookPath(w.Command[0])
		add(failing(Check{What: "program", Found: path, Need: w.Command[0]}, err,
			"install it, or name its path under [workload."+w.Name+"]"))
	case w.Container.Image != "":
		engine, err := exec.LookPath(w.Container.Program())
		add(failing(Check{What: "container engine", Found: engine, Need: w.Container.Image}, err,
			"install "+w.Container.Program()+"; the contents of the image are not checked"))
	case w.Torch.Net != "":
		for _, c := range packages(ctx, s, w) {
			add(c)
		}
	default:
		add(Check{What: "program", State: checkMissing, Need: "a command",
			Do: "write command = [\"program\"] under [workload." + w.Name + "] (" + s.ConfigPath() + ")"})
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	for _, c := range dataChecks(s, w) {
		add(c)
	}
	add(memoryCheck(s, w))
	return r, nil
}

// failing returns a check that fails if err is set.
func failing(c Check, err error, do string) Check {
	if c.State = checkOK; err != nil {
		c.State, c.Found, c.Do = checkMissing, text.OneLine(err.Error()), do
	}
	return c
}

// packages checks the Python interpreter and packages of the built-in jobs.
func packages(ctx context.Context, s *session.Session, w workload.Workload) []Check {
	v, err := w.Torch.Check(ctx, filepath.Join(s.DataPath(), "torch"))
	python := failing(Check{What: "Python", Found: v.Python + " " + v.Where, Need: torch.LeastPython + " or later"},
		err,
		"install python3, or set python = \"/path/python3\" under [torch] ("+s.ConfigPath()+")")
	if err == nil && !torch.AtLeast(v.Python, torch.LeastPython) {
		python.State, python.Do = checkMissing, "install a later Python"
	}
	if python.State == checkMissing {
		return []Check{python}
	}
	install := "install it for " + v.Where + ": apt install python3-torch or pip install torch; on a Jetson NVIDIA's " +
		"build for its JetPack"
	pytorch := Check{What: "PyTorch", State: checkOK, Found: v.Torch, Need: torch.LeastTorch + " or later"}
	if !torch.AtLeast(v.Torch, torch.LeastTorch) || v.Torch == "" {
		pytorch.State, pytorch.Do = checkMissing, install
		if v.Torch == "" {
			pytorch.Found = v.Why
		}
		return []Check{python, pytorch}
	}
	cuda := Check{What: "CUDA", State: checkOK, Found: strings.TrimSpace(v.CUDA + " " + v.GPU),
		Need: "a GPU to train on"}
	if v.GPU == "" {
		cuda.State, cuda.Found = checkWarn, "PyTorch has no GPU"
		if v.CUDA != "" {
			cuda.Found = "PyTorch for CUDA " + v.CUDA + " finds no GPU"
		}
		cuda.Do = "it trains on the CPU, which is slow; on a Jetson install NVIDIA's build of PyTorch"
	}
	out := []Check{python, pytorch, cuda}
	if set, ok := w.Torch.DataSet(); ok && set.Image {
		decoder := Check{What: "torchvision or Pillow", State: checkOK, Need: "one of them, to decode pictures",
			Found: strings.TrimSpace("torchvision " + cmp.Or(v.Vision, "none") + ", Pillow " +
				cmp.Or(v.Pillow, "none"))}
		if v.Vision == "" && v.Pillow == "" {
			decoder.State, decoder.Do = checkMissing, "apt install python3-pil, or pip install pillow"
		}
		out = append(out, decoder)
	}
	return out
}

// dataChecks checks the data set and its disk.
func dataChecks(s *session.Session, w workload.Workload) []Check {
	set, known := w.Torch.DataSet()
	dir := w.Torch.DataFolder()
	switch {
	case w.Torch.Data == torch.Synthetic:
		return []Check{{What: "data", State: checkOK, Found: "synthetic: generated at run time, no disk is read",
			Need: "none"}}
	case len(w.Command) > 0 && dir == "", w.Serves(), w.Infers() && dir == "":
		return nil
	}
	need, cache := w.Dataset, []Check(nil)
	if s.Simulated(w) { // simulated data need no folder
		cache = []Check{cacheCheck(s, w)}
	}
	var steps []string
	if known {
		need = fmt.Sprintf("%s, about %.2g GB: %s", set.Title, set.GB, set.Files)
		steps = append(steps, "get it from "+set.From)
	}
	steps = append(steps,
		"on a disk of its own: sudo mkdir -p /data && sudo mount /dev/nvme0n1p1 /data (lsblk lists the disks; a line "+
			"in /etc/fstab mounts it at each boot)",
		"copy it there: rsync -a --info=progress2 "+w.Torch.Set+"/ HOST:/data/"+w.Torch.Set+"/",
		"name the folder: data = \"/data\" under [torch] ("+s.ConfigPath()+"); data = \"synthetic\" "+
			"runs without it")
	c := Check{What: "data", State: checkOK, Need: need}
	if dir == "" {
		c.State, c.Found, c.Do = checkMissing, "no folder is named", strings.Join(steps, "; then ")
		return append([]Check{c}, cache...)
	}
	list, err := telemetry.ListDataset(dir)
	if err != nil {
		c.State, c.Found, c.Do = checkMissing, text.OneLine(err.Error()), strings.Join(steps, "; then ")
		if errors.Is(err, fs.ErrNotExist) {
			c.Do = "is its disk mounted? findmnt lists what is; " + c.Do
		}
		return append([]Check{c}, cache...)
	}
	c.Found = fmt.Sprintf("%s: %s, %.2f GB", dir, text.Count(list.Files, "file"), float64(list.Bytes)/1e9)
	if known && set.Image && list.Files < w.Samples {
		c.State = checkWarn
		c.Do = fmt.Sprintf("%s of the %s samples that an epoch of the papers has: an epoch will be shorter",
			text.Thousands(list.Files), text.Thousands(w.Samples))
	}
	return append([]Check{c}, diskCheck(dir), cacheCheck(s, w))
}

// diskCheck describes the disk that holds the data.
func diskCheck(dir string) Check {
	c := Check{What: "disk", State: checkOK, Need: "any; a faster one where the data do not fit into memory"}
	name, err := telemetry.DiskOf(dir)
	if err != nil {
		name = "unknown disk"
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err == nil {
		c.Found = fmt.Sprintf("%s, %.1f GB free", name, float64(st.Bavail)*float64(st.Bsize)/1e9)
	} else {
		c.Found = name
	}
	if kind, err := os.ReadFile("/sys/block/" + filepath.Base(name) + "/queue/rotational"); err == nil &&
		strings.TrimSpace(string(kind)) == "1" {
		c.State, c.Do = checkWarn, "a spinning disk: jtune lab experiment storage compares it with another"
	}
	return c
}

// cacheCheck says whether the data fit in the memory that the job leaves.
func cacheCheck(s *session.Session, w workload.Workload) Check {
	c := Check{What: "page cache", State: checkOK, Need: "memory for the data, so that later epochs read no disk"}
	data, known := cachingOf(s, w)
	if !known {
		c.Found = "the free memory is unknown"
		return c
	}
	c.Found = fmt.Sprintf("%.2f GB of data, %.1f GB of memory free beside the job", data.DataGB, data.FreeGB)
	if data.DataGB > data.FreeGB {
		c.State = checkWarn
	}
	c.Do = cachingAdvice.Say(data)
	return c
}

// memoryCheck compares what the job needs with what the machine has.
func memoryCheck(s *session.Session, w workload.Workload) Check {
	c := Check{What: "memory", State: checkOK, Need: "not known", Found: "not known"}
	m, known := memoryOf(s, w)
	if known {
		c.Found = fmt.Sprintf("%.1f GB free of %.1f", float64(m.left())/1e9, float64(m.Total)/1e9)
	}
	need := jobMemory(s, w, m.Used)
	if need.Bytes == 0 {
		return c
	}
	c.Need = fmt.Sprintf("%.1f GB at batch size %d, %s", float64(need.Bytes)/1e9, w.Batch, need.How)
	free := tegra.Val[float64]{V: gb(m.left()), OK: known}
	of := room{NeedGB: gb(need.Bytes), FreeGB: free, Simulated: s.Simulated(w)}
	switch c.Do = runsInMemory.Say(of); {
	case c.Do != "" && of.Simulated:
		c.State = checkMissing
	case c.Do != "":
		c.State = checkWarn
	}
	return c
}

// room is what a job needs of the memory, and what is free.
type room struct {
	NeedGB    float64            `turn:"0.1 8"`
	FreeGB    tegra.Val[float64] `turn:"0.1 8"`
	Simulated bool
}

var runsInMemory = conclusion.New("readiness: memory", 3, func(r room) string {
	switch {
	case !r.FreeGB.OK || r.FreeGB.V >= r.NeedGB:
		return ""
	case r.Simulated:
		return fmt.Sprintf("it does not run (DNR): take a smaller %s", usage.Batch)
	}
	return fmt.Sprintf("it may not run (DNR): end other programs, take a smaller %s, or add swap", usage.Batch)
})
