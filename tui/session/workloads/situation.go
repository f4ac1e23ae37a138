package workloads

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize/advice"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
)

// EpochMinibatches returns the minibatches per epoch of a model's workload: the given number, or the workload's.
func EpochMinibatches(m *learn.Model, list []workload.Workload, given int) (int, error) {
	if given > 0 {
		return given, nil
	}
	n := MinibatchesPerEpoch(m, list)
	if n == 0 {
		return 0, usage.PerEpoch.Errorf("the number of minibatches per epoch of this model's workload is unknown").
			Advise("give %s", usage.PerEpoch.Value())
	}
	return n, nil
}

// Situation returns what advice about a mode of a model is based on, without a device: presets and the present mode are
// those that its campaigns found. The model's workload is one of the list, or unknown.
func Situation(m *learn.Model, list []workload.Workload, mode tegra.Mode) advice.Situation {
	return advice.Situation{Mode: mode, Minibatches: Minibatches(m, list), Presets: m.Provenance.Presets,
		Present: m.Provenance.Found}
}

// Minibatches returns the minibatches of a full training of a model's workload at the model's batch size; 0 if unknown.
func Minibatches(m *learn.Model, list []workload.Workload) int {
	w := trained(m, list)
	return w.MinibatchesPerEpoch() * w.Epochs
}

// MinibatchesPerEpoch returns the minibatches per epoch of a model's training at the model's batch size; 0 if unknown.
func MinibatchesPerEpoch(m *learn.Model, list []workload.Workload) int {
	return trained(m, list).MinibatchesPerEpoch()
}

// trained returns the workload of a model's training at the model's batch size; empty if unknown. It is unknown for a
// replay: its name is a label, and its file may hold inference.
func trained(m *learn.Model, list []workload.Workload) workload.Workload {
	if m.Provenance.Replay != "" {
		return workload.Workload{}
	}
	w, err := workload.Find(list, m.Provenance.Workload)
	if err != nil || w.Infers() {
		return workload.Workload{}
	}
	return w.AtBatch(cmp.Or(m.Batch, m.Provenance.Batch))
}

// Simulation describes how a simulated board runs a workload.
type Simulation struct {
	Estimated bool   // not based on measurements of such a board
	Why       string // why it does not fit in the board's memory; "" if it fits
}

// Simulations returns the board of these options, the workloads as they run on it and, for a simulated board, how it
// simulates each of them, by name.
func Simulations(o session.Options, list []workload.Workload) (b tegra.Board, here []workload.Workload,
	of map[string]Simulation) {
	s, err := session.Open(o)
	if err != nil {
		return tegra.Board{}, list, nil
	}
	defer s.Close()
	of = map[string]Simulation{}
	for _, w := range list {
		here = append(here, loading(s, w))
		one := Simulation{Estimated: RunsAs(s, w) == Estimated}
		if s.Virtual != nil && !s.RunsOnHost(w) {
			if err := s.Virtual.Fits(w.Name, w.Batch); err != nil {
				one.Why = err.Error()
			}
		}
		of[w.Name] = one
	}
	return s.Device.Board(), here, of
}

// SettingsOf returns modes at the requested batch sizes, size by size, or at all that a model has; at a model's only
// size, whatever is requested. notes are for the user.
func SettingsOf(o session.Options, m *learn.Model, modes []tegra.Mode) (list []tegra.Setting, notes []string) {
	asked := o.Batches
	if len(m.Batches) == 1 {
		if asked != nil && !slices.Equal(asked, m.Batches) && !slices.Equal(asked, []int{m.Provenance.Batch}) {
			notes = []string{fmt.Sprintf("the model has a single batch size, from its samples: %s is ignored",
				usage.Batch)}
		}
		asked = nil
	}
	if asked == nil {
		asked = m.Batches
	}
	for _, b := range asked {
		if !slices.Contains(m.Batches, b) {
			how := "between measured ones"
			if b < m.Batches[0] || b > m.Batches[len(m.Batches)-1] {
				how = "beyond all measured ones, far from anything measured"
			}
			notes = append(notes, fmt.Sprintf("batch size %d was not measured, only %s: it is %s", b,
				text.JoinInts(m.Batches), how))
		}
		list = append(list, tegra.Settings(modes, []int{b})...)
	}
	return list, notes
}
