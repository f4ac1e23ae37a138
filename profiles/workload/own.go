package workload

import (
	"errors"
	"fmt"
)

// Own is a workload of the user with a command and nothing else.
func Own(name string, command []string) Workload {
	w := unset()
	w.Name, w.Title, w.Command, w.Own = name, name, command, true
	return w
}

// Check returns an error for the first bad value of a workload.
func (w Workload) Check() error {
	for _, bad := range w.faults() {
		if bad.key == "" {
			return errors.New(bad.why)
		}
		return fmt.Errorf("%s: %s", bad.key, bad.why)
	}
	return nil
}
