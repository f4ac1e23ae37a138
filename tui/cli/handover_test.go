package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

// searchedOnce is a data directory with one search, made once, and what the search printed.
var searchedOnce struct {
	sync.Once
	dir string
	outcome
}

// measured returns a copy of a data directory with one search, and what the search printed.
func measured(t *testing.T) (data string, o outcome) {
	t.Helper()
	once := &searchedOnce
	once.Do(func() {
		once.dir = filepath.Join(os.Getenv("XDG_DATA_HOME"), "searched") // removed at the end of all tests
		tune := with(smallBoard, "tune", "mobilenet", "--power-limit", "10", "--data-dir", once.dir)
		once.outcome = jtune(t, tune...)
	})
	data = filepath.Join(t.TempDir(), "data")
	must.NoError(t, os.CopyFS(data, os.DirFS(once.dir)))
	return data, once.done(t)
}

// searched returns a data directory with a search and a soak of its answer.
func searched(t *testing.T) (data string, found string) {
	t.Helper()
	data, o := measured(t)
	found, _, _ = strings.Cut(o.out, " ")
	jtune(t, with(smallBoard, "soak", "mobilenet", "--mode", found, "--for", "20m", "--data-dir", data)...).done(t)
	return data, found
}

func TestReportOfASearch(t *testing.T) {
	t.Parallel()
	data, found := searched(t)
	file := filepath.Join(t.TempDir(), "page.html")
	o := jtune(t, with(smallBoard, "report", "--data-dir", data, "--out", file)...).done(t)
	must.Contain(t, o.err, "mobilenet on Orin Nano")
	text := must.Read(t, file)
	page := string(text)
	must.Contain(t, page, "SIMULATED: a virtual board", found, "It holds: held for 20 min", "● measured", "<svg ",
		"jtune apply "+found, "the soak: mobilenet", "All modes, and what was measured", "slower than")
	must.Lack(t, page, "<script", "src=", "href=", "http:", "https:", "url(")
	if len(page) > 400_000 {
		t.Errorf("%d bytes", len(page))
	}
	inBrowser(t, page)
	md := jtune(t, with(smallBoard, "report", "--data-dir", data, "--md", "--out", "-")...).done(t)
	if !strings.HasPrefix(md.out, "# SIMULATED") || !strings.Contains(md.out, "| the answer | "+found) {
		t.Errorf("as Markdown:\n%s", md.out)
	}
}

// probe opens the report in a frame of a given width and records its layout, what it loaded, and whether the figures'
// text, 12 units high, has at least 11 pixels.
const probe = `<!doctype html><body><iframe id="f" src="/page.html" style="border:0;width:%dpx;height:900px"></iframe>
<script>document.getElementById("f").onload=function(){var w=this.contentWindow,d=w.document;
document.body.dataset.found="wide "+(d.documentElement.scrollWidth>%d)+", loads "+
w.performance.getEntriesByType("resource").length+", figures "+d.querySelectorAll("svg").length+
", readable "+[...d.querySelectorAll("svg")].every(s=>12*s.clientWidth/s.viewBox.baseVal.width>=11)+
", paper "+w.getComputedStyle(d.body).backgroundColor}</script>`

// inBrowser checks a page in a browser, at the widths of a phone and a desktop, with light and dark colours.
func inBrowser(t *testing.T, page string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Log("no chromium: the page was not looked at")
		return
	}
	for _, width := range []int{390, 1280} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			switch r.URL.Path {
			case "/page.html":
				fmt.Fprint(w, page)
			case "/":
				fmt.Fprintf(w, probe, width, width)
			default:
				must.Equal(t, r.URL.Path, "/favicon.ico")
				http.NotFound(w, r)
			}
		}))
		for scheme, paper := range map[string]string{"1": "rgb(255, 255, 255)", "0": "rgb(13, 17, 23)"} {
			out, err := exec.CommandContext(t.Context(), browser, "--headless=new", "--no-sandbox", "--disable-gpu",
				"--user-data-dir="+t.TempDir(), "--disable-background-networking", "--virtual-time-budget=3000",
				"--blink-settings=preferredColorScheme="+scheme, "--window-size=1400,1000", "--dump-dom",
				server.URL+"/").Output()
			if err != nil {
				t.Logf("chromium does not run here: %v", err)
				continue
			}
			want := `data-found="wide false, loads 0, figures 2, readable true, paper ` + paper
			if !strings.Contains(string(out), want) {
				_, found, _ := strings.Cut(string(out), "data-found")
				t.Errorf("at %d px, scheme %s: got %.100s, want %s", width, scheme, found, want)
			}
		}
		server.Close()
	}
}

