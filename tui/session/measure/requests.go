package measure

import (
	"time"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles"
	"jtune/profiles/harness/detect"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/session/answers"
)

// Measuring is the common part of every campaign's request.
type Measuring struct {
	Workload workload.Workload
	// batch sizes, ascending: Tune chooses among them, Profile measures each; none: the workload's own
	Batches  []int
	Dir      string // new campaign folder; "" creates one in the data directory
	Resume   bool   // continue the campaign in Dir
	Settings record.Settings
	Gate     profiles.Gate
}

// Sizes returns the batch sizes that the request measures.
func (m *Measuring) Sizes() []int { return tegra.Sizes(m.Batches...) }

// TuneRequest asks for the best mode of one workload. It can be resumed only with coverage front.
type TuneRequest struct {
	Measuring
	metric.Questions // answered by one search
	record.Asked
	Keep   bool      // save the model in the data directory, under the workload's name
	Before time.Time // start from what was known then, for a repetition; zero: from everything
	// Soak is how long each answer is soaked; 0: only one with a limit on temperature, until the board is steady.
	Soak time.Duration

	Ask     mix.Ask       // the question under its load, with what requests have shown; zero without one
	PartOf  string        // start of the search's first campaign; "" in the first one
	Heat    metric.Heat   // how the board warms, for limits on its steady temperature
	Watched arrivals.Spec // latency goal of a server's users; zero if requests are generated
}

// TuneResult is the answer and how it was found.
type TuneResult struct {
	optimize.Result
	// Fitted is the model of all measurements, ready to be saved; nil if there were too few.
	Fitted *learn.Model
	Kept   string          // file of Fitted, if requested
	Sent   []answers.Trial // answers tried with requests, newest last
	Dir    string          // campaign folder; the last of several
	Home   string          // the first campaign folder, which keeps the answer
	Began  string          // start of the first campaign (record.Header.Began)
	Took   time.Duration   // device time from first mode to restored state
	Rows   []record.Row    // of this search, in order
	Found  record.Row      // the board in its present state, if no mode expresses it; else empty
	Warm   []record.Row    // from the hour before the search; reused as baselines
	// Ask is the limit with its load, and Served the answer under it (nil without a load). The answer gets both.
	Ask      mix.Ask
	Served   *mix.Outcome
	Answers  []answers.Answer // with what they are compared with; like those of Result one for each limit
	Unproven bool             // the soak of an answer failed, as Warnings say
}

// After adds what the search had measured before it went on; the zero value is no search.
func (r *TuneResult) After(before TuneResult) {
	r.Probes, r.Rows = append(before.Probes, r.Probes...), append(before.Rows, r.Rows...)
	r.Sent, r.Took = append(before.Sent, r.Sent...), r.Took+before.Took
	if before.Home != "" {
		r.Home, r.Began = before.Home, before.Began
	}
}

// AnswerTo builds the answers to a request on a board from what its search found.
func (r *TuneResult) AnswerTo(q TuneRequest, on tegra.Board) {
	r.Answers = make([]answers.Answer, len(q.Limits))
	for i, found := range r.Result.Answers {
		risked := q.Limits[i]
		risked.Risk = q.Risk
		r.Answers[i] = answers.Answer{Setting: found.Setting, Device: on.Name, Virtual: on.Virtual,
			Workload: q.Workload.Name, Limit: q.Limits[i], Feasible: found.Feasible, Verified: found.Verified,
			Standing: found.Standing(risked), Serving: r.Serving(found.Setting), Probes: r.Probes,
			Ended: r.Ended, Took: r.Took, Alternative: found.Alternative,
			About: outlook.About{Predicted: found.Predicted,
				Reading: tegra.Mean{Measured: found.Measured, N: found.N}}}
		if found.True.TimeMS > 0 {
			r.Answers[i].True, r.Answers[i].Chance = tegra.Some(found.True), tegra.Some(found.Chance)
		}
	}
	first := &r.Answers[0]
	if first.Ask, first.Served = r.Ask, r.Served; !first.Feasible {
		first.Standing = first.Standing.Agrees(false)
	}
	if len(r.Sent) == 0 {
		return
	}
	t, s := &r.Sent[len(r.Sent)-1], &first.Standing
	first.Trial = t
	switch {
	case !t.Meets():
		*s = standing.Standing{State: standing.Over, N: t.N, Limited: true}
	case first.Ask.LatencyMS == 0 || s.State != standing.Measured:
	case t.N < 2: // one reading of a quantile
		s.State = standing.Likely
	default:
		s.N = t.N
	}
	// that a mean is within a latency does not say that a quantile is
	if t.Users && t.Unsure != "" && first.Limit.Of(metric.Time) > 0 && s.State == standing.Measured {
		s.State = standing.Doubtful
	}
}

