package tegrastats

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/lazyregexp"
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
	corePattern  = lazyregexp.New(`^(\d+)%(?:@(\d+))?$`)
	loadPattern  = lazyregexp.New(`^(?:(\d+)%)?(?:@(\d+))?$`)
	gpuPattern   = lazyregexp.New(`^(?:(\d+)%)?(?:@(?:(\d+)|\[([0-9,]*)\]))?$`)
	tempPattern  = lazyregexp.New(`^([^@\s]+)@(-?[0-9]+(?:\.[0-9]+)?)C(?:/(-?[0-9]+(?:\.[0-9]+)?)C)?$`)
	railPattern  = lazyregexp.New(`^(-?\d+)(?:mW)?/(-?\d+)(?:mW)?(?:/(-?\d+)(?:mW)?)?$`)
	unitPattern  = lazyregexp.New(`^(?:(off)|(?:(\d+)%)?@?(\d+))$`)
	unitName     = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)
	railName     = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.-]*$`)
)

// Parse parses one line. It returns false for a line that is not from tegrastats: one without memory, cores, memory
// load and GPU load.
func Parse(text string) (Line, bool) {
	l, _ := parse(text)
	l.total()
	return l, l.RAM != nil || len(l.CPU) > 0 || l.EMC != nil || l.GPU != nil
}

// parse also returns the words that it skipped.
func parse(text string) (l Line, unknown []string) {
	p := parser{words: strings.Fields(text),
		line: Line{CPU: []Core{}, TempsC: map[string]float64{}, TempsOff: []string{},
			TempsMaxC: map[string]float64{}, Rails: []Rail{}, Engines: map[string]Engine{}}}
	if len(p.words) >= 2 && datePattern.MatchString(p.words[0]) && clockPattern.MatchString(p.words[1]) {
		stamp := p.words[0] + " " + p.words[1]
		p.line.Timestamp, p.words = &stamp, p.words[2:]
	}
	if p.cores(0) { // a line whose start is cut off
		p.words = p.words[1:]
	}
	for len(p.words) > 0 {
		n := min(p.field(), len(p.words))
		if n == 0 {
			unknown, n = append(unknown, p.words[0]), 1
		}
		p.words = p.words[n:]
	}
	return p.line, unknown
}

// parser steps through the words of a line.
type parser struct {
	words []string
	line  Line
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
	if p.temp() {
		return 1
	}
	if p.rail() || p.engine() {
		return 2
	}
	return 0
}

func (p *parser) ram() int {
	m := usedPattern.FindStringSubmatch(p.word(1))
	if m == nil {
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
	if m == nil {
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
	if m == nil {
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

// cores parses the list in word i: "[1%@345,off]", or "[17%,13%]@408" with one clock for all.
func (p *parser) cores(i int) bool {
	m := coresPattern.FindStringSubmatch(p.word(i))
	if m == nil {
		return false
	}
	var list []Core
	for _, text := range strings.Split(m[1], ",") {
		if text == "off" {
			list = append(list, Core{})
			continue
		}
		c := corePattern.FindStringSubmatch(text)
		if c == nil {
			return false
		}
		clock := optional(c[2])
		if clock == nil {
			clock = optional(m[2])
		}
		list = append(list, Core{Online: true, LoadPct: optional(c[1]), FreqMHz: clock})
	}
	p.line.CPU = list
	return true
}

func (p *parser) emc() int {
	m := loadPattern.FindStringSubmatch(p.word(1))
	if m == nil || p.word(1) == "" {
		return 0
	}
	p.line.EMC = &Clock{LoadPct: optional(m[1]), FreqMHz: optional(m[2])}
	return 2
}

func (p *parser) gpu(to **GPU) int {
	m := gpuPattern.FindStringSubmatch(p.word(1))
	if m == nil || p.word(1) == "" {
		return 0
	}
	g := &GPU{LoadPct: optional(m[1]), FreqMHz: []int{}}
	for _, text := range strings.Split(m[2]+m[3], ",") {
		if text != "" {
			g.FreqMHz = append(g.FreqMHz, number(text))
		}
	}
	*to = g
	return 2
}

func (p *parser) temp() bool {
	m := tempPattern.FindStringSubmatch(p.word(0))
	if m == nil {
		return false
	}
	c, err := strconv.ParseFloat(m[2], 64)
	if err != nil || math.IsInf(c, 0) {
		return false
	}
	if c == offC {
		if !slices.Contains(p.line.TempsOff, m[1]) {
			p.line.TempsOff = append(p.line.TempsOff, m[1])
		}
		return true
	}
	p.line.TempsC[m[1]] = c
	if most, err := strconv.ParseFloat(m[3], 64); err == nil && most != offC {
		p.line.TempsMaxC[m[1]] = most
	}
	return true
}

func (p *parser) rail() bool {
	m := railPattern.FindStringSubmatch(p.word(1))
	if m == nil || !railName.MatchString(p.word(0)) {
		return false
	}
	rail := Rail{Name: p.word(0), CurMW: number(m[1]), AvgMW: number(m[2]), MaxMW: optional(m[3])}
	p.line.Rails = append(p.line.Rails, rail)
	return true
}

func (p *parser) engine() bool {
	m := unitPattern.FindStringSubmatch(p.word(1))
	if m == nil || !unitName.MatchString(p.word(0)) {
		return false
	}
	name := strings.TrimSuffix(p.word(0), "_FREQ")
	p.line.Engines[name] = Engine{On: m[1] == "", LoadPct: optional(m[2]), FreqMHz: optional(m[3])}
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
