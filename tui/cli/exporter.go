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
)

func (a *app) exporter() *cobra.Command {
	listen, file, once := "127.0.0.1:9939", "", false
	cmd := &cobra.Command{
		Use:   "exporter",
		Short: "Give the readings to Prometheus, over HTTP or as a file",
		Long: "exporter answers http://127.0.0.1:9939/metrics with power, energy, clocks, loads, temperatures and " +
			"memory of the board in the text format of Prometheus, and with what a jtune of this user measures. " +
			"Everything is read when it is asked for, but for the energy, which is summed up once a second. A sensor " +
			"that the board lacks has no series. With --textfile it writes a file for node_exporter's textfile " +
			"collector every 15 s instead.",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case file != "" && cmd.Flags().Changed("listen"):
				return usagef("exporter: --listen and --textfile exclude each other")
			case once:
				return a.exportOnce(cmd.Context(), file)
			case file != "":
				return a.exportFiles(cmd.Context(), file)
			}
			return a.serveExporter(cmd.Context(), listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", listen, "`ADDR` to answer on: address and port")
	cmd.Flags().StringVar(&file, "textfile", "", "write `FILE` every 15 s in place of answering")
	cmd.Flags().BoolVar(&once, "once", false, "write one file and end; without --textfile to standard output")
	return cmd
}

// openExporter opens the device and its exporter, whose next reading has loads.
func (a *app) openExporter(ctx context.Context) (*exporter.Exporter, func(), error) {
	s, err := a.session()
	if err != nil {
		return nil, nil, err
	}
	if s.Virtual == nil {
		a.limitCPU()
	}
	if err := warmUp(ctx, s); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	e := s.Exporter()
	return e, func() {
		e.End()
		_ = s.Close() // it has set nothing
	}, nil
}

func (a *app) exportOnce(ctx context.Context, file string) error {
	e, done, err := a.openExporter(ctx)
	if err != nil {
		return err
	}
	defer done()
	if file == "" {
		return e.Write(a.out)
	}
	return writeMetrics(e, file)
}

// exportFiles writes a file at once and then at even distances, until ctx ends.
func (a *app) exportFiles(ctx context.Context, file string) error {
	e, done, err := a.openExporter(ctx)
	if err != nil {
		return err
	}
	defer done()
	e.Begin()
	clock := tegra.RealClock() // of the reader, also with a virtual board
	for {
		if err := writeMetrics(e, file); err != nil {
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

// serveExporter answers until ctx ends.
func (a *app) serveExporter(ctx context.Context, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("--listen %q: want address and port, such as 127.0.0.1:9939", addr)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; give another address or port", addr, err)
	}
	defer l.Close()
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		a.note("--listen %s: whoever reaches this address can read the metrics", addr)
	}
	e, done, err := a.openExporter(ctx)
	if err != nil {
		return err
	}
	defer done()
	e.Begin()
	a.note("metrics at http://%s/metrics", l.Addr())
	return e.Serve(ctx, l)
}
