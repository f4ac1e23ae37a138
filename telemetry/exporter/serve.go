package exporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"jtune/internal/safefile"
)

// Limits of a request: a scraper sends a few hundred bytes and reads some kilobytes.
const (
	requestTime   = 10 * time.Second
	requestHeader = 16 << 10
	idleTime      = 90 * time.Second // longer than the usual interval of scrapes
	mostConns     = 32
)

// FileEvery is the interval at which the textfile collector's file is written: the usual scrape interval.
const FileEvery = 15 * time.Second

// ServeHTTP answers GET /metrics with every series, or with 503 and the reason when the device does not answer.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	case r.URL.Path == "/":
		fmt.Fprintln(w, "jtune exporter: the series are at /metrics")
		return
	case r.URL.Path != "/metrics":
		http.NotFound(w, r)
		return
	}
	var out bytes.Buffer
	if err := e.Write(&out); err != nil {
		http.Error(w, "the device does not answer: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", ContentType)
	_, _ = w.Write(out.Bytes()) // a scraper that has disconnected gets nothing
}

// Serve answers on a listener until ctx ends, then closes the listener.
func (e *Exporter) Serve(ctx context.Context, l net.Listener) error {
	open := &connections{Listener: l, since: map[net.Conn]time.Time{}}
	server := &http.Server{
		Handler:           e,
		ConnState:         open.note,
		ReadHeaderTimeout: requestTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      requestTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    requestHeader,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	err := server.Serve(open)
	if errors.Is(err, http.ErrServerClosed) {
		return ctx.Err()
	}
	return err
}

// WriteFile writes every series to a file and replaces it atomically.
func (e *Exporter) WriteFile(path string) error {
	var out bytes.Buffer
	if err := e.Write(&out); err != nil {
		return err
	}
	return safefile.Replace(path, out.Bytes())
}
