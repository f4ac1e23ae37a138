package tegra

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// SnapTolerance is how far a nominal frequency may lie from a listed one and
// still mean it: papers print "670 MHz" for 675.75 (method note a.3).
const SnapTolerance = 0.03

// Space is the set of power modes a board offers: every combination of the
// listed values, or just Members of it when not every combination exists.
// Lists ascend. A Space is enumerated from the device, never from a table.
type Space struct {
	Cores         []int
	CPU, GPU, EMC []Freq

	members  []Mode       // nil: the full product
	position map[Mode]int // of members
	decimals [NumKnobs]int
}

// NewSpace builds the full product of the four lists, which are sorted and
// made distinct. An empty list or a value that is not positive is an error.
func NewSpace(cores []int, cpu, gpu, emc []Freq) (*Space, error) {
	s := &Space{Cores: ascending(cores), CPU: ascending(cpu), GPU: ascending(gpu), EMC: ascending(emc)}
	if err := s.check(); err != nil {
		return nil, err
	}
	for k, list := range [NumKnobs][]Freq{KnobCPU: s.CPU, KnobGPU: s.GPU, KnobEMC: s.EMC} {
		s.decimals[k] = decimalsFor(list)
	}
	return s, nil
}

// emptySpace has no modes: at least one of the lists is not known.
func emptySpace(cores []int, cpu, gpu, emc []Freq) *Space {
	s := &Space{Cores: ascending(cores), CPU: ascending(cpu), GPU: ascending(gpu), EMC: ascending(emc)}
	s.members, s.position, s.decimals = []Mode{}, map[Mode]int{}, [NumKnobs]int{0, 2, 2, 2}
	return s
}

// NewSubspace builds the space of exactly these modes; duplicates count once.
func NewSubspace(modes []Mode) (*Space, error) {
	var cores []int
	var cpu, gpu, emc []Freq
	for _, m := range modes {
		cores, cpu, gpu, emc = append(cores, m.Cores), append(cpu, m.CPU), append(gpu, m.GPU), append(emc, m.EMC)
	}
	s, err := NewSpace(cores, cpu, gpu, emc)
	if err != nil {
		return nil, err
	}
	return s.Restrict(modes)
}

// Restrict keeps the given modes of the space; a mode outside it is an error.
func (s *Space) Restrict(modes []Mode) (*Space, error) {
	kept := *s
	kept.members, kept.position = nil, make(map[Mode]int, len(modes))
	for _, m := range modes {
		if !s.Contains(m) {
			return nil, fmt.Errorf("power mode %s is not one of this device's %d", m, s.Len())
		}
		if _, twice := kept.position[m]; !twice {
			kept.position[m] = 0
			kept.members = append(kept.members, m)
		}
	}
	if len(kept.members) == s.product() {
		kept.members, kept.position = nil, nil
		return &kept, nil
	}
	slices.SortFunc(kept.members, CompareModes)
	for i, m := range kept.members {
		kept.position[m] = i
	}
	return &kept, nil
}

// CompareModes orders modes by cores, CPU, GPU and memory frequency: the
// order in which a Space counts them.
func CompareModes(a, b Mode) int {
	return cmp.Or(cmp.Compare(a.Cores, b.Cores), cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.EMC, b.EMC))
}

func (s *Space) check() error {
	if len(s.Cores) == 0 || len(s.CPU) == 0 || len(s.GPU) == 0 || len(s.EMC) == 0 {
		return fmt.Errorf("no power modes: %d core counts, %d CPU, %d GPU and %d memory frequencies", len(s.Cores), len(s.CPU), len(s.GPU), len(s.EMC))
	}
	if s.Cores[0] <= 0 || s.CPU[0] <= 0 || s.GPU[0] <= 0 || s.EMC[0] <= 0 {
		return fmt.Errorf("no power modes: a listed value is zero or negative")
	}
	return nil
}

func (s *Space) product() int { return len(s.Cores) * len(s.CPU) * len(s.GPU) * len(s.EMC) }

// Full tells whether every combination of the listed values is a member.
func (s *Space) Full() bool { return s.members == nil }

// Len counts the modes.
func (s *Space) Len() int {
	if s.members != nil {
		return len(s.members)
	}
	return s.product()
}

// At gives mode i, 0 ≤ i < Len, cores counting slowest and memory fastest.
func (s *Space) At(i int) Mode {
	if s.members != nil {
		return s.members[i]
	}
	e := i % len(s.EMC)
	i /= len(s.EMC)
	g := i % len(s.GPU)
	i /= len(s.GPU)
	return Mode{s.Cores[i/len(s.CPU)], s.CPU[i%len(s.CPU)], s.GPU[g], s.EMC[e]}
}

