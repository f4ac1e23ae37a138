package workloads

import (
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
)

func TestUptimeOfABoardThatRunsForLongRemindsOfAReboot(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"900.5 100.0": false, "3600 1": false, "86400.0 1.0": true, "": false} {
		tree := tegratest.NewAGXOrin35()
		tree.Set("/proc/uptime", text)
		s := open(t, session.Options{Sysroot: tree.Write(t)})
		must.Equal(t, strings.HasPrefix(UptimeNote(s), "reminder: the board has been up for 24 h"), want, text)
	}
}

// YOLO's loader processes are none where PyTorch has the fault, JetPack 5, and four elsewhere: on JetPack 4 and 6, and
// on virtual boards of theirs.
func TestWorkloadYOLOLoadsAloneOnAffectedBoards(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]int{tegratest.AGXOrin35(t): 0, tegratest.New("agx-orin-36").Write(t): 4} {
		w, err := Find(open(t, session.Options{Sysroot: dir}), "yolov8n")
		if err != nil || w.Workers != want || (LoaderNote(w) != "") != (want == 0) {
			t.Errorf("%d workers, %q, %v; want %d", w.Workers, LoaderNote(w), err, want)
		}
	}
	for board, want := range map[string]int{"agx-orin": 0, "agx-xavier": 4, "nano": 4} {
		w, err := Find(open(t, session.Options{Device: "virtual:" + board, Speed: math.Inf(1)}), "yolov8n")
		if err != nil || w.Workers != want || (LoaderNote(w) != "") != (want == 0) {
			t.Errorf("%s: %d workers, %q, %v; want %d", board, w.Workers, LoaderNote(w), err, want)
		}
	}
}