const verifyKeys = "holds verdict drift mode limit n time_ms power_w time_pct power_pct margin_tj_c throttled since " +
	"virtual"

// verification returns the document of verify, whose exit code it must explain.
func (o outcome) verification(t *testing.T) map[string]any {
	t.Helper()
	v := (outcome{out: o.out}).object(t, verifyKeys)
	verdict, want := v["verdict"], exitOK
	switch {
	case verdict == "over" || v["drift"] == true || v["throttled"] == true:
		want = exitInfeasible
	case verdict == "at the limit":
		want = exitFailed
	}
	if o.code != want || v["holds"] != (want == exitOK) || v["virtual"] != true {
		t.Errorf("exit code %d, want %d: %v\n%s", o.code, want, v, o.err)
	}
	return v
}

// A mode that is throttled by heat does not hold, whatever its time and power; a cool one names its margin.
func TestVerifyOfAModeThatThrottles(t *testing.T) {
	t.Parallel()
	data, _ := measured(t)
	on := func(args ...string) outcome { return jtune(t, with(with(smallBoard, args...), "--data-dir", data)...) }
	cool := on("verify", "--json").verification(t)
	if margin, _ := cool["margin_tj_c"].(float64); cool["throttled"] != false || margin < 10 || margin > 80 {
		t.Errorf("%v", cool)
	}
	if said := on("verify").out; !strings.Contains(said, "below its trip point") || !regexp.MustCompile(
		`^\d+c/\S+ (within|at the limit|over).*\n[\d.]+ ms and [\d.]+ W now`).MatchString(said) {
		t.Error(said)
	}
	hot := on("verify", "--json", "--ambient", "85", "--fault", "fan")
	must.Equal(t, hot.verification(t)["throttled"], true, hot.code, hot.err)
}

func TestVerifyMeasuresAnAnswerAgain(t *testing.T) {
	t.Parallel()
	jtune(t, with(smallBoard, "verify")...).fails(t, exitFailed, "no search on this board has an answer")
	data, _ := measured(t)
	v := jtune(t, with(smallBoard, "verify", "--json", "--data-dir", data)...).verification(t)
	if limit, _ := v["limit"].(map[string]any); limit["value_w"] != 10.0 || v["verdict"] == nil {
		t.Errorf("%v", v)
	}
	for limit, verdict := range map[string]any{"13 W": "within", "6 W": "over", "1 ms": "over"} {
		v := jtune(t, with(smallBoard, "verify", "--limit", limit, "--json", "--data-dir", data)...).verification(t)
		must.Equal(t, v["verdict"], verdict, limit)
	}
	list := jtune(t, with(smallBoard, "campaigns", "--data-dir", data)...).done(t).out
	for _, state := range []string{`verify\S* +.* verification: within +.* finished`,
		`verify\S* +.* verification: over +.* finished`, `tune +.* ms, (within|at the limit) +.* finished`} {
		if !regexp.MustCompile(state).MatchString(list) {
			t.Errorf("the list shows no %s:\n%s", state, list)
		}
	}
	jtune(t, with(smallBoard, "verify", "--limit", "p99 5 ms", "--data-dir", data)...).fails(t, exitUsage, "--limit")
	jtune(t, with(smallBoard, "tune", "mobilenet", "--power-limit", "4", "--data-dir", data)...).
		fails(t, exitInfeasible, "no power mode meets the limit")
	later := jtune(t, with(smallBoard, "verify", "--json", "--data-dir", data)...).verification(t)
	must.Equal(t, later["mode"], v["mode"])
	jtune(t, with(smallBoard, "verify", "nothing", "--data-dir", data)...).fails(t, exitFailed, "no campaign nothing")
}

