package bench

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

const runsHeader = "No_powermodes,RunNo,Val_MAPE_time,Val_MAPE_power,Sampled_powermodes\n"

func TestReadAuthors(t *testing.T) {
	t.Parallel()
	a := must.Get(ReadAuthors("NN.csv", strings.NewReader(runsHeader+
		"2,0,0.25,0.05,\"['4_1344000_930750000_2133000000', '2_268800_114750000_204000000']\"\n"+
		"1,1,0.5,0.125,['12_2201600_1300500000_3199000000']\n")))(t)
	first := a.Runs[0]
	want := tegra.Mode{Cores: 4, CPU: 1344 * tegra.MHz, GPU: 930750 * tegra.KHz, EMC: 2133 * tegra.MHz}
	if len(a.Runs) != 2 || len(first.Modes) != 2 || first.Modes[0] != want || first.TimeMAPEPct != 25 ||
		first.PowerMAPEPct != 5 {
		t.Errorf("got %+v", a)
	}
	if got := fmt.Sprint(a.Sizes(), len(a.Of(2)), len(a.Of(7))); got != "[1 2] 1 0" {
		t.Errorf("sizes: got %s", got)
	}
}

func TestReadAuthorsRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  "",
		"a header alone":           runsHeader,
		"a sweep":                  "cores,cpu,gpu,mem\n2,268800,114750000,204000000\n",
		"an error that is no NaN":  runsHeader + "1,0,nan,0.1,['2_268800_114750000_204000000']\n",
		"an error below zero":      runsHeader + "1,0,-0.1,0.1,['2_268800_114750000_204000000']\n",
		"a mode of three knobs":    runsHeader + "1,0,0.1,0.1,['2_268800_114750000']\n",
		"a mode with a word":       runsHeader + "1,0,0.1,0.1,['2_268800_fast_204000000']\n",
		"a mode of zero cores":     runsHeader + "1,0,0.1,0.1,['0_268800_114750000_204000000']\n",
		"a frequency out of range": runsHeader + "1,0,0.1,0.1,['2_9223372036854775807_114750000_204000000']\n",
		"no modes":                 runsHeader + "0,0,0.1,0.1,[]\n",
		"half a row":               runsHeader + "1,0,0.1\n",
	} {
		if a, err := ReadAuthors("file.csv", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), "file.csv") {
			t.Errorf("%s: got %+v, %v; want an error that names the file", name, a, err)
		}
	}
}

func FuzzReadAuthors(f *testing.F) {
	f.Add(runsHeader + "1,0,0.5,0.125,['12_2201600_1300500000_3199000000']\n")
	f.Add("a,b\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		a, err := ReadAuthors("x", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range a.Runs {
			if len(r.Modes) == 0 || !(r.TimeMAPEPct >= 0) || r.Modes[0].CPU <= 0 {
				t.Fatalf("accepted %+v", r)
			}
		}
	})
}
