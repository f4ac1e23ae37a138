package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"path/filepath"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/telemetry/exporter"
	"jtune/tui/session/control"
)

// exporterCmd is `jtune fleet exporter`.
type exporterCmd struct {
	*app
	Listen, Textfile string
	Once             bool
}

func newExporter(a *app) *cobra.Command {
	c := &exporterCmd{app: a, Listen: "127.0.0.1:9939"}
	return a.command("fleet exporter", nil, c.run, c)
}

func (c *exporterCmd) run(ctx context.Context) error {
	if !c.Once && c.Textfile == "" {
		return c.serve(ctx)
	}
	return c.write(ctx)
}

// open opens the device and its exporter, and prepares it so that the next reading has loads.
func (c *exporterCmd) open(ctx context.Context) (*exporter.Exporter, func(), error) {
	s, err := c.session()
	if err != nil {
		return nil, nil, err
	}
	if s.Virtual == nil {
		c.limitCPU()
	}
	if err := warmUp(ctx, s); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	e := control.Exporter(s)
	return e, func() {
		e.End()
		_ = s.Close() // nothing was set
	}, nil
}

// write writes one reading to the file or to standard output, or the file at regular intervals until ctx ends.
func (c *exporterCmd) write(ctx context.Context) error {
	e, done, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	if c.Textfile == "" {
		c.asFile = true
		return e.Write(c.out)
	}
	if !c.Once {
		e.Begin()
	}
	for clock := tegra.RealClock(); ; { // wall time of the scraper, even for a virtual board
		if err := writeMetrics(e, c.Textfile); err != nil || c.Once {
			return err
		}
		if err := clock.Sleep(ctx, exporter.FileEvery); err != nil {
			return err
		}
	}
}

func writeMetrics(e *exporter.Exporter, file string) error {
	err := e.WriteFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--textfile %s: there is no folder %s; make it, or give another file", file,
			filepath.Dir(file))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: --textfile %s: %s is not writable for you; give another file", tegra.ErrPermission, file,
			filepath.Dir(file))
	}
	return err
}

// serve answers HTTP requests until ctx ends.
func (c *exporterCmd) serve(ctx context.Context) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return usagef("--listen %q: want address and port, such as 127.0.0.1:9939", c.Listen)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; give another address or port", c.Listen, err)
	}
	defer l.Close()
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		c.note("--listen %s: anyone who reaches this address can read the metrics", c.Listen)
	}
	e, done, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	e.Begin()
	c.note("metrics at http://%s/metrics", l.Addr())
	return e.Serve(ctx, l)
}
