package detect

import (
	"cmp"
	"strings"
	"time"

	"jtune/internal/text"
)

// Options are facts known about a program before it prints.
type Options struct {
	// Batch is the samples of a minibatch, for a program that counts samples; 0: the printed number, else Usual.
	Batch, Usual int
	// Counts is what a counter counts, if the user says so: Step or Sample; "": detect.
	Counts string
	// Step is what a step is, if the user says so: Inference, Token or Frame; "": a minibatch.
	Step string
	// FromStart also reports the steps read before the decision.
	FromStart bool
	// Not are the names of counters that are not the job, as an earlier run showed.
	Not []string
	// Patience is how long the first bar of a program may still take, which may be preparation; 0: 15 minutes.
	Patience time.Duration
	// Only is the only form to accept, one of Forms; "": any.
	Only string
}

// Detector reads lines. It is used by one goroutine at a time.
type Detector struct {
	o        Options
	all      []*counter
	byKey    map[string]*counter
	names    map[string]int // number of names of the counters of a kind
	log      lineLog
	line     string // the present one, and its kind
	kind     int32
	table    []string // what the columns of the last table count
	places   map[string]*place
	epoch    int // the last epoch named in a line, as printed
	fromZero bool
	reports  []Report
	ranks    map[string]int

	begun, last time.Duration // of the first and last line
	lines       int           // read
	strange     int           // lines without information
	tails       []string      // the last lines
	perS        int           // bytes in the current second, which began at
	second      time.Duration
	drawn       string // the last unfinished line, and when it was seen first
	drawnAt     time.Duration
	batch       int     // printed by the program or given in its command; 0: unknown
	amount      float64 // of the answer whose rate follows, or of parts of a rate; 0: unknown
	parts       float64 // sum of these

	chosen  *counter // the source of steps; nil until decided
	ticks   bool     // its lines are the units
	length  int      // of the runs that count; 0: all
	handed  int      // marks reported
	samples int      // per minibatch, where it counts samples
	waits   string   // what the choice waits for
}

// New returns a detector without any lines.
func New(o Options) *Detector {
	o.Patience = cmp.Or(o.Patience, 15*time.Minute)
	return &Detector{o: o, byKey: map[string]*counter{}, ranks: map[string]int{}, names: map[string]int{},
		places: map[string]*place{}}
}

const (
	// mostPerS bounds the bytes that are examined in a second, and perLine what a line costs beside its own: a program
	// may print without end.
	mostPerS, perLine = 1 << 20, 200
	// keptTails is how many of the last lines are kept for a message.
	keptTails = 3
)

// Line takes a line of either output; now is its arrival on any clock. whole is false for a progress bar that is not
// ended yet. It reports whether the line was informative.
func (d *Detector) Line(raw []byte, now time.Duration, whole bool) bool {
	if now-d.second >= time.Second || d.lines == 0 {
		d.second, d.perS = now, 0
	}
	if d.perS += len(raw) + perLine; d.perS > mostPerS {
		return false
	}
	line := plain(raw)
	if line == "" || text.Binary(raw) {
		return false
	}
	if whole && line == d.drawn { // all of it was seen before the end of the line was
		now = d.drawnAt
	} else if !whole && line != d.drawn {
		d.drawn, d.drawnAt = line, now
	}
	if d.lines == 0 {
		d.begun = now
	}
	d.last = max(d.last, now)
	d.lines++
	d.line, d.kind = line, d.log.kind(line)
	was := d.advanced()
	if !d.known(line, now, whole) {
		d.scan(line, now, whole)
	}
	d.log.note(d.kind, now)
	if whole {
		d.tail(line)
		d.batchOf(line)
		d.headed(line)
	}
	told := d.advanced() != was
	if !told && whole {
		d.strange++
	}
	return told
}

// advanced returns a number that changes when any counter takes something that may be a step.
func (d *Detector) advanced() (n int) {
	for _, c := range d.all {
		if !c.loose || c.moves > 4 {
			n += len(c.marks) + c.forgot + c.moves
		}
	}
	return n + len(d.reports)
}

// tail keeps the last lines, and only the last state of a redrawn bar.
func (d *Detector) tail(line string) {
	if n := len(d.tails); n > 0 && template(d.tails[n-1]) == template(line) {
		d.tails[n-1] = line
		return
	}
	d.tails = append(d.tails, line)
	if len(d.tails) > keptTails {
		d.tails = d.tails[1:]
	}
}

// batchOf looks for a printed batch size: batch_size=64, batch size: 64.
func (d *Detector) batchOf(line string) {
	if d.batch == 0 && strings.Contains(strings.ToLower(line), "batch") {
		d.batch = BatchIn(line)
	}
}

// BatchIn returns the batch size named in a text such as a command; 0 where it names none.
func BatchIn(text string) int {
	low := strings.ToLower(text)
	for _, name := range []string{"batch_size", "batch-size", "batch size", "batchsize", " -bs "} {
		i := strings.Index(low, name)
		if i < 0 || strings.Contains(low[max(0, i-12):i], "val") || strings.Contains(low[max(0, i-12):i], "test") {
			continue
		}
		rest := strings.TrimLeft(low[i+len(name):], " :='\"")
		n := 0
		for digit(rest, 0) && n <= 1<<20 {
			n, rest = n*10+int(rest[0]-'0'), rest[1:]
		}
		if n > 0 && n <= 1<<20 {
			return n
		}
	}
	return 0
}

// Lines returns how many lines were read, Strange how many of them were not informative.
func (d *Detector) Lines() int   { return d.lines }
func (d *Detector) Strange() int { return d.strange }

// Since returns how long ago the first line arrived.
func (d *Detector) Since(now time.Duration) time.Duration {
	if d.lines == 0 {
		return 0
	}
	return now - d.begun
}

// Begun reports whether a step was seen.
func (d *Detector) Begun() bool {
	_, ok := d.firstUnit()
	return ok || len(d.reports) > 0
}
