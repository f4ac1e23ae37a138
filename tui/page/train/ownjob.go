package train

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"jtune/internal/fields"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// ownJob runs a command that the user types and shows its output beside how jtune reads it. The job can then be read
// another way, saved under a name, and tuned. The job ends with the dialog.
type ownJob struct {
	page    *Page
	read    page.Reader
	command *widget.Input
	batch   *widget.Input
	name    *widget.Input // name to save it under
	as      workloads.Typed
	work    workload.Workload // as last tried; zero: none
	task    *task.Task        // the trial run; nil: none
	next    nextStep
	others  []detect.Candidate // candidates to choose from, while one is chosen
	tuneAs  string             // name to tune once it is listed
}

// nextStep is what follows when the running job has ended.
type nextStep int

const (
	stepNone nextStep = iota
	stepAgain
	stepTune
)

const (
	mostCommand = 2000
	mostName    = 64
	mostDigits  = 5
)

// openJob opens the dialog with the question for the command.
func (p *Page) openJob() page.Intent {
	if why := p.noJob(); why != "" {
		return page.Sayf("own job: not here, %s", why)
	}
	if p.read.Busy() {
		return page.Sayf("not now: busy %s", p.read.Task().Kind)
	}
	return p.newJob(p.lastLine).question()
}

// noJob returns why no command can run here, or "".
func (p *Page) noJob() string {
	if p.read.Board().Replay != "" {
		return "a replay answers from its file"
	}
	return ""
}

func (p *Page) newJob(line string) *ownJob {
	return &ownJob{page: p, read: p.read, command: widget.NewInput(line, "", mostCommand),
		batch: widget.NewInput("", "0123456789", mostDigits), name: widget.NewInput("", "", mostName)}
}

// unreadable reports whether the job's output is not understood, so far or at its end.
func unreadable(j *page.Task) bool {
	if j.Try || j.Told == nil {
		return false
	}
	return errors.Is(j.Err, harness.ErrNotUnderstood) || !j.Done() && j.Told.Reading == nil && j.Told.Why != nil
}

// jobOf shows the output of a job that could not be read.
func (p *Page) jobOf(j *page.Task) *ownJob {
	d := p.newJob(workloads.LineOf(j.Workload.Command))
	d.work, d.as = j.Workload, workloads.Typed{Dir: j.Workload.Dir}
	for k, v := range j.Workload.Env {
		d.as.Env = append(d.as.Env, k+"="+v)
	}
	return d
}

// question asks for the command, and for what its output does not tell.
func (d *ownJob) question() page.Intent {
	return d.read.Question("", page.Form{Title: "Your own job", Verb: "run", Width: 78,
		Note: func(int) []string {
			return []string{"The command runs in today's mode and in this folder. You see what it prints, and what " +
				"jtune reads in it. No shell runs it: pipes and variables need sh -c '…'."}
		},
		Fields: []page.Field{
			{Name: "command", Input: d.command, Wrong: d.wrongCommand},
			{Name: "batch size", Text: d.batchText, Input: d.batch},
			page.Pick("a step is", fields.In("own", "unit"), &d.as.Unit),
		}}, func() page.Intent {
		if d.read.Rushed() {
			return page.All{page.TooFast(d.read.Keys().Enter), d.question()}
		}
		d.page.job, d.page.lastLine, d.as.Pattern, d.others = d, d.command.Value(), "", nil
		return d.start()
	})
}

func (d *ownJob) batchText() string {
	if d.batch.Value() == "" {
		return "detected"
	}
	return d.batch.Render("_") + " samples"
}

func (d *ownJob) wrongCommand() string {
	if d.command.Value() == "" {
		return "type a command, such as python3 train.py"
	}
	_, err := d.made()
	return page.Wrong(err)
}

// made returns the workload as entered.
func (d *ownJob) made() (workload.Workload, error) {
	w, err := d.read.Session().TypedJob(d.command.Value(), d.as)
	if n, bad := strconv.Atoi(d.batch.Value()); err == nil && bad == nil && n > 0 {
		w = w.AtBatch(n)
	}
	return w, err
}

// shown returns the run of the job; nil before it starts.
func (d *ownJob) shown() *page.Task {
	if j := d.read.Task(); j != nil && j.Kind == task.Training && d.work.Name != "" && j.Workload.Name == d.work.Name {
		return j
	}
	return nil
}

func (d *ownJob) running() bool { j := d.shown(); return j != nil && !j.Done() }

// start runs the entered job; if one is running, it is ended first.
func (d *ownJob) start() page.Intent {
	if d.running() {
		d.next = stepAgain
		return d.stop()
	}
	w, err := d.made()
	if err != nil {
		return page.Fail{What: "own job", Err: err}
	}
	d.work, d.next = w, stepNone
	d.task = try(w)
	return page.Start{Task: d.task}
}

// try is a run of a job in the present mode to its end, to see how it is read. It is not recorded.
func try(w workload.Workload) *task.Task {
	t := task.Run(measure.RunRequest{Workload: w, Own: true, Listen: true, NoRecord: true})
	t.Try = true
	return t
}

// understood adds to a workload what its job reported in a run.
func understood(j *page.Task, w workload.Workload) workload.Workload {
	if j.Told == nil {
		return w
	}
	return workloads.Understood(w, j.Told.Reading, j.Done() && !j.Stopped && j.Err == nil)
}

// stop ends the job; it asks first if the job started outside the dialog.
func (d *ownJob) stop() page.Intent {
	switch {
	case d.task != nil:
		d.task.Stop("")
	case d.running():
		return page.Stop{}
	}
	return nil
}

