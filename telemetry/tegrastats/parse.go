package tegrastats

import (
	"math"
	"strconv"
	"strings"

	"jtune/internal/lazyregexp"
	"jtune/tegra"
)

// offC is the reading of a powered-down sensor up to L4T 35.
const offC = -256

// Patterns of single words. Two fields contain spaces and are parsed word by word: "RAM u/tMB (lfb NxMMB)" and "SWAP
// u/tMB (cached nMB)".
var (
	datePattern  = lazyregexp.New(`^\d{2}-\d{2}-\d{4}$`)
	clockPattern = lazyregexp.New(`^\d{2}:\d{2}:\d{2}$`)
	usedPattern  = lazyregexp.New(`^(\d+)/(\d+)MB$`)
	lfbPattern   = lazyregexp.New(`^(\d+)x(\d+)(MB|kB)\)$`)
	cachePattern = lazyregexp.New(`^(\d+)MB\)$`)
	iramPattern  = lazyregexp.New(`^(\d+)/(\d+)kB(\(lfb)?$`)
	ilfbPattern  = lazyregexp.New(`^(\d+)kB\)$`)
	coresPattern = lazyregexp.New(`^\[([^\[\]]*)\](?:@(\d+))?$`)
	corePattern  = lazyregexp.New(`^(?:(\d+)%?)?(?:@(\d+))?$`)
	loadPattern  = lazyregexp.New(`^(?:(\d+)%)?(?:@(\d+))?$`)
	gpuPattern   = lazyregexp.New(`^(?:(\d+)%)?(?:@(?:(\d+)|\[([0-9,]*)\]))?$`)
	tempPattern  = lazyregexp.New(`^([^@\s]+)@(-?[0-9]+(?:[.,][0-9]+)?)C(?:/(-?[0-9]+(?:[.,][0-9]+)?)C)?$`)
	railPattern  = lazyregexp.New(`^(-?\d+)(?:mW)?/(-?\d+)(?:mW)?(?:/(-?\d+)(?:mW)?)?$`)
	barePattern  = lazyregexp.New(`^(-?\d+)(?:mW)?()()$`) // a rail without an average
	supplyName   = lazyregexp.New(`^(?:VDD|VIN|POM_)`)    // of a rail, even without a unit
	unitPattern  = lazyregexp.New(`^(?:(off)|(?:(\d+)%)?@?(\d+))$`)
	unitName     = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
	railName     = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.-]*$`)
)

// sampled reports whether the line has memory, cores, memory load or GPU load.
func (l *Line) sampled() bool { return l.RAM != nil || len(l.CPU) > 0 || l.EMC != nil || l.GPU != nil }

// parse parses words until a field comes again, which begins another record: the rest. It also returns the names of the
// fields that it skipped.
func parse(words []string) (l Line, unknown, rest []string) {
	p := parser{words: words, seen: map[string]bool{},
		line: Line{CPU: []Core{}, TempsC: map[string]float64{}, TempsOff: []string{},
			TempsMaxC: map[string]float64{}, Rails: []Rail{}, Engines: map[string]Engine{}}}
	if p.dated() {
		stamp := p.words[0] + " " + p.words[1]
		p.line.Timestamp, p.words = &stamp, p.words[2:]
	}
	for len(p.words) > 0 && !(p.dated() && len(p.seen) > 0) {
		n := min(p.field(), len(p.words))
		if p.again {
			break
		}
		if name, _, at := strings.Cut(p.words[0], "@"); n == 0 && (at || unitName.MatchString(name)) && name != "" {
			unknown = append(unknown, name)
		}
		p.words = p.words[max(n, 1):]
	}
	return p.line, unknown, p.words
}

// parser steps through the words of a line.
type parser struct {
	words []string
	line  Line
	seen  map[string]bool // fields so far
	again bool            // the present one came before
}

// dated reports whether tegrastats' own date begins here.
func (p *parser) dated() bool {
	return datePattern.MatchString(p.word(0)) && clockPattern.MatchString(p.word(1))
}

// first notes a field; false if the record has it already.
func (p *parser) first(key string) bool {
	p.again = p.again || p.seen[key]
	p.seen[key] = true
	return !p.again
}

// word returns the i-th word from the current one; "" after the last.
func (p *parser) word(i int) string {
	if i < len(p.words) {
		return p.words[i]
	}
	return ""
}

// field parses the field that begins here and returns its number of words; 0 when no known field begins here.
func (p *parser) field() int {
	switch p.word(0) {
	case "RAM":
		return p.ram()
	case "SWAP":
		return p.swap()
	case "IRAM":
		return p.iram()
	case "MTS": // MTS fg n% bg n%: not an engine
		if p.word(1) == "fg" && p.word(3) == "bg" {
			return 5
		}
		return 0
	case "EMC", "EMC_FREQ":
		return p.emc()
	case "GR3D", "GR3D_FREQ":
		return p.gpu(&p.line.GPU)
	case "GR3D2", "GR3D2_FREQ":
		return p.gpu(&p.line.GPU2)
	case "CPU", "cpu":
		if p.cores(1) {
			return 2
		}
	}
	if p.temp() || p.cores(0) { // cores alone: the line's beginning is cut off
		return 1
	}
	if p.rail() || p.engine() {
		return 2
	}
	return 0
}

func (p *parser) ram() int {
	m := usedPattern.FindStringSubmatch(p.word(1))
	if m == nil || !p.first("RAM") {
		return 0
	}
	p.line.RAM = &RAM{UsedMB: number(m[1]), TotalMB: number(m[2])}
	lfb := lfbPattern.FindStringSubmatch(p.word(3))
	if p.word(2) != "(lfb" || lfb == nil {
		return 2
	}
	size := float64(number(lfb[2]))
	if lfb[3] == "kB" {
		size /= 1024
	}
	p.line.RAM.LFBBlocks, p.line.RAM.LFBBlockMB = optional(lfb[1]), &size
	return 4
}

func (p *parser) swap() int {
	m := usedPattern.FindStringSubmatch(p.word(1))
	if m == nil || !p.first("SWAP") {
		return 0
	}
	p.line.Swap = &Swap{UsedMB: number(m[1]), TotalMB: number(m[2])}
	cached := cachePattern.FindStringSubmatch(p.word(3))
	if p.word(2) != "(cached" || cached == nil {
		return 2
	}
	p.line.Swap.CachedMB = optional(cached[1])
	return 4
}

func (p *parser) iram() int {
	m := iramPattern.FindStringSubmatch(p.word(1))
	if m == nil || !p.first("IRAM") {
		return 0
	}
	p.line.IRAM = &IRAM{UsedKB: number(m[1]), TotalKB: number(m[2])}
	n := 2
	if m[3] == "" && p.word(2) == "(lfb" {
		n = 3
	}
	if lfb := ilfbPattern.FindStringSubmatch(p.word(n)); lfb != nil && (m[3] != "" || n == 3) {
		p.line.IRAM.LFBKB = optional(lfb[1])
		return n + 1
	}
	return 2
}

// cores parses the list in word i: "[1%@345,off]", or "[17%,13%]@408" with one clock for all. A core in another form is
// online, its values unknown.
func (p *parser) cores(i int) bool {
	m := coresPattern.FindStringSubmatch(p.word(i))
	if m == nil {
		return false
	}
	var list []Core
	known := false
	for _, text := range strings.Split(m[1], ",") {
		if text == "off" {
			list, known = append(list, Core{}), true
			continue
		}
		core := Core{Online: true, FreqMHz: clock(m[2])}
		if c := corePattern.FindStringSubmatch(text); c != nil {
			core.LoadPct, known = optional(c[1]), known || strings.ContainsAny(text, "%@")
			if c[2] != "" {
				core.FreqMHz = clock(c[2])
			}
		}
		list = append(list, core)
	}
	if !known || !p.first("CPU") {
		return false
	}
	p.line.CPU = list
	return true
}

func (p *parser) emc() int {
	m := loadPattern.FindStringSubmatch(p.word(1))
	if m == nil || p.word(1) == "" || !p.first("EMC") {
		return 0
	}
	p.line.EMC = &Clock{LoadPct: optional(m[1]), FreqMHz: clock(m[2])}
	return 2
}

func (p *parser) gpu(to **GPU) int {
	m := gpuPattern.FindStringSubmatch(p.word(1))
	if m == nil || p.word(1) == "" || !p.first(strings.TrimSuffix(p.word(0), "_FREQ")) {
		return 0
	}
	g := &GPU{LoadPct: optional(m[1]), FreqMHz: []int{}}
	for _, text := range strings.Split(m[2]+m[3], ",") {
		if text != "" {
			g.FreqMHz = append(g.FreqMHz, *clock(text))
		}
	}
	*to = g
	return 2
}

func (p *parser) temp() bool {
	m := tempPattern.FindStringSubmatch(p.word(0))
	if m == nil || !p.first("@"+m[1]) {
		return false
	}
	c, err := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64) // as in the locale
	if err != nil || math.IsInf(c, 0) {
		return false
	}
	if c == offC {
		p.line.TempsOff = append(p.line.TempsOff, m[1])
		return true
	}
	p.line.TempsC[m[1]] = c
	if most, err := strconv.ParseFloat(strings.Replace(m[3], ",", ".", 1), 64); err == nil && most != offC {
		p.line.TempsMaxC[m[1]] = most
	}
	return true
}

func (p *parser) rail() bool {
	m := railPattern.FindStringSubmatch(p.word(1))
	if m == nil && (strings.HasSuffix(p.word(1), "mW") || supplyName.MatchString(p.word(0))) {
		m = barePattern.FindStringSubmatch(p.word(1))
	}
	if m == nil || !railName.MatchString(p.word(0)) {
		return false
	}
	if p.word(0) != "NC" && !p.first(p.word(0)+" mW") { // unconnected rails share a name
		return false
	}
	rail := Rail{Name: p.word(0), CurMW: number(m[1]), AvgMW: optional(m[2]), MaxMW: optional(m[3])}
	p.line.Rails = append(p.line.Rails, rail)
	return true
}

func (p *parser) engine() bool {
	m := unitPattern.FindStringSubmatch(p.word(1))
	if m == nil || !unitName.MatchString(p.word(0)) {
		return false
	}
	name := strings.TrimSuffix(p.word(0), "_FREQ")
	if !p.first(name) {
		return false
	}
	p.line.Engines[name] = Engine{On: m[1] == "", LoadPct: optional(m[2]), FreqMHz: clock(m[3])}
	return true
}

// number converts digits that a pattern has matched; larger values become the largest int32.
func number(digits string) int {
	n, _ := strconv.ParseInt(digits, 10, 32) // the nearest value when out of range
	return int(n)
}

func optional(digits string) *int {
	if digits == "" {
		return nil
	}
	n := number(digits)
	return &n
}

// clock converts a clock to MHz, which some forks of tegrastats print in kHz or Hz.
func clock(digits string) *int {
	if digits == "" {
		return nil
	}
	v, _ := strconv.ParseInt(digits, 10, 64)
	n := int(min(tegra.ClockOf(v)/tegra.MHz, math.MaxInt32))
	return &n
}
