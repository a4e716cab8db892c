// Package helm_test renders the chart with several sets of values, decodes what comes out
// into Kubernetes' own types, refusing fields that these do not have, and holds it to rules.
package helm_test

import (
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// valueSets are the ways in which the chart is installed here.
var valueSets = map[string]string{
	"defaults": `{}`,
	"one of each": `
api: {replicas: 1, autoscaling: {enabled: false}}
worker: {replicas: 1}
`,
	"secrets of others": `
secrets:
  database: {name: drover-db-app, key: uri}
  database-read: {name: drover-db-reader, key: uri}
  master-key: {name: drover-key, key: key}
  routing-url: {name: routing, key: url}
  otlp-endpoint: {name: tracing, key: url}
providers: {configMap: vendors}
serviceAccount: {create: false, name: fleet}
migrate: {enabled: false}
`,
	"everything": `
image: {repository: registry.internal/drover, digest: "sha256:` + digest + `", pullSecrets: [{name: registry}]}
settings: {log-format: text, allow-network: [10.1.0.0/16, "fd00::/8"], position-retention: 365d, max-in-flight: "1000", provider-dir: /vendors}
providers: {configMap: vendors}
api: {podAnnotations: {a: b}, nodeSelector: {disk: ssd}, tolerations: [{key: fleet, operator: Exists}], affinity: {nodeAffinity: {}}}
worker: {replicas: 5, podAnnotations: {a: b}}
service: {type: LoadBalancer, port: 8443, annotations: {a: b}}
ingress: {enabled: true, className: nginx, host: fleet.example, tlsSecret: fleet-tls, annotations: {a: b}}
podDisruptionBudget: {maxUnavailable: 25%}
networkPolicy:
  apiFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]
  metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
  databaseTo: [{ipBlock: {cidr: 10.1.2.3/32}}]
  allowNetworks: [10.1.0.0/16, "fd00::/8"]
podMonitor: {enabled: true, labels: {release: prometheus}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
serviceAccount: {annotations: {a: b}}
`,
	"as little as can be": `
podDisruptionBudget: {enabled: false}
networkPolicy: {enabled: false}
migrate: {enabled: false}
serviceAccount: {create: false}
settings: {log-format: null}
`,
}

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// The resources of the Prometheus operator, as far as the chart sets them.
type (
	podMonitor struct {
		meta.TypeMeta   `json:",inline"`
		meta.ObjectMeta `json:"metadata"`
		Spec            struct {
			JobLabel            string             `json:"jobLabel"`
			PodTargetLabels     []string           `json:"podTargetLabels"`
			Selector            meta.LabelSelector `json:"selector"`
			PodMetricsEndpoints []struct {
				Port     string        `json:"port"`
				Path     string        `json:"path"`
				Interval meta.Duration `json:"interval"`
			} `json:"podMetricsEndpoints"`
		} `json:"spec"`
	}
	prometheusRule struct {
		meta.TypeMeta   `json:",inline"`
		meta.ObjectMeta `json:"metadata"`
		Spec            struct {
			Groups []struct {
				Name  string `json:"name"`
				Rules []struct {
					Alert       string            `json:"alert"`
					Expr        string            `json:"expr"`
					For         string            `json:"for"`
					Labels      map[string]string `json:"labels"`
					Annotations map[string]string `json:"annotations"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
)

// kinds make an empty resource of each kind that the chart may hold. It may hold no Secret.
var kinds = map[string]func() meta.Object{
	"apps/v1 Deployment":                      func() meta.Object { return &apps.Deployment{} },
	"autoscaling/v2 HorizontalPodAutoscaler":  func() meta.Object { return &autoscaling.HorizontalPodAutoscaler{} },
	"batch/v1 Job":                            func() meta.Object { return &batch.Job{} },
	"v1 Service":                              func() meta.Object { return &core.Service{} },
	"v1 ServiceAccount":                       func() meta.Object { return &core.ServiceAccount{} },
	"networking.k8s.io/v1 Ingress":            func() meta.Object { return &networking.Ingress{} },
	"networking.k8s.io/v1 NetworkPolicy":      func() meta.Object { return &networking.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":           func() meta.Object { return &policy.PodDisruptionBudget{} },
	"monitoring.coreos.com/v1 PodMonitor":     func() meta.Object { return &podMonitor{} },
	"monitoring.coreos.com/v1 PrometheusRule": func() meta.Object { return &prometheusRule{} },
}

// TestMain keeps quiet what helm logs of the link to the alerts.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

func values(t *testing.T, text string) map[string]any {
	t.Helper()
	v := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// render gives the text of each template of an installation named fleet.
func render(t *testing.T, text string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir("drover")
	if err != nil {
		t.Fatal(err)
	}
	release := common.ReleaseOptions{Name: "fleet", Namespace: "transport", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, values(t, text), release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// resources decodes all that an installation consists of.
func resources(t *testing.T, text string) (all []meta.Object) {
	t.Helper()
	rendered, err := render(t, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Sorted(maps.Keys(rendered)) {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		for part := range strings.SplitSeq(rendered[file], "\n---") {
			var kind meta.TypeMeta
			if err := yaml.Unmarshal([]byte(part), &kind); err != nil {
				t.Fatalf("%s: %v\n%s", file, err, part)
			}
			if kind.Kind == "" {
				continue
			}
			empty, known := kinds[kind.APIVersion+" "+kind.Kind]
			if !known {
				t.Fatalf("%s holds a %s %s", file, kind.APIVersion, kind.Kind)
			}
			resource := empty()
			if err := yaml.UnmarshalStrict([]byte(part), resource); err != nil {
				t.Errorf("%s: %v\n%s", file, err, part)
			}
			all = append(all, resource)
		}
	}
	return all
}

// of are the resources of one type, by name.
func of[T meta.Object](all []meta.Object) map[string]T {
	found := map[string]T{}
	for _, resource := range all {
		if r, ok := resource.(T); ok {
			found[r.GetName()] = r
		}
	}
	return found
}

func TestLint(t *testing.T) {
	t.Parallel()
	for name, text := range valueSets {
		for _, message := range lint.RunAll("drover", values(t, text), "transport").Messages {
			// An icon is an address of a picture.
			if !strings.Contains(message.Error(), "icon is recommended") {
				t.Errorf("%s: %s", name, message.Error())
			}
		}
	}
}

// TestEveryTemplateIsRendered sees each template with content in one of the sets.
func TestEveryTemplateIsRendered(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for name, text := range valueSets {
		rendered, err := render(t, text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for file, content := range rendered {
			seen[filepath.Base(file)] = seen[filepath.Base(file)] || strings.TrimSpace(content) != ""
		}
	}
	entries, err := os.ReadDir("drover/templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !seen[entry.Name()] && !strings.HasPrefix(entry.Name(), "_") {
			t.Errorf("%s is empty in every set", entry.Name())
		}
	}
}

// TestRefusals installs what must not be installed.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"'database'":          `settings: {database: "postgres://ann:hunter2@db/drover"}`,
		"'master-key'":        `settings: {master-key: key}`,
		"postion-retention":   `settings: {postion-retention: 365d}`,
		"secrets/database":    `secrets: {database: "postgres://ann:hunter2@db/drover"}`,
		"missing property":    `secrets: {database: null}`,
		"replica":             `worker: {replica: 3}`,
		"replicas":            `worker: {replicas: 0}`,
		"maxUnavailable":      `podDisruptionBudget: {maxUnavailable: 0}`,
		"ingress.host is":     `ingress: {enabled: true}`,
		"got number":          `settings: {max-in-flight: 1000}`,
		"limits":              `api: {resources: {limits: null}}`,
		"graceSeconds must ":  `shutdown: {drainSeconds: 30}`,
		"providers.configMap": `settings: {provider-dir: /vendors}`,
	} {
		if _, err := render(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, err, want)
		}
	}
}

// TestVersion holds the chart to the version of the program, which stands in one place.
func TestVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../client/version.go")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`const Version = "(.+)"`).FindStringSubmatch(string(text))
	chart, err := loader.LoadDir("drover")
	if err != nil {
		t.Fatal(err)
	}
	if version == nil || chart.Metadata.Version != version[1] || chart.Metadata.AppVersion != version[1] {
		t.Errorf("the chart has %s and %s, the program %q", chart.Metadata.Version, chart.Metadata.AppVersion, version)
	}
}