// Serving returns the inference figures of a setting from its newest reading; nil if there are none.
func (r *TuneResult) Serving(at tegra.Setting) (found *record.Served) {
	for _, row := range r.Rows {
		if row.Setting == at && row.Status.Usable() {
			found = row.Serving
		}
	}
	return found
}

// ProfileRequest asks to measure a set of modes. Exactly one of Choose, Sample, Grid and List selects them, from those
// that pass Filter; Filter alone selects all that pass. With Sample and Grid, the sample is drawn from the grid.
type ProfileRequest struct {
	Measuring
	Choose     int             // this many modes, each chosen from the results so far
	Sample     int             // this many random modes, and batch sizes if there are several
	Grid       bool            // the evenly spaced subset
	List       []tegra.Setting // exactly these
	ListName   string          // where List came from, for the record
	Filter     string          // on cores, cpu, gpu and emc (see tegra.Space.ParseFilter)
	Repeats    int             // how often each is measured; 0: once
	Shard      [2]int          // part i of n; zero: all
	RedoFailed bool            // when resuming: measure failed modes again
	Retries    int             // of a failed mode; 0: one, negative: none
	Force      bool            // measure although the fan cannot be set
}

// ProfileResult is a finished or interrupted campaign.
type ProfileResult struct {
	profiles.Summary
	Dir  string
	Kept string // file of the updated model of the workload's pool; "" if none was saved
}

// RunRequest asks to run a workload in the device's present mode.
type RunRequest struct {
	Workload    workload.Workload
	Minibatches int // exactly that many; 0: by Epochs, or 40 at steady power
	Epochs      int // full epochs
	// Inferences is the fixed work of an inference workload, repeated Repeat times after a warm-up; 0: see Minibatches.
	Inferences int
	Repeat     int
	Every      time.Duration // between two power samples; 0: 1 s
	Log        string        // file for the job's output besides events; "" for none
	Base       time.Duration // first measure the idle device's power for this long; 0: skip that
	NoRecord   bool          // create no campaign folder
	Mode       JobMode       // in which the job runs
	// Own marks a user's command, which is also measured as a whole. Without Minibatches and Epochs it runs to its end,
	// whatever it prints.
	Own bool
	// Listen sends what the command prints and how it is read as ToldEvents.
	Listen bool
	// AllEpochs counts epoch 0 too, which is otherwise reported separately if later epochs follow.
	AllEpochs bool
	// Uninstrumented reads no sensors before the job runs, nor during the minibatches that count. In between it reads
	// them every Every, to measure the cost of reading (RunResult.ReadCost). Such a run has no power and leaves no
	// record; Minibatches is how many of each kind it takes.
	Uninstrumented bool
}

// JobMode is the power mode in which a job runs. The zero value is the present mode.
type JobMode struct {
	Name string          // a mode, preset or its id; JobBest; JobAny: the mode in force, whatever that becomes
	Goal metric.Question // of the search for JobBest; zero: the newest search
	Free bool            // clocks may scale below those of the mode
}

