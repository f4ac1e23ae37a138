package tegrastats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"jtune/tegra"
)

// sample is a record of an Orin Nano in which every number follows from n.
func sample(stamp string, n int) string {
	if stamp != "" {
		stamp += " "
	}
	return stamp + fmt.Sprintf("RAM %d/7620MB (lfb 2x4MB) SWAP 0/3810MB (cached 1MB) CPU [%d%%@1728,off] GR3D_FREQ "+
		"%d%%@[918] NVDEC off VIC 3%%@115 APE 174 cpu@%d.5C tj@50C VDD_IN %dmW/4000mW VDD_SOC 1451mW/1451mW",
		1000+n, n, n, n, 5000+n)
}

// Each form of a log has the records 1 to 4, a second apart.
func TestReaderFindsARecordWhereverItBegins(t *testing.T) {
	t.Parallel()
	date := func(n int) string { return fmt.Sprintf("07-22-2026 10:00:%02d", n) }
	each := func(f func(n int) string) string { return f(1) + f(2) + f(3) + f(4) }
	wrapped := func(n int, prefix string) string {
		words := strings.Fields(sample("", n))
		return prefix + strings.Join(words[:8], " ") + "\n" + prefix + strings.Join(words[8:12], " ") + "\n" + prefix +
			strings.Join(words[12:], " ") + "\n"
	}
	for name, c := range map[string]struct{ log, from string }{
		"lines with dates":    {each(func(n int) string { return sample(date(n), n) + "\n" }), FromTegrastats},
		"lines without dates": {each(func(n int) string { return sample("", n) + "\r\n" }), FromPosition},
		"UTC and monotonic": {each(func(n int) string {
			return fmt.Sprintf("2026-07-22T10:00:%02d.204Z 18446744%d ", n, n) + sample(date(n), n) + "\n"
		}), FromTegrastats},
		"UTC alone": {each(func(n int) string {
			return fmt.Sprintf("[2026-07-22 10:00:%02d,204+02:00] INFO ", n) + sample("", n) + "\n"
		}), FromPrefix},
		"journal": {each(func(n int) string {
			return fmt.Sprintf("Jul  2 10:00:%02d ORIN tegrastats[812]: ", n) + sample("", n) + "\n"
		}), FromPrefix},
		"unix time": {each(func(n int) string { return fmt.Sprintf("178471440%d.25 ", n) + sample("", n) + "\n" }),
			FromPrefix},
		"a German date": {each(func(n int) string {
			return fmt.Sprintf("01.12.2026 10:00:%02d ", n) + sample("", n) + "\n"
		}), FromPrefix},
		"a decimal comma": {each(func(n int) string { return strings.Replace(sample("", n), ".5C", ",5C", 1) + "\n" }),
			FromPosition},
		"kernel time": {each(func(n int) string { return fmt.Sprintf("[  12%d.204511] ", n) + sample("", n) + "\n" }),
			FromPrefix},
		"logfmt": {each(func(n int) string {
			return fmt.Sprintf("time=2026-07-22T10:00:%02dZ level=info msg=%q n=3\n", n, sample("", n))
		}), FromPrefix},
		"docker's JSON": {each(func(n int) string {
			return fmt.Sprintf(`{"log":"%s\n","stream":"stdout","time":"2026-07-22T10:00:%02d.5Z"}`, sample("", n), n) + "\n"
		}), FromPrefix},
		"docker compose": {each(func(n int) string {
			return "\x1b[36mjetson-1  |\x1b[0m " + sample(date(n), n) + "\n"
		}), FromTegrastats},
		"joined on one line": {"VDD_SOC 2079mW/1930mW " + each(func(n int) string { return sample(date(n), n) + " " }),
			FromTegrastats},
		"joined without dates": {each(func(n int) string { return sample("", n) + " " }), FromPosition},
		"over three lines":     {each(func(n int) string { return wrapped(n, "") }), FromPosition},
		"over three lines of a container": {each(func(n int) string { return wrapped(n, "jetson-1  | ") }),
			FromPosition},
		"between other lines": {each(func(n int) string { return "Epoch 3\n" + sample("", n) + "\n\nloss 0.5\n" }),
			FromPosition},
	} {
		records, reader := Records(c.log)
		if len(records) != 4 || len(reader.Unknown) > 0 {
			t.Errorf("%s: %d records, unknown %q", name, len(records), reader.Unknown)
			continue
		}
		var times Times
		for i, r := range records {
			n := i + 1
			whole := r.RAM != nil && r.RAM.UsedMB == 1000+n && *r.CPU[0].LoadPct == n && *r.GPU.LoadPct == n &&
				r.TempsC["cpu"] == float64(n)+0.5 && r.TotalPowerMW != nil && *r.TotalPowerMW == 5000+n &&
				len(r.Engines) == 3
			at, from := times.Of(&r)
			if !whole || at != time.Duration(i)*time.Second || from != c.from {
				t.Errorf("%s: record %d at %s by %s: %+v", name, n, at, from, r.Line)
			}
		}
		if len(times.Steps) > 0 {
			t.Errorf("%s: %q", name, times.Steps)
		}
	}
}

