package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/session/pair"
	"jtune/tui/widget"
)

// Tune asks three things, each with an answer that enter takes, the one given last on this
// board: which workload, which limits, which coverage. Six more need not be visited: how
// long to look for improvements, which batch sizes to choose among, whether to start from
// nothing, by which strategy, what to compare the answer with and, on a virtual board, how fast its clock runs. It
// begins at the limit.
type Tune struct {
	widget.Form
	read   page.Reader
	choice [9]int // option of each field
	powerW []float64
	timeMS []float64
	asked  mix.Goal      // of inference: limits with a load, in place of those; zero: none
	find   *finder       // of the workload
	typed  *widget.Input // digits of the limits
	listed *widget.Input // digits and commas as batch sizes; empty: the option's
	pair   *tunePair
}

const tuneTitle = "Tune: find the best power mode"

const (
	fieldWorkload = iota
	fieldLimit
	fieldCoverage
	fieldDepth
	fieldBatch
	fieldFresh
	fieldStrategy
	fieldBefore
	fieldSpeed
)

// sizes are the lists of batch sizes to choose from.
func (d *Tune) sizes() [][]int {
	replay := d.read.Board().Replay != ""
	return outlook.BatchChoices(d.workload().Batch, d.read.Work().Sizes, replay, replay || d.fixedBatch() != "")
}

// fixedBatch says why the workload's batch size cannot be chosen, or "".
func (d *Tune) fixedBatch() string {
	return d.read.Work().Fixed[d.workload().Name]
}

// workload is the chosen one; none has no name.
func (d *Tune) workload() (w workload.Workload) {
	if c := d.choice[fieldWorkload]; c < len(d.read.Workloads()) {
		w = d.read.Workloads()[c]
	}
	if d.pair.on() {
		if two, err := d.pair.jobs(); err == nil {
			w = two.Infer
		}
	}
	return w
}

// batches are the sizes to choose among; nil for the workload's own.
func (d *Tune) batches() []int {
	list := d.sizes()[d.choice[fieldBatch]]
	if d.listed.Value() != "" {
		list, _ = d.listedSizes()
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// listedSizes are those that were typed, ascending, and why they are no answer, or "".
func (d *Tune) listedSizes() (list []int, wrong string) { return batchSizes(d.listed.Value(), d.read) }

// batchSizes reads sizes with commas between them, ascending; wrong is why they are no answer, or "".
func batchSizes(typed string, read page.Reader) (list []int, wrong string) {
	for _, word := range words(typed, "samples") {
		b, err := strconv.Atoi(word)
		switch {
		case err != nil || b < 1 || b > learn.MostBatch:
			wrong = fmt.Sprintf("%s is not 1 to %d", word, learn.MostBatch)
		case read.Board().Replay != "" && !slices.Contains(read.Work().Sizes, b):
			wrong = word + " was not measured"
		default:
			list = append(list, b)
		}
	}
	slices.Sort(list)
	if list = slices.Compact(list); wrong == "" && len(list) < 2 {
		wrong = "two sizes at least, with commas"
	}
	return list, wrong
}

// wrongSizes says why the sizes that were typed are no answer, or "".
func (d *Tune) wrongSizes() string {
	if d.listed.Value() == "" {
		return ""
	}
	_, wrong := d.listedSizes()
	return cmp.Or(d.fixedBatch(), wrong)
}

// sizesTyped follows what was typed as batch sizes.
func (d *Tune) sizesTyped() {
	if d.batches() != nil {
		d.choice[fieldCoverage] = 0
	}
}

// perSample is the first text where several batch sizes are chosen among,
// which compare by the sample.
func (d *Tune) perSample(sized, one string) string {
	if d.batches() != nil {
		return sized
	}
	return one
}

// binary reports whether the user chose a binary search.
func (d *Tune) binary() bool { return d.choice[fieldStrategy] == 1 }

// words are the parts between commas and blanks, without a unit after its number.
func words(text, unit string) (out []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		if word = strings.TrimSuffix(word, unit); word != "" {
			out = append(out, word)
		}
	}
	return out
}

// tunePair are the questions for two jobs that share the GPU, "A + B" as the workload. They replace the others from the
// workload on, while that names two.
type tunePair struct {
	d          *Tune
	name       *widget.Input // both names, as typed; empty: one workload
	limit      *widget.Input // as typed; empty: asked
	wait       *widget.Input
	asked      mix.Goal
	turns      int  // of policies
	uniform    bool // arrivals
	waitMS     float64
	own        bool           // the inference keeps its batch size
	alone, two []widget.Field // the questions for one job and for two
}

// on reports whether the workload names two jobs.
func (p *tunePair) on() bool { return p.name.Value() != "" }

// jobs are the two workloads, and why they are none.
func (p *tunePair) jobs() (workload.Pair, error) {
	return pair.ParsePair(p.d.read.Workloads(), p.name.Value())
}
