package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"jtune/tegra"
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
	begun := time.Now()
	var last tegra.Reading
	for range overheadReads {
		var err error
		if last, err = s.Device.Read(); err != nil {
			return err
		}
	}
	each := time.Since(begun) / overheadReads
	for _, m := range last.Missing {
		fmt.Fprintf(a.out, "no value now: %s: %s\n", m.Name, m.Why)
	}
	fmt.Fprintf(a.out, "\n%d sources, %d missing\nsetting modes: %s\none reading takes %s: once a second that is %.3f %% of a core\n",
		len(rows)-1, missing, rights(s).How, each.Round(time.Microsecond), 100*each.Seconds())
	return nil
}
