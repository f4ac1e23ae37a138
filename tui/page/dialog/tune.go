package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/pair"
	"jtune/tui/session/search"
	"jtune/tui/widget"
)

// Tune asks for a workload, limits and, on a virtual board, the speed of its clock; each starts with the last answer on
// this board, which enter accepts. A key shows six further questions: coverage, how long to look for
// improvements, which batch sizes to choose from, whether to ignore earlier measurements, the strategy, and what to
// compare the answer with. The cursor starts at the limit.
type Tune struct {
	page.Question
	read   page.Reader
	asked  record.Asked
	job    int // index into the workloads
	form   int // index into search.Kinds
	size   int // index into sizes
	clock  *clockQuestion
	kept   map[search.Kind]metric.Questions // the goals of each kind
	find   *finder                          // of the workload
	typed  *widget.Input                    // typed limits
	listed *widget.Input                    // typed batch sizes with commas; empty: the chosen option
	pair   *tunePair
}

const tuneTitle = "Tune: find the best power mode"

const (
	fieldWorkload = iota
	fieldLimit
	fieldMore  // the first that is not shown at first
	fieldBatch = 4
)

// sizes returns the lists of batch sizes to choose from; of a pair, those of the inference, which chooses unless told
// otherwise.
func (d *Tune) sizes() [][]int {
	w, list, fixed := d.workload(), d.read.Work().Sizes, d.fixedBatch() != ""
	if !d.pair.on() {
		replay := d.read.Board().Replay != ""
		return outlook.BatchChoices(w.Batch, list, replay, replay || fixed)
	}
	if list == nil {
		list = pair.PairSizes(w)
	}
	own := []int{max(1, w.Batch)}
	if list == nil || fixed {
		return [][]int{own}
	}
	return [][]int{list, own}
}

// sized returns the chosen list of batch sizes.
func (d *Tune) sized() []int {
	list := d.sizes()
	return list[min(d.size, len(list)-1)]
}

// fixedBatch returns why the workload's batch size cannot be chosen, or "".
func (d *Tune) fixedBatch() string {
	return d.read.Work().Fixed[d.workload().Name]
}

// workload returns the chosen workload; its name is "" if there is none.
func (d *Tune) workload() (w workload.Workload) {
	if d.job < len(d.read.Workloads()) {
		w = d.read.Workloads()[d.job]
	}
	if d.pair.on() {
		if two, err := d.pair.jobs(); err == nil {
			w = two.Infer
		}
	}
	return w
}

// beside reports whether a job of the search really runs on this machine.
func (d *Tune) beside() bool {
	if two, err := d.pair.jobs(); d.pair.on() && err == nil {
		return two.Infer.Beside() || two.Train.Beside()
	}
	w := d.workload()
	return w.Beside()
}

// batches returns the sizes to choose from; nil for the workload's own.
func (d *Tune) batches() []int {
	list := d.sized()
	if d.listed.Value() != "" {
		list, _ = d.listedSizes()
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// listedSizes returns the typed sizes, ascending; wrong is why they are not valid, or "".
func (d *Tune) listedSizes() (list []int, wrong string) { return batchSizes(d.listed.Value(), d.read) }

// batchSizes parses sizes separated by commas and sorts them; wrong is why they are not valid, or "".
func batchSizes(typed string, read page.Reader) (list []int, wrong string) {
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(typed, "samples", ""), separates) {
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

// wrongSizes returns why the typed sizes are not valid, or "".
func (d *Tune) wrongSizes() string {
	if d.listed.Value() == "" {
		return ""
	}
	_, wrong := d.listedSizes()
	return cmp.Or(d.fixedBatch(), wrong)
}

// sizesTyped handles a change of the typed batch sizes.
func (d *Tune) sizesTyped() {
	if d.batches() != nil {
		d.asked.Coverage = campaigns.CoverLimit
	}
}

// perSample returns sized if there are several batch sizes to choose from, which are compared per sample, otherwise
// one.
func (d *Tune) perSample(sized, one string) string {
	if d.batches() != nil {
		return sized
	}
	return one
}

// binary reports whether binary search is chosen.
func (d *Tune) binary() bool { return d.asked.Strategy == optimize.Binary }

// separates reports whether a character ends a size.
func separates(r rune) bool { return r == ',' || unicode.IsSpace(r) }

// tunePair holds the questions for two jobs that share the GPU, with "A + B" as the workload. They replace the others
// while the workload field names two jobs.
type tunePair struct {
	d          *Tune
	name       *widget.Input // both names, as typed; empty: one workload
	offered    string        // names that + has made; "": edited since
	limit      *widget.Input // as typed; empty: asked applies
	wait       *widget.Input
	asked      metric.Question // with its arrivals and maximum wait, which have fields of their own
	how        record.PairAsked
	alone, two []page.Field // fields for one job and for two
}

// on reports whether the workload field names two jobs.
func (p *tunePair) on() bool { return p.name.Value() != "" }

// jobs returns the two workloads, or why the names are no pair.
func (p *tunePair) jobs() (workload.Pair, error) {
	return pair.ParsePair(p.d.read.Workloads(), p.name.Value())
}