// leave closes the dialog, and ends the job if the dialog started it.
func (d *ownJob) leave() page.Intent {
	if d.page.job = nil; d.task == nil {
		return nil
	}
	return d.stop()
}

// ended continues with the next step after the job's end.
func (d *ownJob) ended() page.Intent {
	step := d.next
	d.next = stepNone
	switch step {
	case stepAgain:
		return d.start()
	case stepTune:
		return d.tune()
	}
	return nil
}

// understood returns the workload with what its run has reported.
func (d *ownJob) understood() workload.Workload {
	w := d.work
	if j := d.shown(); j != nil {
		batch := w.Batch
		if w = understood(j, w); d.batch.Value() != "" {
			w.Batch = batch
		}
	}
	return w
}

// unread returns why the job cannot be saved or tuned with the present reading, or "".
func (d *ownJob) unread() string {
	keys, j := d.read.Keys(), d.shown()
	switch {
	case j == nil || j.Told == nil && !j.Done():
		return "nothing has come yet"
	case j.Told == nil || j.Told.Reading != nil || j.Told.Why == nil:
		return ""
	case j.Err != nil:
		return "the job failed before anything was read"
	case d.as.Pattern != "":
		return "nothing is read so; " + keys.Reread.Label() + " takes another reading"
	case !j.Done():
		return "nothing is read yet; when it has ended by itself, each run is one reading"
	}
	return ""
}

// tune lists the job, after its end, to be tuned.
func (d *ownJob) tune() page.Intent {
	if why := d.unread(); why != "" {
		return page.Sayf("tune: not now, %s", why)
	}
	if d.running() {
		d.next = stepTune
		return d.stop()
	}
	w := d.understood()
	w.Name = workloads.FreeName(w, d.read.Workloads())
	d.tuneAs = w.Name
	keep := d.read.Session().KeepJob
	return page.Manage("own job", func() (string, error) {
		return w.Name + " is listed until jtune ends; saved, for good", keep(w)
	})
}

// jobListed opens the Tune dialog for the job once it is listed.
func (p *Page) jobListed() page.Intent {
	if p.job == nil || p.job.tuneAs == "" {
		return nil
	}
	name := p.job.tuneAs
	if p.job.tuneAs = ""; !slices.ContainsFunc(p.read.Workloads(),
		func(w workload.Workload) bool { return w.Name == name }) {
		return nil
	}
	if why := p.read.MayMeasure(); why != "" {
		return page.Sayf("tune: not now, %s", why)
	}
	p.job = nil
	return page.AskTune{Workload: name}
}

// askName asks for the name to save the job under.
func (d *ownJob) askName() page.Intent {
	return d.read.Question("", page.Form{Title: "Save your own job", Verb: "save", Width: 72,
		Note: func(int) []string { return []string{"[workload.NAME] of the configuration; comments there stay"} },
		Fields: []page.Field{{Name: "name", Input: d.name,
			Wrong: func() string {
				return page.Wrong(workload.Own(d.name.Value(), []string{"true"}).Check())
			}}}}, d.save)
}

func (d *ownJob) save() page.Intent {
	if d.read.Rushed() {
		return page.All{page.TooFast(d.read.Keys().Enter), d.askName()}
	}
	name, w, save := d.name.Value(), d.understood(), d.read.Session().SaveJob
	w.Name = name
	return page.Manage("own job", func() (string, error) {
		path, err := save(name, w)
		return fmt.Sprintf("saved as %s in %s", name, path), err
	})
}

// nextReading restarts the job with the next candidate expression; after the last one, jtune detects the form again.
func (d *ownJob) nextReading() page.Intent {
	d.others = d.choices()
	if len(d.others) == 0 {
		return page.Say("own job: nothing else was read in its lines")
	}
	at := 1 + slices.IndexFunc(d.others, func(c detect.Candidate) bool { return c.Pattern == d.as.Pattern })
	if d.as.Pattern == "" {
		at = 0
	}
	if d.as.Pattern = ""; at < len(d.others) {
		d.as.Pattern = d.others[at].Pattern
	}
	return d.start()
}

// choices lists the candidates besides the detected one.
func (d *ownJob) choices() (out []detect.Candidate) {
	j := d.shown()
	if d.as.Pattern != "" || j == nil || j.Told == nil {
		return d.others
	}
	for _, c := range j.Told.Candidates {
		if r := j.Told.Reading; c.Pattern != "" && (r == nil || c.Form != r.Form || c.What != r.What) {
			out = append(out, c)
		}
	}
	return out
}

// acts returns what the keys do with the job.
func (d *ownJob) acts() page.Acts {
	keys, others := d.read.Keys(), ""
	if len(d.choices()) == 0 {
		others = "nothing else was read"
	}
	run := page.On(keys.Stop, d.stop)
	if !d.running() {
		run = page.On(keys.Start.As("run again"), d.start).Pressed(d.read)
	}
	return page.Acts{page.On(keys.Tune.Unless(d.unread()), d.tune),
		page.On(keys.SaveJob.Unless(d.unread()), func() page.Intent {
			d.name.SetValue(d.understood().Name)
			return d.askName()
		}),
		page.On(keys.Reread.Unless(others), d.nextReading).Pressed(d.read),
		page.On(keys.Edit.As("command, batch, unit"), d.question),
		run, page.On(keys.Back.As("leave"), d.leave), page.Quiet(keys.OwnJob, true, d.question)}
}
