package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"jtune/telemetry"
	"jtune/tui/session"
)

// overheadReads is how many readings the doctor times.
const overheadReads = 20

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Tell every source of data that was tried, what is missing and why",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.session()
			if err != nil {
				return err
			}
			defer s.Close()
			return a.diagnose(s)
		},
	}
}

func (a *app) diagnose(s *session.Session) error {
	rows := [][]string{{"", "source", "path", ""}}
	missing := 0
	for _, p := range s.Sysfs().Probes() {
		mark := "ok"
		if !p.Found {
			mark = "missing"
			missing++
		}
		rows = append(rows, []string{mark, p.Name, p.Path, p.Why})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	self := telemetry.NewSelf()
	begun := time.Now()
	for range overheadReads {
		if _, err := s.Device.Read(); err != nil {
			return err
		}
	}
	each := time.Since(begun) / overheadReads
	fmt.Fprintf(a.out, "\n%d sources, %d missing\nsetting modes: %s\none reading takes %s; jtune used %s of a core while reading without a pause\n",
		len(rows)-1, missing, rights(s).How, each.Round(time.Microsecond), dash(self.CPUPct(), "%.0f %%"))
	return nil
}
