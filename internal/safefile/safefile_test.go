package safefile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWriteANewFileMadeThroughSudoBelongsToTheCallerAndAnOldOneToWhoOwnedIt(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("takes root to give files away")
	}
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := os.WriteFile(old, []byte("a longer text"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SUDO_UID", "65534")
	t.Setenv("SUDO_GID", "65533")
	for path, want := range map[string]uint32{old: 0, fresh: 65534} {
		if err := Write(path, []byte("text")); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Sys().(*syscall.Stat_t).Uid; got != want {
			t.Errorf("%s belongs to %d, want %d", path, got, want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "text" {
			t.Errorf("%s holds %q, %v", path, text, err)
		}
	}
}
