package fleet

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jtune/internal/text"
)

// Shell scripts run on the board with the file on standard input: a temporary folder, removed at the end, then the
// program or the package.
const (
	temporary = `t=$(mktemp -d) && trap 'rm -rf "$t"' EXIT && `
	program   = `cat > "$t/jtune" && chmod 755 "$t/jtune" &&
{ "$t/jtune" version 2>/dev/null | grep -q '^jtune ' || { echo "the file is not a jtune for this machine" >&2; exit 1; }; } &&
mkdir -p "$HOME/.local/bin" && mv -f "$t/jtune" "$HOME/.local/bin/jtune" && "$HOME/.local/bin/jtune" version`
	debian = `chmod 755 "$t" && cat > "$t/jtune.deb" &&
sudo -n apt-get install -y --allow-downgrades -o DPkg::Lock::Timeout=120 "$t/jtune.deb" >/dev/null &&
/usr/bin/jtune version`
)

// installTime limits an installation: apt may wait for another apt and download dependencies.
const installTime = 30 * time.Minute

// Install copies a package or the program itself to a board, installs it, and returns the version that answers there. A
// package needs sudo without a password; the program is installed to ~/.local/bin.
func Install(ctx context.Context, b Board, file string, line func(string)) Result {
	f, err := os.Open(file)
	if err != nil {
		return Result{Board: b, Code: 1, Err: err}
	}
	defer f.Close()
	shell := temporary + program
	if filepath.Ext(file) == ".deb" {
		shell = temporary + debian
	}
	r := b.Do(ctx, Call{Shell: shell, In: io.Reader(f), Line: line, Within: installTime})
	if r.Err != nil {
		r.Err = fmt.Errorf("not installed: %w", r.Err)
		return r
	}
	r.Out = text.OneLine(strings.TrimSpace(r.Out))
	return r
}