// Names of a job's mode besides modes and presets.
const (
	JobBest = "best" // the answer of a search of this job on this board
	JobAny  = "any"
)

// Where the mode of a run comes from.
const (
	ModeGiven   = "given"
	ModeKept    = "kept" // with the answer of a search
	ModePresent = "present"
)

// Sets reports whether the board is set for the job.
func (m JobMode) Sets() bool { return m.Name != "" && m.Name != JobAny }

// Best reports whether the mode is the answer of a search.
func (m JobMode) Best() bool { return m.Name == JobBest }

// RunResult is the result of a run, per minibatch, without the first. The numbers describe the part of the run that
// represents long training, Character.Steady: the epochs after epoch 0, or all.
type RunResult struct {
	Minibatches int     `json:"minibatches"` // of the whole run
	TimeMS      float64 `json:"-"`           // mean, stalls included; 0: no step was counted
	MedianMS    float64 `json:"-"`
	// StallMS and the next two are means of the same minibatches, absent if the workload does not report them.
	StallMS    tegra.Val[float64] `json:"stall_ms"`
	ComputeMS  tegra.Val[float64] `json:"compute_ms"`
	OverheadMS tegra.Val[float64] `json:"overhead_ms"`
	PowerW     tegra.Val[float64] `json:"power_w"`  // mean over the time that TimeMS covers
	EnergyJ    tegra.Val[float64] `json:"energy_j"` // of a minibatch in that time
	Error      tegra.Errors       `json:"-"`        // of TimeMS and PowerW
	Settled    telemetry.Verdict  `json:"-"`        // Settling: the run ended before power was steady
	SettleS    tegra.Val[float64] `json:"settle_s"` // from the first minibatch until power was steady; absent while settling
	Sampling   *Sampling          `json:"sampling"` // how evenly power was sampled; nil without samples
	Hot        string             `json:"-"`        // why the board was too hot to measure; "" if it was not
	Peaks      telemetry.Peaks    `json:"-"`        // of power, currents and voltages during the run
	Character  record.Character   `json:"-"`        // means, loads, clocks, disk and page cache
	Advice     []string           `json:"-"`        // conclusions from Character and the workload's model, as sentences
	Dir        string             `json:"-"`        // the campaign folder; "" for none
	// ReadCost is the cost of reading sensors; nil unless the run measured it.
	ReadCost *ReadCost `json:"-"`
	// Whole is the cost of a user's command from start to end; nil for other runs.
	Whole *Whole `json:"-"`
	// Reading is how a command's lines were read; nil if events count its steps, or nothing does.
	Reading    *detect.Reading    `json:"-"`
	Candidates []detect.Candidate `json:"-"` // if there is no Reading
	Refused    bool               `json:"-"` // its steps were needed, and cannot be read
	// Unread says why a command was measured as a whole although its lines count something; else "".
	Unread string `json:"-"`
	// Mode is the mode in which the job began; absent if no mode matches the board's state. ModeFrom says where it
	// comes
	// from, and Restored whether the board was put back; absent: nothing was set.
	Mode     tegra.Val[tegra.Mode] `json:"mode"`
	ModeFrom string                `json:"mode_from"`
	Restored tegra.Val[bool]       `json:"restored"`
	// Left are the command lines of the processes that the job left running and that were ended; nil: none.
	Left   []string `json:"-"`
	Output string   `json:"-"` // how a command's output was taken, see harness.Child
}

// Sampling is how evenly the device was read, in ms between two readings.
type Sampling struct {
	AskedMS  float64 `json:"asked_ms"`
	MedianMS float64 `json:"median_ms"`
	LeastMS  float64 `json:"least_ms"`
	MostMS   float64 `json:"most_ms"`
	JitterMS float64 `json:"jitter_ms"` // mean delay of a reading after its moment, drawn at random
	Samples  int     `json:"samples"`
}
