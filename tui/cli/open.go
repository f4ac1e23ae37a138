package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// open is jtune without a command: on a terminal the full-screen tuner, else
// one reading as text.
func (a *app) open(cmd *cobra.Command) error {
	s, err := a.session()
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Device.Read()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, readingLine(s.Device.Board(), r))
	a.note("this is no terminal: one reading. See jtune watch, tune, profile, apply; jtune help lists all commands")
	return nil
}