// verify measures the last kept answer with its job: also at a batch size, under a load, or of a command.
func TestVerifyTakesTheKeptAnswerAndItsJob(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	on := func(args ...string) []string { return with(smallBoard, with(args, "--data-dir", data)...) }
	verified := func(args ...string) map[string]any {
		t.Helper()
		return jtune(t, on(with([]string{"verify", "--json"}, args...)...)...).verification(t)
	}
	first := jtune(t, on("tune", "resnet18", "--power-limit", "8", "--probes", "8", "--json")...).done(t).
		object(t, answerKeys)
	second := jtune(t, on("tune", "resnet18", "--power-limit", "12", "--probes", "8", "--json")...).done(t).
		object(t, answerKeys)
	must.Equal(t, verified()["mode"], second["mode"])
	m := modeOf(t, first["mode"])
	jtune(t, on("apply", fmt.Sprintf("%dc/%.2fC/%.2fG/%.2fM", m.Cores, m.CPU.GHz(), m.GPU.GHz(), m.EMC.GHz()),
		"--yes")...).done(t)
	must.Equal(t, verified()["mode"], first["mode"])
	jtune(t, on("tune", "mobilenet", "--batch", "8,16", "--power-limit", "10", "--probes", "8")...).done(t)
	verified(searchOf(t, data, "mobilenet-tune"))
	jtune(t, on("tune", "mobilenet-infer", "--rate", "20", "--latency", "150", "--power-limit", "12")...).done(t)
	loaded := searchOf(t, data, "mobilenet-infer-tune")
	verified(loaded)
	// a limit that it no longer keeps
	path := filepath.Join(loaded, "campaign.toml")
	edit(t, path, func(text string) string {
		return regexp.MustCompile(`(?m)^(\s*latency_ms = ).*$`).ReplaceAllString(text, "${1}5.0")
	})
	late := jtune(t, on("verify", loaded, "--json")...)
	must.Equal(t, late.verification(t)["verdict"], "over")
}

// searchOf returns the newest campaign folder with this ending.
func searchOf(t testing.TB, data, ending string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(data, "campaigns", "*-"+ending))
	if err != nil || len(all) == 0 {
		t.Fatalf("no campaign *-%s: %v", ending, err)
	}
	return all[len(all)-1]
}

func TestReportRefusesInOneLine(t *testing.T) {
	t.Parallel()
	jtune(t, "report").fails(t, exitFailed, "no search yet")
	data, _ := measured(t)
	jtune(t, "report", "nothing", "--data-dir", data).fails(t, exitFailed, "no campaign nothing")
	jtune(t, "report", "a", "b").fails(t, exitUsage, "")
	other := jtune(t, with(smallBoard, "verify", searchOf(t, data, "tune"), "--data-dir", data, "--", "true")...)
	other.fails(t, exitUsage, "give the same command")
	for file, says := range map[string]string{"kept = 5": "kept.toml",
		"[[kept]]\nboard = \"Orin Nano\"\nvirtual = true\nmode = \"\u001b[31m,,\"\n": "kept.toml"} {
		must.NoError(t, os.WriteFile(filepath.Join(data, "kept.toml"), []byte(file), 0o644))
		jtune(t, with(smallBoard, "verify", "--data-dir", data)...).fails(t, exitFailed, says)
	}
	must.NoError(t, os.Remove(filepath.Join(data, "kept.toml")))
	jtune(t, "verify", "--device", "virtual:nano", "--speed", "max", "--data-dir", data).fails(t, exitFailed,
		"no search on this board has an answer yet")
}
