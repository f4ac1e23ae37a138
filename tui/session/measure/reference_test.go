package measure

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// A campaign that is the reference is compared by its board and software, as a model is.
func TestReferenceOfACampaignIsComparedByBoardAndSoftware(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w, err := workloads.Find(s, "lenet5")
	must.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "c")
	r := ProfileRequest{Measuring: Measuring{Workload: w, Dir: dir}, Sample: 3}
	_, err = Profile(t.Context(), s, r, nil)
	must.NoError(t, err)
	ref := must.Get(models.LoadReference(dir))(t)
	if from := ref.Provenance; !strings.Contains(from.Software, "L4T 35.1") || from.Device == "" || !from.Virtual {
		t.Errorf("the reference has %+v", from)
	}
}
