package modes

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
)

// noBoot returns why the present mode cannot become the boot mode, or "". On a virtual board the plan is only shown.
func (p *Page) noBoot() string {
	done := p.read.Applied()
	switch why := p.read.MayWrite(); {
	case why != "":
		return why
	case done.Unkept():
		return "keep the mode first"
	case !p.bootMode().OK:
		return "the board is in no mode; apply one"
	}
	return ""
}

// bootMode returns the kept mode, otherwise the present one.
func (p *Page) bootMode() tegra.Val[tegra.Mode] {
	if done := p.read.Applied(); done.Kept {
		return done.Mode
	}
	return p.read.Present()
}

// planBoot prepares the boot unit of bootMode.
func (p *Page) planBoot() page.Intent {
	locked := p.read.Locked()
	free := locked.OK && !locked.V
	if done := p.read.Applied(); done.Kept {
		free = done.Free
	}
	return page.PlanBoot{Mode: p.bootMode().V, Free: free}
}

// openBoot shows the plan.
func (p *Page) openBoot(msg page.BootPlanned) page.Intent {
	if msg.Unit == nil || msg.Unit.Text == "" {
		return page.Fail{What: "at boot", Err: msg.Err}
	}
	p.boot = &bootDialog{read: p.read, mode: msg.Mode, unit: msg.Unit}
	switch {
	case errors.Is(msg.Err, tegra.ErrUnsupported):
		p.boot.cannot = "a virtual board has no boot: on a Jetson this would be written"
	case msg.Err != nil:
		p.boot.cannot = page.Words(msg.Err.Error())
	}
	return nil
}

// noBlock returns why a mode cannot be written for nvpmodel, or "".
func (p *Page) noBlock() string {
	if _, can := p.read.Block(); !can {
		return "not for this board"
	}
	return ""
}

// writeBlock exports the chosen mode for the vendor's nvpmodel.conf.
func (p *Page) writeBlock() page.Intent {
	m, ok := p.chosen()
	if !ok {
		return page.Say("nvpmodel block: no mode is chosen")
	}
	name := fmt.Sprintf("JTUNE_%dC_%.0f_%.0f_%.0f", m.Cores, m.CPU.MHz(), m.GPU.MHz(), m.EMC.MHz())
	write, _ := p.read.Block()
	return page.Run(func(context.Context) tea.Msg {
		text, err := write(m, name)
		return page.Then(func() page.Intent {
			if err != nil {
				return page.Fail{What: "nvpmodel block", Err: err}
			}
			return page.Export{Name: name, Files: []page.File{{Ending: "conf", Text: text}}}
		})
	})
}
