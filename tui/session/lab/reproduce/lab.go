package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/lab/bench"
	"jtune/optimize/lab/score"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session/lab/fourmodes"
	"jtune/tui/session/lab/rig"
)

// Amount of work: as many random samples of modes as PowerTrain, and references of all 4,368 modes of the grid.
const (
	samples      = 10
	unseen       = 20 // for LSTM and BERT (section 4.3.2)
	quickSamples = 1
	quickModes   = 600  // of a reference
	quickSteps   = 1000 // of networks of references, instead of at least 3,000
	quickScratch = 4000 // of networks that learn from few modes, instead of 12,000
)

// referenceConfig returns the settings of networks that learn from many modes.
func (l *lab) referenceConfig() nn.Config {
	c := nn.Config{Seed: l.Seed}
	if l.Quick {
		c.MinSteps = quickSteps
	}
	return c
}

// scratchConfig returns the settings of networks that learn from few modes.
func (l *lab) scratchConfig() *nn.Config {
	c := nn.FromScratch()
	if l.Quick {
		c.MinSteps = quickScratch
	}
	return &c
}

// lab holds what the studies share.
type lab struct {
	Options
	ctx        context.Context
	boards     map[string]*virtual.Board
	devices    map[string]tegra.Device
	sweeps     map[string]*measuredSweep
	references map[string]*learn.Reference
	rows       map[string]score.Row
	pickedOf   map[string]*picks

	linearModels *fourmodes.Models
	profile      *profiled
	sensitivity  [][2]float64 // of minibatchErrors
	bySize       [][2]float64 // of sizeErrors

	simulated bool            // the last result comes from a virtual board
	drawn     int             // the fewest samples of modes behind its medians; 0: no sampling
	used      map[string]bool // sweeps of the present study
}

// measuredSweep is a workload in every mode of a board's grid.
type measuredSweep struct {
	place     string
	measured  []tegra.Measured
	simulated bool
}

func newLab(ctx context.Context, o Options) *lab {
	return &lab{Options: o, ctx: ctx, boards: map[string]*virtual.Board{}, devices: map[string]tegra.Device{},
		sweeps: map[string]*measuredSweep{}, references: map[string]*learn.Reference{}, rows: map[string]score.Row{},
		pickedOf: map[string]*picks{}, used: map[string]bool{}}
}

// forget starts a study.
func (l *lab) forget() { l.simulated, l.used = false, map[string]bool{} }

// SweepFile returns the file name of a measured sweep in Options.Sweeps: a workload on a kind of board, such as
// agx-orin_resnet18.csv, or agx-orin_resnet18@8.csv for a batch size other than its own.
func SweepFile(place string) string { return strings.Replace(place, "/", "_", 1) + ".csv" }

// notes lists which sweeps of the present study are simulated, and where measured ones would be read from.
func (l *lab) notes() (out []string) {
	var lacking []string
	for _, place := range slices.Sorted(maps.Keys(l.used)) {
		if l.sweeps[place].simulated {
			lacking = append(lacking, SweepFile(place))
		} else {
			out = append(out, title(place)+": the measured sweep of "+filepath.Join(l.Sweeps, SweepFile(place)))
		}
	}
	if len(lacking) > 0 {
		out = append(out, fmt.Sprintf("VIRTUAL: simulated, not measured; sweeps that a board measured are taken "+
			"from %s where they exist: %s",
			cmp.Or(l.Sweeps, usage.Sweeps.Value()), strings.Join(lacking, ", ")))
	}
	return out
}

// board returns a virtual board at full speed with its usual noise.
func (l *lab) board(name string) (*virtual.Board, tegra.Device, error) {
	if b, ok := l.boards[name]; ok {
		return b, l.devices[name], nil
	}
	b, err := rig.Board(virtual.Options{Name: name, Seed: l.Seed})
	if err != nil {
		return nil, nil, err
	}
	d, err := b.Open()
	if err != nil {
		return nil, nil, err
	}
	l.boards[name], l.devices[name] = b, d
	return b, d, nil
}

// Modes that PowerTrain profiled if not the whole grid: 1,000 random ones of an AGX Xavier, and on an Orin Nano every
// second CPU clock with three core counts, three GPU clocks and two memory clocks.
const xavierModes = 1000

// profiled returns the modes of a sweep on a board.
func (l *lab) profiled(board string) ([]tegra.Mode, error) {
	_, d, err := l.board(board)
	if err != nil {
		return nil, err
	}
	space := d.Space()
	switch board {
	case "agx-xavier":
		return space.Sample(xavierModes, l.Seed), nil
	case "orin-nano":
		part, err := nanoModes(space)
		if err != nil {
			return nil, err
		}
		return part.Modes(), nil
	}
	return space.Grid().Modes(), nil
}

// nanoModes returns the modes of the Orin Nano's profile: even core counts, every second CPU clock from the top, the
// first, middle and last GPU clock, and the lowest and highest memory clock.
func nanoModes(s *tegra.Space) (*tegra.Space, error) {
	var cores []int
	for _, n := range s.Cores {
		if n%2 == 0 {
			cores = append(cores, n)
		}
	}
	var cpu []tegra.Freq
	for i := len(s.CPU) - 1; i >= 0; i -= 2 {
		cpu = append(cpu, s.CPU[i])
	}
	slices.Reverse(cpu)
	ends := func(f []tegra.Freq) []tegra.Freq { return []tegra.Freq{f[0], f[len(f)-1]} }
	gpu := slices.Compact([]tegra.Freq{s.GPU[0], s.GPU[len(s.GPU)/2], s.GPU[len(s.GPU)-1]})
	return tegra.NewSpace(cores, cpu, gpu, ends(s.EMC))
}

