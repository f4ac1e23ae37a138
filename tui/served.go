package tui

import (
	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/tui/page"
	"jtune/tui/session"
)

// servedMsg brings what modes do under a load.
type servedMsg struct {
	of     servedOf
	served *session.Served
	err    error
}

// servedOf is what that was worked out for.
type servedOf struct {
	view  *session.Outlook
	limit optimize.Limit
	load  session.Serving
}

// serve works out what the modes that show do under the load, where there is one and they are of inference.
func (sh *shared) serve() tea.Cmd {
	load, loaded := page.ReaderOf(&sh.State).Load()
	if !loaded {
		sh.Served, sh.serving = nil, servedOf{}
		return nil
	}
	of := servedOf{sh.Outlook, sh.Limit, load}
	if of == sh.serving {
		return nil
	}
	sh.serving = of
	before, seed := sh.Served, sh.seed
	return sh.computed(func() tea.Msg {
		ask, err := load.Ask(of.limit, seed)
		if err != nil {
			return servedMsg{of: of, err: err}
		}
		served, err := of.view.ServedUnder(ask, before)
		return servedMsg{of, served, err}
	})
}

// foldServed shows it.
func (r *root) foldServed(m servedMsg) tea.Cmd {
	sh := r.sh
	if m.of != sh.serving {
		return nil
	}
	sh.Served, sh.LoadErr = m.served, m.err
	sh.fail("the load", m.err)
	return r.broadcast(page.ServedShown{})
}

// chooseBy takes other limits, under a load or without.
func (r *root) chooseBy(a session.Asked) tea.Cmd {
	sh := r.sh
	sh.Limit, sh.Load, sh.LoadErr = a.Limit, a.Serving, nil
	return tea.Batch(sh.serve(), r.broadcast(page.LimitSet{}))
}
