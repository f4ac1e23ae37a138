package detect

import (
	"strings"
	"time"
)

// Options say what is known of a program before it prints.
type Options struct {
	// Batch is the samples of a minibatch, where a program counts samples; 0: what it prints, else Usual.
	Batch, Usual int
	// Counts is what a counter counts, where the user says so: Step or Sample; "" finds out.
	Counts string
	// FromStart hands the steps on that were read before it was decided, too.
	FromStart bool
	// Only is the form to take, of Forms; "" takes any.
	Only string
}

// Detector reads lines. It is used by one goroutine at a time.
type Detector struct {
	o        Options
	all      []*candidate
	byKey    map[string]*candidate
	moves    []move
	epoch    int // the last that a line named, as printed
	fromZero bool
	reports  []Report
	ranks    map[string]int
	names    map[string]int // that counters of a unit and length had
	pairs    map[string]*pair
	csv      []string // the columns of the last table with commas

	begun, last time.Duration // of the first and last line
	lines       int           // that were read
	strange     int           // of them, that told nothing
	tails       []string      // the last lines
	perS        int           // lines in the second that began at
	second      time.Duration
	batch       int     // that the program or its command says; 0: not seen
	tokens      float64 // of the answer whose rate comes next; 0: not told
	table       string  // what the rows of the last table count; "": none was headed
	columns     int     // of its rows; 0: none came

	chosen  *candidate // by which steps are handed on; nil until it is decided
	handed  int        // of its spans
	ran     []float64  // times of a unit lately
	samples int        // of a minibatch, where it counts samples
}

// New returns a detector that has read nothing.
func New(o Options) *Detector {
	return &Detector{o: o, byKey: map[string]*candidate{}, ranks: map[string]int{}, names: map[string]int{},
		pairs: map[string]*pair{}}
}

const (
	// mostPerS bounds how many lines of a second are looked at: a program may print without end.
	mostPerS = 4000
	// keptTails is how many of the last lines are kept for a message.
	keptTails = 3
)

// Line takes a line of either output that came at now, by a clock that starts anywhere. whole is false for a bar that
// is drawn but not ended. It reports whether the line told something.
func (d *Detector) Line(raw []byte, now time.Duration, whole bool) bool {
	if now-d.second >= time.Second || d.lines == 0 {
		d.second, d.perS = now, 0
	}
	if d.perS++; d.perS > mostPerS {
		return false
	}
	line := plain(raw)
	if line == "" {
		return false
	}
	if d.lines == 0 {
		d.begun = now
	}
	d.last = max(d.last, now)
	d.lines++
	was := d.advanced()
	known := d.known(line, now, whole)
	if reported := whole && d.reported(line); !known && !reported {
		d.scan(line, now, whole)
	}
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

// advanced changes when any candidate takes something.
func (d *Detector) advanced() (n int) {
	for _, c := range d.all {
		n += c.lines + len(c.spans)
	}
	return n + len(d.reports)
}

// tail keeps the last lines; of a bar that is drawn again and again the last one.
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

// batchOf looks for the batch size that a program prints: batch_size=64, batch size: 64.
func (d *Detector) batchOf(line string) {
	if d.batch == 0 && strings.Contains(strings.ToLower(line), "batch") {
		d.batch = BatchIn(line)
	}
}

// BatchIn is the batch size that a text names, such as the words of a command; 0 where it names none.
func BatchIn(text string) int {
	low := strings.ToLower(text)
	for _, name := range []string{"batch_size", "batch-size", "batch size", "batchsize", " -bs "} {
		i := strings.Index(low, name)
		if i < 0 || strings.Contains(low[max(0, i-12):i], "val") || strings.Contains(low[max(0, i-12):i], "test") {
			continue
		}
		rest := strings.TrimLeft(low[i+len(name):], " :='\"")
		n := 0
		for digit(rest, 0) && n < 1<<20 {
			n, rest = n*10+int(rest[0]-'0'), rest[1:]
		}
		if n > 0 && n <= 1<<20 {
			return n
		}
	}
	return 0
}

// Lines is how many lines were read; Strange how many of them told nothing; Tails the last ones.
func (d *Detector) Lines() int      { return d.lines }
func (d *Detector) Strange() int    { return d.strange }
func (d *Detector) Tails() []string { return d.tails }

// Since is how long ago the first line came.
func (d *Detector) Since(now time.Duration) time.Duration {
	if d.lines == 0 {
		return 0
	}
	return now - d.begun
}

// Begun reports whether a step of the job was seen: not one of what comes before it.
func (d *Detector) Begun() bool {
	for _, c := range d.all {
		if c.polarity != before && len(c.spans) > 0 && !c.plain {
			return true
		}
	}
	return len(d.reports) > 0
}
