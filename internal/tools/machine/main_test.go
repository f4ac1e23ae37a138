package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// Parts that do not need the arm64 emulator run without it.
func TestPartMissingAsksForItsOwnProgramsAlone(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("every part takes root")
	}
	for _, p := range parts {
		why := p.missing(func(program string) (string, error) {
			if program == "qemu-system-aarch64" {
				return "", errors.New("not there")
			}
			return program, nil
		})
		if skipped := strings.HasPrefix(why, "no qemu-system-aarch64: "); skipped != (p.name == "arm64") {
			t.Errorf("%s: %q", p.name, why)
		}
	}
}
