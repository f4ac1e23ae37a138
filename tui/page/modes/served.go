package modes

import (
	"jtune/profiles/workload"
	"jtune/tui/page"
)

// job returns the workload that the modes are listed for; its name is "" if there is none.
func (p *Page) job() workload.Workload { return page.Job(p.read) }

// loadText describes the load for the title; "" if there is none.
func (p *Page) loadText() string {
	switch {
	case p.served != nil:
		return ", " + p.served.Title()
	case p.read.Goal().Load.Any():
		return ", working out the load …"
	}
	return ""
}