// Index gives the place of m, the inverse of At; false when m is not a member.
func (s *Space) Index(m Mode) (int, bool) {
	if s.members != nil {
		i, ok := s.position[m]
		return i, ok
	}
	c, okC := slices.BinarySearch(s.Cores, m.Cores)
	p, okP := slices.BinarySearch(s.CPU, m.CPU)
	g, okG := slices.BinarySearch(s.GPU, m.GPU)
	e, okE := slices.BinarySearch(s.EMC, m.EMC)
	return ((c*len(s.CPU)+p)*len(s.GPU)+g)*len(s.EMC) + e, okC && okP && okG && okE
}

// Contains tells whether m is a mode of the space.
func (s *Space) Contains(m Mode) bool {
	_, ok := s.Index(m)
	return ok
}

// All walks the modes in order of Index.
func (s *Space) All() iter.Seq2[int, Mode] {
	return func(yield func(int, Mode) bool) {
		for i := range s.Len() {
			if !yield(i, s.At(i)) {
				return
			}
		}
	}
}

// Modes lists the modes in order of Index.
func (s *Space) Modes() []Mode {
	out := make([]Mode, s.Len())
	for i, m := range s.All() {
		out[i] = m
	}
	return out
}

// Values lists a knob's settings: core counts, or hertz.
func (s *Space) Values(k Knob) []float64 {
	if k == KnobCores {
		return floats(s.Cores)
	}
	return floats([NumKnobs][]Freq{KnobCPU: s.CPU, KnobGPU: s.GPU, KnobEMC: s.EMC}[k])
}

func floats[T int | Freq](list []T) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}

// Max is the mode with every knob at its largest listed value; a knob without
// a list is zero. It is a member of every full space; of a partial one ask
// Contains.
func (s *Space) Max() Mode { return Mode{last(s.Cores), last(s.CPU), last(s.GPU), last(s.EMC)} }