// sweepOf returns a workload in every profiled mode: measured if Sweeps has the file, otherwise simulated on a virtual
// board. A place is BOARD/WORKLOAD or BOARD/WORKLOAD@BATCH.
func (l *lab) sweepOf(place string) (*measuredSweep, error) {
	s, ok := l.sweeps[place]
	if !ok {
		var err error
		if s, err = l.readSweep(place); err == nil && s == nil {
			s, err = l.simulate(place)
		}
		if err != nil {
			return nil, err
		}
		l.sweeps[place] = s
	}
	l.used[place] = true
	l.simulated = l.simulated || s.simulated
	return s, nil
}

// readSweep returns nil if there is no file.
func (l *lab) readSweep(place string) (*measuredSweep, error) {
	if l.Sweeps == "" {
		return nil, nil
	}
	path := filepath.Join(l.Sweeps, SweepFile(place))
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, nil
	}
	table, err := sweep.ReadFile(path, sweep.Options{})
	if err != nil {
		return nil, err
	}
	if len(table.Batches()) > 1 {
		return nil, fmt.Errorf("%s: has %d batch sizes; give a file of one", path, len(table.Batches()))
	}
	return &measuredSweep{place: place, measured: table.Measured()}, nil
}

func (l *lab) simulate(place string) (*measuredSweep, error) {
	name, job, _ := strings.Cut(place, "/")
	job, size, sized := strings.Cut(job, "@")
	b, _, err := l.board(name)
	if err != nil {
		return nil, err
	}
	w, ok := physics.Find(job)
	if !ok {
		return nil, fmt.Errorf("no workload %q", job)
	}
	if sized {
		n, err := strconv.Atoi(size)
		if err != nil {
			return nil, err
		}
		w = w.Sized(n)
	}
	modes, err := l.profiled(name)
	if err != nil {
		return nil, err
	}
	s := &measuredSweep{place: place, simulated: true}
	for _, m := range modes {
		steps, err := b.Steady(w, m, false)
		if err != nil {
			return nil, err
		}
		s.measured = append(s.measured, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: steps.TimeMS,
			PowerW: steps.Power.Total()})
	}
	return s, nil
}

// reference returns the networks of a workload, learned from at most that many of its modes; 0: all.
func (l *lab) reference(place string, most int) (*learn.Reference, error) {
	key := fmt.Sprint(place, " ", most)
	if r, ok := l.references[key]; ok {
		_, err := l.sweepOf(place) // record its use here too
		return r, err
	}
	s, err := l.sweepOf(place)
	if err != nil {
		return nil, err
	}
	learned := s.measured
	if l.Quick && most == 0 {
		most = quickModes
	}
	if most > 0 && most < len(learned) {
		learned = thinned(learned, most, l.Seed)
	}
	pair, err := nn.TrainPair(l.ctx, nn.Medians(learned), l.referenceConfig())
	if err != nil {
		return nil, err
	}
	r := &learn.Reference{Name: title(place), Samples: s.measured, Networks: &pair}
	l.references[key] = r
	return r, nil
}

// thinned returns n random rows.
func thinned(rows []tegra.Measured, n int, seed uint64) (out []tegra.Measured) {
	for _, i := range rand.New(rand.NewPCG(seed, 0x7265)).Perm(len(rows))[:n] {
		out = append(out, rows[i])
	}
	return out
}

// seeds returns how many samples of modes are drawn for a method on a place; none for a method that does not learn.
func (l *lab) seeds(method, place string) (n int) {
	switch job := jobOf(place); {
	case method == bench.Maxn || method == bench.Presets:
		return 0
	case l.Quick:
		n = quickSamples
	case job == "lstm" || job == "bert":
		n = unseen
	default:
		n = samples
	}
	if l.drawn == 0 || n < l.drawn {
		l.drawn = n
	}
	return n
}

// score returns a method's row on a sweep after learning from `size` modes. "none" means no reference.
func (l *lab) score(method string, size int, place, reference string) (score.Row, error) {
	s, err := l.sweepOf(place)
	if err != nil {
		return score.Row{}, err
	}
	var r *learn.Reference
	if reference != "none" {
		if r, err = l.reference(reference, 0); err != nil {
			return score.Row{}, err
		}
	}
	seeds := l.seeds(method, place)
	key := fmt.Sprint(method, " ", size, " ", place, " ", reference)
	if row, ok := l.rows[key]; ok {
		return row, nil
	}
	o := bench.Options{Truth: s.measured, Name: title(place), Reference: r, Methods: []string{method},
		Sizes: []int{max(1, size)}, Seeds: max(1, seeds), BudgetFrom: leastW, BudgetTo: mostW, BudgetStep: 1,
		Seed: l.Seed, Scratch: l.scratchConfig(),
		Workers: runtime.GOMAXPROCS(0)}
	board := boardOf(place)
	if board != "agx-orin" { // PowerTrain's limits apply to an AGX Orin
		o.BudgetFrom, o.BudgetTo, o.BudgetStep = 0, 0, 0
	}
	if method == bench.Presets {
		_, d, err := l.board(board)
		if err != nil {
			return score.Row{}, err
		}
		o.Presets = d.Presets()
	}
	report, err := bench.Evaluate(l.ctx, o)
	if err != nil {
		return score.Row{}, err
	}
	l.rows[key] = report.Rows[0]
	return report.Rows[0], nil
}

// Power limits of PowerTrain's choices, in watts, in steps of one.
const (
	leastW = 17
	mostW  = 50
)

func boardOf(place string) string {
	board, _, _ := strings.Cut(place, "/")
	return board
}

// jobOf returns the workload of a place, without its batch size.
func jobOf(place string) string {
	_, job, _ := strings.Cut(place, "/")
	job, _, _ = strings.Cut(job, "@")
	return job
}
