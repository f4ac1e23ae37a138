package tegra

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/sorted"
	"jtune/internal/text"
)

// gpuClients lists the GPU-mapped memory per process, one line each and a total at the end; only root can read it.
// UNVERIFIED: path and format follow NVIDIA's nvmap driver and are in no recording.
const gpuClients = "/sys/kernel/debug/nvmap/iovmm/clients"

// NamesProcesses reports whether a device file reveals which processes run.
func NamesProcesses(name string) bool { return name == gpuClients }

// GPUProcess is a process with memory mapped for the GPU.
type GPUProcess struct {
	PID   int // 0: the kernel
	Name  string
	Bytes int64
}

// GPUProcesses lists the processes with memory mapped for the GPU, largest first; why is the reason if the list is
// unknown.
func (s *Sysfs) GPUProcesses() (list []GPUProcess, why string) {
	data, err := s.fs.ReadFile(gpuClients)
	if err != nil {
		return nil, reason(err) + ": " + gpuClients
	}
	list, ok := parseGPUClients(strings.NewReader(string(data)))
	if !ok {
		return nil, "the list's format is not known"
	}
	return list, ""
}

// parseGPUClients reads lines such as
//
//	CLIENT                        PROCESS      PID        SIZE
//	user                          python3     6520   1949568K
//	total                                            1949568K
//
// and sums the entries of one process; ok is false if the text is no such list.
func parseGPUClients(r io.Reader) (list []GPUProcess, ok bool) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) == 0:
			continue
		case f[0] == "CLIENT", f[0] == "total":
			ok = true
			continue
		case len(f) < 4:
			continue
		}
		pid, err := strconv.Atoi(f[len(f)-2])
		size, fine := binarySize(f[len(f)-1])
		if err != nil || pid < 0 || !fine {
			continue
		}
		p := GPUProcess{pid, text.Clip(strings.Join(f[1:len(f)-2], " ")), size}
		same := func(q GPUProcess) bool { return q.PID == p.PID && q.Name == p.Name }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Bytes += p.Bytes
		} else {
			list = append(list, p)
		}
	}
	sorted.Stable(list, func(a, b GPUProcess) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list, ok && lines.Err() == nil
}

// binarySize converts "19568K" to bytes.
func binarySize(text string) (int64, bool) {
	shift := 0
	switch n := len(text); {
	case n == 0:
		return 0, false
	case text[n-1] == 'B':
		text = text[:n-1]
	default:
		if at := strings.IndexByte("KMG", text[n-1]); at >= 0 {
			shift, text = 10*(at+1), text[:n-1]
		}
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 || v > 1<<40>>shift {
		return 0, false
	}
	return v << shift, true
}
