package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/store"
)

// readyTimeout bounds each check of /readyz.
const readyTimeout = 2 * time.Second

// operatorHandler serves what those who run the service look at.
func (a *App) operatorHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz(a.version))
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	return middle.Routes(mux)
}

// healthz says that the process lives, whatever it waits for.
func healthz(version string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": version})
	}
}

// readiness is the answer of /readyz: each check with its reason in words.
type readiness struct {
	Ready  bool              `json:"ready"`
	Checks map[string]string `json:"checks"`
}

func (a *App) readyz(w http.ResponseWriter, r *http.Request) {
	state := readiness{Ready: true, Checks: map[string]string{}}
	for name, check := range a.checks() {
		err := withTimeout(r.Context(), check)
		if errors.Is(err, store.ErrNewer) {
			// Processes are replaced one after the other: those that run go on meanwhile.
			state.Checks[name] = "a newer drover has upgraded the database: replace this one"
			continue
		}
		if err != nil {
			a.logger.WarnContext(r.Context(), "not ready", "check", name, "err", err)
			state.Ready, state.Checks[name] = false, name+" check failed"
			if table, ok := store.LockedTable(err); ok {
				state.Checks[name] += ": table " + table + " is locked"
			}
			continue
		}
		state.Checks[name] = "ok"
	}
	state.Checks["clock"] = a.clock.state() // a warning: it is ready nevertheless
	status := http.StatusOK
	if !state.Ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, state)
}

func withTimeout(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return check(ctx)
}

// checks are what makes this process ready. One that is to deliver and does not
// is replaced rather than left to look well.
func (a *App) checks() map[string]func(context.Context) error {
	checks := map[string]func(context.Context) error{"database": a.Store.Ping, "writes": a.probe.check, "migrations": a.checkMigrations}
	if a.Config.Role != "api" {
		checks["delivery"] = a.Deliverer.Check
	}
	return checks
}

func (a *App) checkMigrations(ctx context.Context) error {
	n, err := a.Store.PendingMigrations(ctx)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d migrations are pending", n)
	}
	return err
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"data": v}) // the caller may have gone away
}

// storeMetrics shows how the database's connections are used.
type storeMetrics struct {
	store *store.Store
	desc  map[string]*prometheus.Desc
}

func newStoreMetrics(s *store.Store) *storeMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("drover_store_"+name, help, nil, prometheus.Labels{"database": s.Database()})
	}
	return &storeMetrics{store: s, desc: map[string]*prometheus.Desc{
		"open": desc("connections_open", "Connections to the database."),
		"busy": desc("connections_in_use", "Connections in use."),
		"wait": desc("wait_seconds_total", "Time spent waiting for a connection."),
	}}
}

// Describe implements prometheus.Collector.
func (m *storeMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range m.desc {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (m *storeMetrics) Collect(ch chan<- prometheus.Metric) {
	s := m.store.Stats()
	ch <- prometheus.MustNewConstMetric(m.desc["open"], prometheus.GaugeValue, float64(s.OpenConnections))
	ch <- prometheus.MustNewConstMetric(m.desc["busy"], prometheus.GaugeValue, float64(s.InUse))
	ch <- prometheus.MustNewConstMetric(m.desc["wait"], prometheus.CounterValue, s.WaitDuration.Seconds())
}