// Two lines that both lack their beginning are two records: no field comes twice in one.
func TestFieldsOfTwoRecordsAreNeverMixed(t *testing.T) {
	t.Parallel()
	half := func(n int) string { _, rest, _ := strings.Cut(sample("", n), ") CPU "); return rest + "\n" }
	records, _ := Records(sample("", 1) + "\n" + half(2) + half(3))
	if len(records) != 3 {
		t.Fatalf("%d records", len(records))
	}
	for i, r := range records {
		if n := i + 1; *r.CPU[0].LoadPct != n || *r.TotalPowerMW != 5000+n || (r.RAM != nil) != (i == 0) {
			t.Errorf("%d: %+v", n, r.Line)
		}
	}
}

func TestTimesCutTheLogAtAStepOfTheClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to string // dates of the second and the third record, in a log of two a second
		cuts     int
	}{
		"set from 1970":   {"01-01-1970 00:01:39", "10-02-2026 12:36:25", 1},
		"set back":        {"10-02-2026 12:36:25", "10-02-2026 12:19:20", 1},
		"set to summer":   {"03-29-2026 01:59:59", "03-29-2026 03:00:00", 1},
		"a pause":         {"10-02-2026 12:36:25", "10-02-2026 12:37:25", 0},
		"over a midnight": {"12-31-2026 23:59:59", "01-01-2027 00:00:00", 0},
	} {
		var log string
		for i, date := range []string{c.from, c.from, c.to, c.to} {
			log += sample(date, i) + "\n"
		}
		records, reader := Records(log)
		times, last := Times{Every: time.Second / 2}, time.Duration(-1)
		for _, r := range records {
			at, from := times.Of(&r)
			if at < last || from != FromTegrastats {
				t.Errorf("%s: %s after %s, by %s", name, at, last, from)
			}
			last = at
		}
		notes := strings.Join(Notes(reader, &times), "\n")
		said := strings.Contains(notes, "lines 2 and 3") && strings.Contains(notes, c.from) &&
			strings.Contains(notes, c.to)
		if len(times.Steps) != c.cuts || said != (c.cuts > 0) || c.cuts > 0 && last > time.Second {
			t.Errorf("%s: ends at %s with %q", name, last, notes)
		}
	}
}

func TestReaderDropsNothingSilently(t *testing.T) {
	t.Parallel()
	log := "RAM 1/2MB CPU [50@729,@730,?,off] GR3D_FREQ @[0,0,0] NPU7 busy x9@3V VDD_IN 4556mW VDD_SOC 7\n"
	records, reader := Records(log + log)
	if len(records) != 2 || strings.Join(reader.Unknown, " ") != "NPU7 x9" {
		t.Fatalf("%d records, unknown %q", len(records), reader.Unknown)
	}
	l := records[0].Line
	if len(l.CPU) != 4 || *l.CPU[0].LoadPct != 50 || *l.CPU[1].FreqMHz != 730 || !l.CPU[2].Online || l.CPU[3].Online {
		t.Errorf("cores %+v", l.CPU)
	}
	if len(l.Rails) != 2 || l.Rails[0].AvgMW != nil || *l.TotalPowerMW != 4556 || l.Rails[1].CurMW != 7 {
		t.Errorf("rails %+v", l.Rails)
	}
	if r := l.Reading(); r.GPU.Actual.OK || r.GPU.LoadPct.OK || r.Cores[0].Freq != tegra.Some(729*tegra.MHz) {
		t.Errorf("a GPU that is powered down reads %+v", r.GPU)
	}
}
