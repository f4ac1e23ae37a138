package harness

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/virtual"
)

func TestAlongsideRunsWhileAVirtualBoardDrawsItsPower(t *testing.T) {
	t.Parallel()
	b := must.Get(virtual.New(virtual.Options{Name: "agx-orin", Seed: 1}))(t)
	o := ExecOptions{Command: []string{"sh", "-c", three + "sleep 60"}, Clock: b.Clock()}
	begin := func() (Harness, error) { return Exec(t.Context(), o) }
	h := must.Get(Alongside(b, "lenet5", 16, false, begin))(t)
	if e, err := h.Next(t.Context()); err != nil || e.TimeMS != 5 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := b.NextMinibatch(t.Context()); err != nil {
		t.Errorf("the board does not play the workload: %v", err)
	}
	must.NoError(t, h.Stop(t.Context()))
	if _, err := b.NextMinibatch(t.Context()); err == nil {
		t.Error("the board plays on after Stop")
	}
	if _, err := Alongside(b, "lenet5", 16, false, func() (Harness, error) {
		return Exec(t.Context(), ExecOptions{Command: []string{"/no/such/program"}})
	}); err == nil {
		t.Error("no error for a command that is not there")
	}
	if _, err := b.NextMinibatch(t.Context()); err == nil {
		t.Error("the board plays though the job never started")
	}
	b.Clock().SetSpeed(60)
	if _, err := Alongside(b, "lenet5", 16, false, begin); err == nil ||
		!strings.Contains(err.Error(), "“speed” 1") {
		t.Errorf("at speed 60: %v", err)
	}
}
