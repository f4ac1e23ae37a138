package imports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

func FuzzReadOfPackedFiles(f *testing.F) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range []string{"net/pm_2_268800_306000000_665600000/a_epoch_stats.csv", "x/../y", "dir/"} {
		must.NoError(f, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: 6}))
		if _, err := w.Write([]byte("a,b\n1,")); err != nil && name != "dir/" {
			f.Fatal(err)
		}
	}
	_ = w.Close()
	_ = z.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, packed []byte) {
		defer reliability.Input(t)()
		found, sum := map[string]*rawRun{}, 0
		_ = unpack(bytes.NewReader(packed), func(name string, r io.Reader) error {
			return takeLog(found, &sum, name, r)
		})
		if sum > 2*maxRawSum {
			t.Errorf("%d bytes of logs", sum)
		}
	})
}
