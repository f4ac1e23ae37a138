package nvpmodel

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
)

// Limits of a configuration file.
const (
	maxLine   = 1 << 16
	maxErrors = 100
	maxParams = 512 // the largest real file has 33
	maxModes  = 128 // the largest real file has 9
	maxLines  = 512 // per mode or parameter
)

var header = regexp.MustCompile(`^<\s*([A-Z_]+)\b([^>]*)>?$`)

// Parse reads as much as it can (grammar: header comment of every conf): it accepts spaces and blank lines anywhere,
// ids with gaps, and modes that set only some parameters. Config.Errors lists malformed lines; the returned error comes
// from the reader.
func Parse(r io.Reader) (*Config, error) {
	p := parser{c: &Config{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		p.line++
		raw := lines.Text()
		if p.line == 1 {
			raw = strings.TrimPrefix(raw, "\ufeff")
		}
		if at := strings.Index(raw, "#"); at == 0 || at > 0 && (raw[at-1] == ' ' || raw[at-1] == '\t') {
			raw = raw[:at]
		}
		if raw = strings.TrimSpace(raw); raw != "" {
			p.take(raw)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("nvpmodel configuration, after line %d: %w", p.line, err)
	}
	return p.c, nil
}

// section is the kind of section that the last header opened.
type section int

const (
	outside section = iota
	inParam
	inMode
	skipped // its header was malformed: ignore the lines below it
)

type parser struct {
	c    *Config
	line int
	in   section
}

func (p *parser) fail(format string, args ...any) {
	if len(p.c.Errors) < maxErrors {
		p.c.Errors = append(p.c.Errors, Error{p.line, fmt.Sprintf(format, args...)})
	}
}

func (p *parser) take(raw string) {
	if strings.HasPrefix(raw, "<") {
		p.header(raw)
		return
	}
	words := strings.Fields(raw)
	switch p.in {
	case inParam:
		p.arg(words)
	case inMode:
		p.setting(words)
	case outside:
		p.fail("%q is in no section", text.Clip(raw))
	}
}

func (p *parser) header(raw string) {
	m := header.FindStringSubmatch(raw)
	if m == nil {
		p.in = skipped
		p.fail("%q is not a section header", text.Clip(raw))
		return
	}
	if !strings.HasSuffix(raw, ">") {
		p.fail("%q lacks its closing >", text.Clip(raw))
	}
	keys := map[string]string{}
	for _, word := range strings.Fields(m[2]) {
		k, v, _ := strings.Cut(word, "=")
		keys[k] = v
	}
	p.in = skipped
	switch m[1] {
	case "PARAM":
		p.param(keys)
	case "POWER_MODEL":
		p.mode(keys)
	case "PM_CONFIG":
		id, err := strconv.Atoi(keys["DEFAULT"])
		if err != nil {
			p.fail("PM_CONFIG: DEFAULT=%s is not a mode id", text.Clip(keys["DEFAULT"]))
			return
		}
		p.c.Default = &id
	case "FAN_CONFIG":
		p.c.FanDefault = keys["DEFAULT"]
	default:
		p.fail("unknown section %s", text.Clip(m[1]))
	}
}

func (p *parser) param(keys map[string]string) {
	name, kind := text.Plain(keys["NAME"]), keys["TYPE"]
	if name == "" {
		p.fail("PARAM without NAME=")
		return
	}
	if strings.ContainsAny(name[:1], "<#") { // a mode's line that begins so is a header or a comment
		p.fail("PARAM %s: no line of a mode can begin with that name", text.Clip(name))
		return
	}
	if kind != "FILE" && kind != "CLOCK" && kind != "HWMON" {
		p.fail("PARAM %s: unknown TYPE=%s", text.Clip(name), text.Clip(kind))
		return
	}
	if _, twice := p.c.param(name); twice {
		p.fail("PARAM %s is declared twice", text.Clip(name))
		return
	}
	if len(p.c.Params) == maxParams {
		p.fail("more than %d parameters", maxParams)
		return
	}
	p.c.Params = append(p.c.Params, Param{Name: name, Type: kind})
	p.in = inParam
}

func (p *parser) mode(keys map[string]string) {
	id, err := strconv.Atoi(keys["ID"])
	if err != nil || id < 0 {
		p.fail("POWER_MODEL: ID=%s is not a number", text.Clip(keys["ID"]))
		return
	}
	if _, twice := p.c.Mode(id); twice {
		p.fail("POWER_MODEL ID=%d appears twice", id)
		return
	}
	if keys["NAME"] == "" {
		p.fail("POWER_MODEL ID=%d without NAME=", id)
		return
	}
	if len(p.c.Modes) == maxModes {
		p.fail("more than %d modes", maxModes)
		return
	}
	p.c.Modes = append(p.c.Modes, Mode{ID: id, Name: text.Plain(keys["NAME"])})
	p.in = inMode
}

func (p *parser) arg(words []string) {
	param := &p.c.Params[len(p.c.Params)-1]
	if len(words) < 2 || !strings.HasPrefix(words[1], "/") {
		p.fail("PARAM %s: want an argument and its path, not %q", param.Name, text.Clip(strings.Join(words, " ")))
		return
	}
	if len(param.Args) == maxLines {
		p.in = skipped
		p.fail("PARAM %s: more than %d arguments", param.Name, maxLines)
		return
	}
	param.Args = append(param.Args, Arg{words[0], strings.Join(words[1:], " ")})
}

func (p *parser) setting(words []string) {
	mode := &p.c.Modes[len(p.c.Modes)-1]
	if len(words) == 2 && strings.HasPrefix(words[0], "/") {
		words = p.direct(words[0], words[1])
	}
	if len(words) < 3 {
		p.fail("POWER_MODEL %s: want parameter, argument and value, not %q", mode.Name,
			text.Clip(strings.Join(words, " ")))
		return
	}
	s := Setting{words[0], words[1], strings.Join(words[2:], " ")}
	param, ok := p.c.param(s.Param)
	switch {
	case !ok:
		p.fail("POWER_MODEL %s: parameter %s is not declared above", mode.Name, text.Clip(s.Param))
		return
	case !param.arg(s.Arg):
		p.fail("POWER_MODEL %s: parameter %s has no argument %s", mode.Name, text.Clip(s.Param), text.Clip(s.Arg))
		return
	}
	v, err := strconv.ParseInt(s.Value, 10, 64)
	if err != nil && param.Type == "CLOCK" {
		p.fail("POWER_MODEL %s: %s %s is %q, not a number", mode.Name, s.Param, s.Arg, text.Clip(s.Value))
		return
	}
	if param.Type == "CLOCK" && v > 0 {
		if unit, hertz := param.unit(); float64(v)*hertz < leastClock || float64(v)*hertz > mostClock {
			p.fail("POWER_MODEL %s: %s %s is in %s, and %d %s is no clock: another unit?", mode.Name, s.Param, s.Arg,
				unit, v, unit)
		}
	}
	if len(mode.Settings) == maxLines {
		p.in = skipped
		p.fail("POWER_MODEL %s: more than %d settings", mode.Name, maxLines)
		return
	}
	mode.Settings = append(mode.Settings, s)
}

// Clocks in Hz outside these are in a wrong unit.
const leastClock, mostClock = 10e6, 20e9

// unit returns the unit of a clock parameter, and how many Hz it has.
func (p Param) unit() (name string, hertz float64) {
	if p.kind() == cpuClock {
		return "kHz", 1e3
	}
	return "Hz", 1
}

// direct returns a setting of L4T 28, a file and its value, as a setting of a parameter, which it declares.
func (p *parser) direct(file, value string) []string {
	param, arg := Param{Name: file, Type: "FILE"}, "VALUE"
	limit := map[string]string{"scaling_max_freq": maxFreq, "scaling_min_freq": minFreq, "max_freq": maxFreq,
		"min_freq": minFreq, "emc_iso_cap": maxFreq}[path.Base(file)]
	var core int
	switch n, _ := fmt.Sscanf(file, "/sys/devices/system/cpu/cpu%d/", &core); {
	case n == 1 && path.Base(file) == "online":
		param.Name, arg = "CPU_ONLINE", fmt.Sprintf("CORE_%d", core)
	case n == 1 && limit != "":
		param, arg = Param{Name: fmt.Sprintf("CPU_%d", core), Type: "CLOCK"}, limit
	case path.Base(file) == "emc_iso_cap":
		param, arg = Param{Name: "EMC", Type: "CLOCK"}, limit
	case limit != "" && strings.Contains(file, "/devfreq/"):
		param, arg = Param{Name: "GPU", Type: "CLOCK"}, limit
	}
	i := slices.IndexFunc(p.c.Params, func(known Param) bool { return known.Name == param.Name })
	if i < 0 && len(p.c.Params) < maxParams {
		i, p.c.Params = len(p.c.Params), append(p.c.Params, param)
	}
	if known := &p.c.Params[max(i, 0)]; i >= 0 && !known.arg(arg) && len(known.Args) < maxLines {
		known.Args = append(known.Args, Arg{arg, file})
	}
	return []string{param.Name, arg, value}
}
