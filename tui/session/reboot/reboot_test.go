package reboot

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
)

// The shutdown may kill systemctl before it ends: that is no failure, after which the preset would be taken back.
func TestRestartThatIsKilledByTheShutdownHasNotFailed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir) // nothing else is found
	for script, fails := range map[string]bool{"kill -TERM $$": false, "exit 0": false, "exit 1": true} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, "systemctl"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		must.Equal(t, restart("/") != nil, fails, script)
	}
}
