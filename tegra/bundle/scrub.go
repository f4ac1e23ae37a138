package bundle

import (
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jtune/tegra"
)

// scrubber replaces whatever identifies a unit, machine or person.
type scrubber struct {
	numbers []string         // numbers of this unit, replaced in every file
	names   []*regexp.Regexp // names of the host and its users, replaced in files that people edit
}

// Files that identify this machine: their contents are searched for in the other files. No bundle contains them.
var (
	unitFiles = []string{
		"/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number", "/etc/machine-id",
	}
	hostFiles = []string{"/etc/hostname", "/proc/sys/kernel/hostname"}
)

// patterns are replaced in every file.
var patterns = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`(?i)\b[0-9a-f]{2}([:-][0-9a-f]{2}){5}\b`), scrubbed}, // MAC address
	{regexp.MustCompile(`[\w.+-]+@[\w-]+(\.[\w-]+)+`), scrubbed},              // mail address
	{regexp.MustCompile(`/home/[^/\s]+`), "/home/" + scrubbed},
	{regexp.MustCompile(`\b[01]\d{12}\b`), scrubbed}, // serial number of a Jetson module: 13 digits
}

const scrubbed = "SCRUBBED"

var (
	// address matches where an IP address can start: not after part of a name or number.
	address = regexp.MustCompile(`(^|[^\w:.])([0-9A-Fa-f]{0,4}[:.][0-9A-Fa-f:.]*[0-9A-Fa-f:])`)
	// bareMAC is a MAC address as printed on labels. Kernel files contain other numbers of this form.
	bareMAC = regexp.MustCompile(`(?i)\b[0-9a-f]{12}\b`)
)

// withoutAddresses replaces IP addresses.
func withoutAddresses(data []byte) []byte {
	return address.ReplaceAllFunc(data, func(found []byte) []byte {
		part := address.FindSubmatch(found)
		if _, err := netip.ParseAddr(strings.TrimRight(string(part[2]), ".")); err != nil {
			return found
		}
		return append(bytes.Clone(part[1]), scrubbed...)
	})
}

// comment matches comments that people write into configuration files (by the rule of nvpmodel.conf's parser).
var comment = regexp.MustCompile(`(?m)(^|[ \t])#.*$`)

// vendor lists words that the vendor's files need, even if a host or user has that name.
var vendor = strings.Fields("nvidia jetson tegra ubuntu root orin xavier nano thor agx maxn power mode model param " +
	"type file clock name default core online path min max freq fan cpu gpu emc release board date revision linux " +
	"localhost")

func newScrubber(fsys tegra.FS, names []string) *scrubber {
	s := &scrubber{}
	content := func(name string) string {
		data, _ := fsys.ReadFile(name) // absent: nothing to search for
		return strings.Trim(string(data), "\x00 \t\r\n")
	}
	for _, file := range unitFiles {
		if text := content(file); len(text) >= 6 {
			s.numbers = append(s.numbers, text)
		}
	}
	for _, file := range hostFiles {
		names = append(names, content(file))
	}
	for line := range strings.Lines(content("/etc/passwd")) {
		f := strings.Split(line, ":")
		if len(f) < 5 {
			continue
		}
		if id, err := strconv.Atoi(f[2]); err == nil && id >= 1000 && id < 60000 { // people, not services
			full, _, _ := strings.Cut(f[4], ",")
			names = append(names, f[0], full)
		}
	}
	for _, name := range names {
		if len(name) >= 3 && !slices.Contains(vendor, strings.ToLower(name)) {
			s.names = append(s.names, regexp.MustCompile(`(?i)(^|[^\pL\pN])`+regexp.QuoteMeta(name)+`\b`))
		}
	}
	return s
}

// text returns the part of a file that may be shared.
func (s *scrubber) text(name string, data []byte) []byte {
	if tegra.NamesProcesses(name) {
		return nil
	}
	for _, n := range s.numbers {
		data = bytes.ReplaceAll(data, []byte(n), []byte(scrubbed))
	}
	for _, p := range patterns {
		data = p.find.ReplaceAll(data, []byte(p.put))
	}
	data = withoutAddresses(data)
	if !strings.HasPrefix(name, "/etc/") {
		return data // kernel words, which may coincide with the host's name
	}
	if strings.HasSuffix(name, ".conf") {
		data = comment.ReplaceAll(data, []byte("$1#"))
	}
	data = bareMAC.ReplaceAll(data, []byte(scrubbed))
	for _, find := range s.names {
		data = find.ReplaceAll(data, []byte("${1}"+scrubbed))
	}
	return data
}
