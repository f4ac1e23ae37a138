package tegra

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Space is the set of power modes of a board: every combination of the listed values, or only the members if not every
// combination exists. Lists ascend. They come from the device, never from a table.
type Space struct {
	Cores         []int
	CPU, GPU, EMC []Freq

	members  []Mode       // nil: the full product
	position map[Mode]int // index in members
	decimals [NumKnobs]int
}

// NewSpace builds the full product of the four lists after sorting and removing duplicates. An empty list or a value
// that is not positive is an error.
func NewSpace(cores []int, cpu, gpu, emc []Freq) (*Space, error) {
	s := &Space{Cores: ascending(cores), CPU: ascending(cpu), GPU: ascending(gpu), EMC: ascending(emc)}
	if err := s.check(); err != nil {
		return nil, err
	}
	for k := range NumKnobs {
		s.decimals[k] = decimalsFor(s.freqs(k))
	}
	return s, nil
}

// emptySpace has no modes: at least one list is unknown.
func emptySpace(cores []int, cpu, gpu, emc []Freq) *Space {
	s := &Space{Cores: ascending(cores), CPU: ascending(cpu), GPU: ascending(gpu), EMC: ascending(emc)}
	s.members, s.position, s.decimals = []Mode{}, map[Mode]int{}, [NumKnobs]int{0, 2, 2, 2}
	return s
}

// NewSubspace builds the space of exactly these modes, without duplicates.
func NewSubspace(modes []Mode) (*Space, error) {
	s, err := combined(modes)
	if err != nil {
		return nil, err
	}
	return s.Restrict(modes)
}

// mostModes limits the modes of a file; the largest board has 29,232.
const mostModes = 1 << 21

// Bounded returns an error if the lists of a file make more modes than any board has.
func (s *Space) Bounded() error {
	n := 1
	for _, list := range []int{len(s.Cores), len(s.CPU), len(s.GPU), len(s.EMC)} {
		if n *= list; n > mostModes {
			return fmt.Errorf("%d core counts and %d CPU, %d GPU and %d memory clocks make more power modes than any "+
				"board has", len(s.Cores), len(s.CPU), len(s.GPU), len(s.EMC))
		}
	}
	return nil
}

// Spanned builds the space of every combination of the modes' values. It returns an error for more modes than any board
// has, as with clocks that were measured, not set.
func Spanned(modes []Mode) (*Space, error) {
	s, err := combined(modes)
	if err == nil {
		err = s.Bounded()
	}
	return s, err
}

func combined(modes []Mode) (*Space, error) {
	var cores []int
	var cpu, gpu, emc []Freq
	for _, m := range modes {
		cores, cpu, gpu, emc = append(cores, m.Cores), append(cpu, m.CPU), append(gpu, m.GPU), append(emc, m.EMC)
	}
	return NewSpace(cores, cpu, gpu, emc)
}

// Restrict keeps the given modes of the space; a mode outside it is an error.
func (s *Space) Restrict(modes []Mode) (*Space, error) {
	kept := *s
	kept.members, kept.position = []Mode{}, make(map[Mode]int, len(modes))
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

// CompareModes orders modes by cores, CPU, GPU and memory frequency: the order of a Space.
func CompareModes(a, b Mode) int {
	return cmp.Or(cmp.Compare(a.Cores, b.Cores), cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.GPU, b.GPU),
		cmp.Compare(a.EMC, b.EMC))
}

func (s *Space) check() error {
	if len(s.Cores) == 0 || len(s.CPU) == 0 || len(s.GPU) == 0 || len(s.EMC) == 0 {
		return fmt.Errorf("no power modes: %d core counts, %d CPU, %d GPU and %d memory frequencies", len(s.Cores),
			len(s.CPU), len(s.GPU), len(s.EMC))
	}
	if s.Cores[0] <= 0 || s.CPU[0] <= 0 || s.GPU[0] <= 0 || s.EMC[0] <= 0 {
		return fmt.Errorf("no power modes: a listed value is zero or negative")
	}
	return nil
}

func (s *Space) product() int { return len(s.Cores) * len(s.CPU) * len(s.GPU) * len(s.EMC) }

// Full reports whether every combination of the listed values is a member.
func (s *Space) Full() bool { return s.members == nil }

// Len returns the number of modes.
func (s *Space) Len() int {
	if s.members != nil {
		return len(s.members)
	}
	return s.product()
}

// Equal reports whether both have the same modes.
func (s *Space) Equal(o *Space) bool {
	return s == o || s != nil && o != nil && slices.Equal(s.Cores, o.Cores) && slices.Equal(s.CPU, o.CPU) &&
		slices.Equal(s.GPU, o.GPU) && slices.Equal(s.EMC, o.EMC) && s.Full() == o.Full() &&
		slices.Equal(s.members, o.members)
}

// At returns mode i, 0 ≤ i < Len; cores vary slowest and memory fastest.
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

// Index is the inverse of At; false if m is not a member.
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

// Contains reports whether m is a mode of the space.
func (s *Space) Contains(m Mode) bool {
	_, ok := s.Index(m)
	return ok
}

// All iterates over the modes in order of Index.
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
	return floats(s.freqs(k))
}

// freqs lists the settings of a clock.
func (s *Space) freqs(k Knob) []Freq {
	return [...][]Freq{KnobCPU: s.CPU, KnobGPU: s.GPU, KnobEMC: s.EMC}[k]
}

func floats[T int | Freq](list []T) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}

// Max returns the mode with every knob at its largest listed value; a knob without a list is zero. A full space
// contains it; for a partial one ask Contains.
func (s *Space) Max() Mode { return Mode{last(s.Cores), last(s.CPU), last(s.GPU), last(s.EMC)} }

func last[T int | Freq](list []T) T {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

func ascending[T cmp.Ordered](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
