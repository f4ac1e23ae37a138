package exporter

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connections is a listener that keeps at most mostConns open. A new connection replaces the one that has been idle
// longest, so that idle clients cannot keep a scraper out.
type connections struct {
	net.Listener
	mu    sync.Mutex
	since map[net.Conn]time.Time // of its last change: accepted, request began, response ended
}

// Accept waits for a connection.
func (l *connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.since) >= mostConns {
		var oldest net.Conn
		for c, at := range l.since {
			if oldest == nil || at.Before(l.since[oldest]) {
				oldest = c
			}
		}
		delete(l.since, oldest)
		_ = oldest.Close()
	}
	l.since[c] = time.Now()
	return c, nil
}

// note follows the state of the server's connections.
func (l *connections) note(c net.Conn, to http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch _, open := l.since[c]; {
	case !open: // it was closed here
	case to == http.StateClosed:
		delete(l.since, c)
	default:
		l.since[c] = time.Now()
	}
}
