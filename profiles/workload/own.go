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
	list := w.faults()
	switch {
	case len(list) == 0:
		return nil
	case list[0].key == "":
		return errors.New(list[0].why)
	}
	return fmt.Errorf("%s: %s", list[0].key, list[0].why)
}
