package measure

import (
	"time"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/profiles/harness/detect"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
)

// Measuring is the common part of every campaign's request.
type Measuring struct {
	Workload workload.Workload
	// batch sizes, ascending: Tune chooses among them, Profile measures each; nil: the
	// workload's own
	Batches  []int
	Dir      string // campaign folder, new; "" makes one below the data directory
	Resume   bool   // continue the campaign in Dir
	Settings record.Settings
	Gate     profiles.Gate
}

// TuneRequest asks for the best mode of one workload. Only one of coverage front
// can be resumed.
type TuneRequest struct {
	Measuring
	mix.Goal
	More     []optimize.Limit   // further limits, each answered from the same search
	Coverage campaigns.Coverage // limit unless set
	// Probes caps the measurements, start and verification included; with
	// coverage front it counts the modes measured before the answer is chosen.
	// 0: the strategy's own, or FrontModes.
	Probes    int
	Depth     optimize.SearchDepth // Quick unless set
	Strategy  optimize.Strategy    // auto unless set
	Rotation  ladder.Rotation      // of a binary search
	Reference string               // "" the shipped one on its kind of board, "none", a name or a file
	Keep      bool                 // save the model in the data directory, under the workload's name
	Baseline  Baseline             // measured to compare the answer with
	Fresh     bool                 // start from nothing, whatever is known of the workload on this board
	Before    time.Time            // start from what was known then, as a repetition does; zero: from all

	Failed  []tegra.Setting // under this very load, with requests: they are no answer
	Sent    []mix.Sent      // what requests at such loads have shown
	PartOf  string          // when the search's first campaign began; "" in that one
	Watched arrivals.Spec   // the latency of a server's users; zero where requests are made up
}

// TuneResult is the answer and how it came about.
type TuneResult struct {
	optimize.Result
	// Fitted knows everything that was measured, ready to be saved; nil when
	// too little was.
	Fitted *learn.Model
	Kept   string          // the file of Fitted, when it was requested
	Sent   []answers.Trial // answers that were tried with requests, the newest last
	Dir    string          // the campaign folder, of several the last
	Home   string          // the first of them, which keeps the answer
	Began  string          // when that one did (record.Header.Began)
	Took   time.Duration   // device time from first mode to restored state
	Rows   []record.Row    // of this search, in order
	Found  record.Row      // of the board as it was set, where no mode says how; empty elsewhere
	Warm   []record.Row    // made within the hour before it, which stand for baselines
	// Ask is the limit with its load, and Served the answer under it, nil without one. They end in the answer.
	Ask    mix.Ask
	Served *mix.Outcome
	// Answers are those to all limits of the request; the first is that to Limit, which Result has too.
	Answers []answers.Answer
}

// AnswerTo makes the answers to a request on a board of what its search found.
func (r *TuneResult) AnswerTo(q TuneRequest, on tegra.Board) {
	limits := append([]optimize.Limit{q.Limit}, q.More...)
	r.Answers = make([]answers.Answer, 1+len(r.More))
	for i, found := range append([]optimize.Result{r.Result}, r.More...) {
		r.Answers[i] = answers.Answer{Setting: found.Setting, Device: on.Name, Virtual: on.Virtual,
			Workload: q.Workload.Name, Limit: limits[i], Feasible: found.Feasible, Verified: found.Verified,
			Standing: found.Standing(limits[i]), Serving: r.Serving(found.Setting), Probes: r.Probes,
			Ended: found.Ended, Took: r.Took, About: outlook.About{Predicted: found.Predicted,
				Reading: tegra.Mean{Measured: found.Measured, N: found.N}}}
	}
	first := &r.Answers[0]
	if first.Ask, first.Served = r.Ask, r.Served; len(r.Sent) == 0 {
		return
	}
	t, s := &r.Sent[len(r.Sent)-1], &first.Standing
	first.Trial = t
	switch {
	case !t.Meets():
		*s = optimize.Standing{State: optimize.Over, N: t.N, Limited: true}
	case first.Ask.LatencyMS == 0 || s.State != optimize.Measured:
	case t.N < 2: // one reading of a quantile
		s.State = optimize.Likely
	default:
		s.N = t.N
	}
	// that a mean is within a latency does not say that a quantile is
	if t.Users && t.Unsure != "" && first.Limit.TimeMS > 0 && s.State == optimize.Measured {
		s.State = optimize.Doubtful
	}
}

// Serving is what inference did in a setting, by its newest reading; nil where there is none.
func (r *TuneResult) Serving(at tegra.Setting) (found *record.Served) {
	for _, row := range r.Rows {
		if row.Setting == at && row.Status.Usable() {
			found = row.Serving
		}
	}
	return found
}