func last[T int | Freq](list []T) T {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// Snap moves each knob to its nearest listed value when that lies within
// SnapTolerance. Cores must be listed exactly. What cannot be snapped, and a
// combination that does not exist, is an error naming the neighbours.
func (s *Space) Snap(m Mode) (Mode, error) {
	out := Mode{Cores: m.Cores}
	if !slices.Contains(s.Cores, m.Cores) {
		return m, s.unlistedCores(m.Cores)
	}
	var err error
	if out.CPU, err = snapFreq(KnobCPU, s.CPU, m.CPU); err != nil {
		return m, err
	}
	if out.GPU, err = snapFreq(KnobGPU, s.GPU, m.GPU); err != nil {
		return m, err
	}
	if out.EMC, err = snapFreq(KnobEMC, s.EMC, m.EMC); err != nil {
		return m, err
	}
	return out, s.member(out)
}

func (s *Space) member(m Mode) error {
	if s.Contains(m) {
		return nil
	}
	if s.Len() == 0 {
		return fmt.Errorf("power mode %s: no mode is known here", s.Format(m))
	}
	near := slices.MinFunc(s.members, func(a, b Mode) int { return cmp.Compare(distance(a, m), distance(b, m)) })
	return fmt.Errorf("power mode %s is not among the %d known here; nearest is %s", s.Format(m), s.Len(), s.Format(near))
}

// distance between modes in octaves summed over the knobs.
func distance(a, b Mode) float64 {
	d := 0.0
	for k := range NumKnobs {
		d += math.Abs(math.Log2(a.Value(k) / b.Value(k)))
	}
	return d
}

func (s *Space) unlistedCores(n int) error {
	if len(s.Cores) == 0 {
		return fmt.Errorf("%d cores: no core counts are known here", n)
	}
	lo, hi := neighbours(s.Cores, n)
	return fmt.Errorf("%d cores is not a setting of this device; nearest: %s", n, either(strconv.Itoa(lo), strconv.Itoa(hi)))
}

func snapFreq(k Knob, list []Freq, f Freq) (Freq, error) {
	if len(list) == 0 {
		return 0, fmt.Errorf("%s %s: no %s frequencies are known here", k, f, k)
	}
	best := slices.MinFunc(list, func(a, b Freq) int { return cmp.Compare(abs(a-f), abs(b-f)) })
	if float64(abs(best-f)) <= SnapTolerance*float64(best) {
		return best, nil
	}
	lo, hi := neighbours(list, f)
	return 0, fmt.Errorf("%s %s is not a setting of this device; nearest: %s", k, f, either(lo.String(), hi.String()))
}

// neighbours gives the listed values around v; both alike at an end.
func neighbours[T cmp.Ordered](list []T, v T) (lo, hi T) {
	i, _ := slices.BinarySearch(list, v)
	switch i {
	case 0:
		return list[0], list[0]
	case len(list):
		return list[i-1], list[i-1]
	}
	return list[i-1], list[i]
}

func either(lo, hi string) string {
	if lo == hi {
		return lo
	}
	return lo + " and " + hi
}

func abs(f Freq) Freq {
	if f < 0 {
		return -f
	}
	return f
}

// Format prints a mode in the compact notation with as many decimals as this
// space needs to tell its values apart, two at least.
func (s *Space) Format(m Mode) string { return m.format(s.decimals) }

// Parse reads the compact notation: per knob the one listed value that prints
// so, else the nearest within SnapTolerance, else an error naming neighbours.
func (s *Space) Parse(text string) (Mode, error) {
	p, err := parseNotation(text)
	if err != nil {
		return Mode{}, err
	}
	m := Mode{Cores: p.cores}
	if !slices.Contains(s.Cores, m.Cores) {
		return Mode{}, s.unlistedCores(m.Cores)
	}
	if m.CPU, err = parseListed(KnobCPU, s.CPU, p.text[KnobCPU], p.value[KnobCPU]); err != nil {
		return Mode{}, err
	}
	if m.GPU, err = parseListed(KnobGPU, s.GPU, p.text[KnobGPU], p.value[KnobGPU]); err != nil {
		return Mode{}, err
	}
	if m.EMC, err = parseListed(KnobEMC, s.EMC, p.text[KnobEMC], p.value[KnobEMC]); err != nil {
		return Mode{}, err
	}
	return m, s.member(m)
}

func parseListed(k Knob, list []Freq, text string, ghz float64) (Freq, error) {
	decimals := 0
	if _, frac, ok := strings.Cut(text, "."); ok {
		decimals = len(frac)
	}
	var alike []Freq
	for _, f := range list {
		if strconv.FormatFloat(f.GHz(), 'f', decimals, 64) == text {
			alike = append(alike, f)
		}
	}
	if len(alike) == 1 {
		return alike[0], nil
	}
	return snapFreq(k, list, Freq(math.Round(ghz*float64(GHz))))
}

// decimalsFor is how many decimals of a gigahertz tell the list's values
// apart: two at least, six (a kilohertz) at most.
func decimalsFor(list []Freq) int {
	for d := 2; d < 6; d++ {
		seen := map[string]bool{}
		for _, f := range list {
			seen[strconv.FormatFloat(f.GHz(), 'f', d, 64)] = true
		}
		if len(seen) == len(list) {
			return d
		}
	}
	return 6
}

// Grid is the even subset that PowerTrain profiles (method note d.1): all GPU
// and memory frequencies, even core counts, and every second CPU frequency
// from the top down after leaving out the two slowest. 4,368 of the AGX
// Orin's 18,096 modes.
func (s *Space) Grid() *Space {
	keepCores := map[int]bool{}
	for _, c := range s.Cores {
		keepCores[c] = c%2 == 0 || len(s.Cores) == 1
	}
	slowest := min(2, len(s.CPU)-1)
	keepCPU := map[Freq]bool{}
	for i := len(s.CPU) - 1; i >= slowest; i -= 2 {
		keepCPU[s.CPU[i]] = true
	}
	return s.where(func(m Mode) bool { return keepCores[m.Cores] && keepCPU[m.CPU] })
}

// where gives the members that satisfy keep, as a space of the same lists.
// It may be empty.
func (s *Space) where(keep func(Mode) bool) *Space {
	sub := *s
	sub.members, sub.position = []Mode{}, map[Mode]int{}
	for _, m := range s.All() {
		if keep(m) {
			sub.position[m] = len(sub.members)
			sub.members = append(sub.members, m)
		}
	}
	return &sub
}

// Sample draws n distinct modes; equal seeds draw equal modes. Asking for more
// than there are gives all of them, shuffled.
func (s *Space) Sample(n int, seed uint64) []Mode {
	perm := rand.New(rand.NewPCG(seed, 0x6a74756e65)).Perm(s.Len())
	out := make([]Mode, 0, max(0, min(n, len(perm))))
	for _, i := range perm[:cap(out)] {
		out = append(out, s.At(i))
	}
	return out
}

func ascending[T cmp.Ordered](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
