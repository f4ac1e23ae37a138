package cli

import (
	"github.com/spf13/pflag"

	"jtune/learn"
	"jtune/profiles"
	"jtune/tui/session"
)

// What commands have in common: an open device, a job on it, and flags that
// mean the same wherever they stand.

// onDevice opens the device, tells what there is to tell of it, and calls f. The
// device is closed whatever comes of that.
func (a *app) onDevice(f func(*session.Session) error) error {
	s, err := a.session()
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

// withJob is onDevice for a command that runs a workload.
func (a *app) withJob(workload string, f func(*session.Session, profiles.Workload) error) error {
	return a.onDevice(func(s *session.Session) error {
		w, err := s.Workload(workload)
		if err != nil {
			return err
		}
		return f(s, w)
	})
}

// withSizedJob is withJob for a command that may choose among minibatch sizes.
func (a *app) withSizedJob(workload string, f func(*session.Session, profiles.Workload, []int) error) error {
	return a.onDevice(func(s *session.Session) error {
		w, sizes, err := s.SizedWorkload(workload)
		if err != nil {
			return err
		}
		return f(s, w, sizes)
	})
}

// jsonFlag adds --json to a command that answers with one document.
func jsonFlag(f *pflag.FlagSet, asJSON *bool) { f.BoolVar(asJSON, "json", false, "as JSON") }

// jsonListFlag adds --json to a command that answers with a list.
func jsonListFlag(f *pflag.FlagSet, asJSON *bool) {
	f.BoolVar(asJSON, "json", false, "as a JSON array")
}

// perModeFlag adds --minibatches to a command that measures modes.
func perModeFlag(f *pflag.FlagSet, n *int) {
	f.IntVar(n, "minibatches", 0, "clean minibatches per mode (default 40)")
}

// referenceFlag adds --reference to a command that may lean on one.
func referenceFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "reference", "", "`FILE`, name of a kept model or campaign, "+learn.ShippedName+" (shipped), or none (default: the shipped one on its kind of board)")
}

// modelFlag adds --model.
func modelFlag(f *pflag.FlagSet, name *string, more string) {
	f.StringVar(name, "model", "", "model `FILE`, or the name of a kept one"+more)
}

// goalFlags adds what choose and tune both can be asked for.
func (l *limitFlags) goalFlags(f *pflag.FlagSet) {
	f.Float64Var(&l.power, "power-limit", 0, "fastest mode that draws at most `W` watts; of several minibatch sizes the most samples per second")
	f.Float64Var(&l.time, "time-limit", 0, "mode of least power that needs at most `MS` milliseconds per minibatch; with --power-limit and several sizes: the limit on the latency")
	f.BoolVar(&l.energy, "energy", false, "mode of least energy per minibatch; of several sizes, per sample")
}