// ProfileRequest asks to measure a set of modes. Exactly one of Choose,
// Sample, Grid and List selects them, from those that pass Filter; Filter alone selects all of
// those. With Grid too, Sample draws from the grid.
type ProfileRequest struct {
	Measuring
	Choose     int             // this many modes, each chosen from the results so far
	First      []tegra.Mode    // of Choose: measured before any is chosen
	Sample     int             // this many random modes, with their batch sizes where there are several
	Grid       bool            // the evenly spaced subset
	List       []tegra.Setting // exactly these, sizes as Batches has them
	ListName   string          // where List came from, for the record
	Filter     string          // on cores, cpu, gpu and emc, as tegra.Space.ParseFilter reads it
	Repeats    int             // how often each is measured; 0: once
	Shard      [2]int          // part i of n; zero: all
	RedoFailed bool            // of a resumed one: measure again what failed
	Retries    int             // of a mode that fails; 0: one, negative: none
	Force      bool            // measure although the fan cannot be set

	Known KnownRows        // count as measured where modes are chosen
	Lean  *learn.Reference // for the choice of modes; nil: none
}

// ProfileResult is a finished or interrupted campaign.
type ProfileResult struct {
	profiles.Summary
	Dir  string
	Kept string // the model of the workload's pool, which knows the new rows; "" when none was kept
}

// RunRequest asks to run a workload in the mode the device is in now.
type RunRequest struct {
	Workload    workload.Workload
	Minibatches int // exactly that many; 0: by Epochs, or 40 in steady power
	Epochs      int // whole ones
	// Inferences is the fixed work of an inference workload, done Repeat times after a warm-up; 0: as above.
	Inferences int
	Repeat     int
	Every      time.Duration // between two power samples; 0: 1 s
	Log        string        // file for the job's output besides events; "" for none
	Base       time.Duration // measure the idle device's power for this long first; 0: do not
	Dir        string        // campaign folder, new; "" makes one below the data directory
	NoRecord   bool          // leave none
	// Own: a command of the user's own, which is measured as a whole too; without Minibatches and Epochs to its end,
	// whatever it prints.
	Own bool
	// Listen tells what the command prints and how it is read, as ToldEvents.
	Listen bool
	// AllEpochs counts epoch 0 too, which is otherwise kept apart where later ones follow.
	AllEpochs bool
	// Uninstrumented reads no sensor before the job runs, nor while the minibatches run that count; in between it reads
	// them every Every, to show what that costs the job (RunResult.ReadCost). Such a run has no power and leaves no
	// record; Minibatches is how many of each kind it takes.
	Uninstrumented bool
}

// RunResult is what a run did, per minibatch, first one left out. The numbers describe the part of the run that
// represents long training, Character.Steady: the epochs after epoch 0, or all.
type RunResult struct {
	Minibatches int     `json:"minibatches"` // of the whole run
	TimeMS      float64 `json:"time_ms"`     // median
	MeanMS      float64 `json:"time_mean_ms"`
	// StallMS and the next two are medians, absent when the workload does not report them.
	StallMS    tegra.Val[float64] `json:"stall_ms"`
	ComputeMS  tegra.Val[float64] `json:"compute_ms"`
	OverheadMS tegra.Val[float64] `json:"overhead_ms"`
	PowerW     tegra.Val[float64] `json:"power_w"`  // mean, since power was steady when it became so
	EnergyJ    tegra.Val[float64] `json:"energy_j"` // mean
	MedianW    tegra.Val[float64] `json:"-"`        // median of steady power; absent when it never was
	Settled    telemetry.Verdict  `json:"-"`        // Settling: the run ended before power was steady
	SettleS    tegra.Val[float64] `json:"settle_s"` // from the first minibatch until then; absent while settling
	Sampling   *Sampling          `json:"sampling"` // how evenly power was sampled; nil of a run without samples
	Hot        string             `json:"-"`        // why the board was too hot to be measured; "" when it was not
	Peaks      telemetry.Peaks    `json:"-"`        // of power, currents and voltages while it ran
	Character  record.Character   `json:"-"`        // means, loads, clocks, disk and page cache
	Advice     []string           `json:"-"`        // what Character and the model of the workload say in words
	Dir        string             `json:"-"`        // the campaign folder; "" for none
	// ReadCost is what reading sensors costs the job; nil unless the run was to show it.
	ReadCost *ReadCost `json:"-"`
	// Whole is what a command of the user's own cost from start to end; nil of another run.
	Whole *Whole `json:"-"`
	// Reading is how the lines of a command were read; nil where events count its steps, or nothing does.
	Reading    *detect.Reading    `json:"-"`
	Candidates []detect.Candidate `json:"-"` // where there is no Reading
	Refused    bool               `json:"-"` // what was read contradicts itself, or is too little
}

// Sampling is how evenly the device was read, in ms between two readings.
type Sampling struct {
	AskedMS  float64 `json:"asked_ms"`
	MedianMS float64 `json:"median_ms"`
	LeastMS  float64 `json:"least_ms"`
	MostMS   float64 `json:"most_ms"`
	JitterMS float64 `json:"jitter_ms"` // mean distance from the requested interval
	Samples  int     `json:"samples"`
}
