package helm_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// TestRules holds every set of values to the same rules.
func TestRules(t *testing.T) {
	t.Parallel()
	for name, text := range valueSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := resources(t, text)
			deployments := of[*apps.Deployment](all)
			if len(deployments) != 2 {
				t.Fatalf("there are %d deployments, want api and worker", len(deployments))
			}
			for _, d := range deployments {
				checkPod(t, d.Name, d.Spec.Template.Spec)
				checkProcess(t, d)
				if !matches(t, d.Spec.Selector, d.Spec.Template.Labels) {
					t.Errorf("%s does not select its own pods", d.Name)
				}
			}
			for _, j := range of[*batch.Job](all) {
				checkPod(t, j.Name, j.Spec.Template.Spec)
				if !strings.Contains(j.Annotations["helm.sh/hook"], "pre-upgrade") || j.Spec.ActiveDeadlineSeconds == nil {
					t.Errorf("the job %s runs at no moment, or for ever", j.Name)
				}
			}
			checkService(t, all, deployments)
			checkDisruption(t, all, deployments)
			checkAutoscaling(t, all, deployments)
			checkNetwork(t, all, deployments)
			checkMonitor(t, all, deployments)
			checkNames(t, all)
		})
	}
}

func matches(t *testing.T, selector *meta.LabelSelector, own map[string]string) bool {
	t.Helper()
	s, err := meta.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return !s.Empty() && s.Matches(labels.Set(own))
}

// secretVariables are those that must come out of a Secret.
var secretVariables = []string{"DROVER_DATABASE", "DROVER_DATABASE_READ", "DROVER_MASTER_KEY", "DROVER_OTLP_ENDPOINT", "DROVER_ROUTING_URL"}

// checkPod holds a pod to what no process may do, and to secrets by reference.
func checkPod(t *testing.T, name string, pod core.PodSpec) {
	t.Helper()
	own := pod.SecurityContext
	if own == nil || own.RunAsNonRoot == nil || !*own.RunAsNonRoot || own.RunAsUser == nil || *own.RunAsUser == 0 ||
		own.SeccompProfile == nil || own.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s may run as root, or make any call to the kernel", name)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Errorf("%s has a token of the cluster", name)
	}
	if pod.HostNetwork || pod.HostPID || pod.HostIPC {
		t.Errorf("%s shares something with its node", name)
	}
	// The one volume that a pod may have is a ConfigMap.
	if len(pod.Volumes) > 1 {
		t.Errorf("%s has volumes: %+v", name, pod.Volumes)
	}
	for _, v := range pod.Volumes {
		if v.Name != "providers" || v.ConfigMap == nil || v.ConfigMap.Name == "" ||
			!reflect.DeepEqual(v.VolumeSource, core.VolumeSource{ConfigMap: v.ConfigMap}) {
			t.Errorf("%s has the volume %+v", name, v)
		}
	}
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		s := c.SecurityContext
		if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
			s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.Capabilities == nil ||
			!slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 ||
			s.Privileged != nil && *s.Privileged || s.RunAsUser != nil || s.RunAsNonRoot != nil {
			t.Errorf("%s has rights that it does not need: %+v", name, s)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s asks for no processor or memory, or has no limit: %+v", name, c.Resources)
		}
		if strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":") {
			t.Errorf("%s runs %s, which may be another one tomorrow", name, c.Image)
		}
		if len(c.VolumeMounts) != len(pod.Volumes) {
			t.Errorf("%s mounts %+v of %+v", name, c.VolumeMounts, pod.Volumes)
		}
		for _, m := range c.VolumeMounts {
			folder := slices.ContainsFunc(c.Env, func(v core.EnvVar) bool { return v.Name == "DROVER_PROVIDER_DIR" && v.Value == m.MountPath })
			if m.Name != "providers" || !m.ReadOnly || m.MountPath == "" || !folder {
				t.Errorf("%s mounts %+v", name, m)
			}
		}
		seen := map[string]bool{}
		for _, variable := range c.Env {
			secret := slices.Contains(secretVariables, variable.Name)
			reference := variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil && variable.ValueFrom.SecretKeyRef.Name != "" &&
				variable.ValueFrom.SecretKeyRef.Key != "" && variable.Value == ""
			if secret != reference {
				t.Errorf("%s has %s by reference: %t", name, variable.Name, reference)
			}
			if seen[variable.Name] {
				t.Errorf("%s sets %s twice", name, variable.Name)
			}
			seen[variable.Name] = true
		}
		if !seen["DROVER_DATABASE"] {
			t.Errorf("%s has no database", name)
		}
	}
}

// checkProcess holds a deployment to probes, a rolling upgrade that takes nothing away, and
// an end that waits for requests under way.
func checkProcess(t *testing.T, d *apps.Deployment) {
	t.Helper()
	c := d.Spec.Template.Spec.Containers[0]
	ports := map[string]int32{}
	for _, port := range c.Ports {
		ports[port.Name] = port.ContainerPort
	}
	for path, probe := range map[string]*core.Probe{"/healthz": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path || ports[probe.HTTPGet.Port.StrVal] != 8081 {
			t.Errorf("%s is not asked for %s", d.Name, path)
		}
	}
	role, master := "", false
	for _, variable := range c.Env {
		if variable.Name == "DROVER_ROLE" {
			role = variable.Value
		}
		master = master || variable.Name == "DROVER_MASTER_KEY"
	}
	if !slices.Equal(c.Args, []string{"serve"}) || !strings.HasSuffix(d.Name, "-"+role) || !master {
		t.Errorf("%s runs %v as %s", d.Name, c.Args, role)
	}
	if _, api := ports["http"]; api != (role == "api") || (c.Lifecycle != nil) != api {
		t.Errorf("%s has ports %v and a lifecycle %v", d.Name, ports, c.Lifecycle)
	}
	if c.Lifecycle != nil && c.Lifecycle.PreStop.Sleep.Seconds+15 >= *d.Spec.Template.Spec.TerminationGracePeriodSeconds {
		t.Errorf("%s is killed before its requests have ended", d.Name)
	}
	if up := d.Spec.Strategy.RollingUpdate; up == nil || up.MaxUnavailable.IntValue() != 0 || up.MaxSurge.IntValue() < 1 {
		t.Errorf("%s is replaced by %+v", d.Name, up)
	}
}

func checkService(t *testing.T, all []meta.Object, deployments map[string]*apps.Deployment) {
	t.Helper()
	services := of[*core.Service](all)
	for _, s := range services {
		for name, d := range deployments {
			selects := labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels))
			if selects != strings.HasSuffix(name, "-api") {
				t.Errorf("the service selects %s: %t", name, selects)
			}
		}
		for _, port := range s.Spec.Ports {
			if port.TargetPort.StrVal != "http" {
				t.Errorf("the service leads to the port %s", port.TargetPort.String())
			}
		}
	}
	for _, i := range of[*networking.Ingress](all) {
		for _, rule := range i.Spec.Rules {
			to := rule.HTTP.Paths[0].Backend.Service
			if s := services[to.Name]; s == nil || s.Spec.Ports[0].Name != to.Port.Name || rule.Host == "" {
				t.Errorf("the ingress leads nowhere: %+v", rule)
			}
		}
	}
}

// checkDisruption wants a budget for each role that lets at least one process go.
func checkDisruption(t *testing.T, all []meta.Object, deployments map[string]*apps.Deployment) {
	t.Helper()
	for _, budget := range of[*policy.PodDisruptionBudget](all) {
		d := deployments[budget.Name]
		if d == nil || !matches(t, budget.Spec.Selector, d.Spec.Template.Labels) {
			t.Errorf("the budget %s is of no deployment", budget.Name)
			continue
		}
		// A share is rounded up, so one process is always let go.
		least := budget.Spec.MaxUnavailable
		if least == nil || least.String() == "0" || least.String() == "0%" || budget.Spec.MinAvailable != nil {
			t.Errorf("the budget %s keeps nodes from being drained", budget.Name)
		}
	}
}

func checkAutoscaling(t *testing.T, all []meta.Object, deployments map[string]*apps.Deployment) {
	t.Helper()
	scaled := map[string]bool{}
	for _, a := range of[*autoscaling.HorizontalPodAutoscaler](all) {
		scaled[a.Spec.ScaleTargetRef.Name] = true
		to := a.Spec.ScaleTargetRef
		if !strings.HasSuffix(to.Name, "-api") || to.Kind != "Deployment" || *a.Spec.MinReplicas > a.Spec.MaxReplicas {
			t.Errorf("%+v is scaled", a.Spec)
		}
	}
	for name, d := range deployments {
		if scaled[name] == (d.Spec.Replicas != nil) {
			t.Errorf("%s: the number of processes is set by both, or by neither", name)
		}
	}
}

// checkNetwork wants all pods under one policy, and private networks out of reach.
func checkNetwork(t *testing.T, all []meta.Object, deployments map[string]*apps.Deployment) {
	t.Helper()
	policies := of[*networking.NetworkPolicy](all)
	if len(policies) == 0 {
		return
	}
	every := policies["fleet-drover"]
	for name, d := range deployments {
		if !matches(t, &every.Spec.PodSelector, d.Spec.Template.Labels) {
			t.Errorf("%s is under no policy", name)
		}
		if api := policies["fleet-drover-api"]; matches(t, &api.Spec.PodSelector, d.Spec.Template.Labels) != strings.HasSuffix(name, "-api") {
			t.Errorf("%s is under the policy of the API, or is not", name)
		}
	}
	for _, j := range of[*batch.Job](all) {
		if !matches(t, &every.Spec.PodSelector, j.Spec.Template.Labels) {
			t.Errorf("%s is under no policy", j.Name)
		}
	}
	if !slices.Contains(every.Spec.PolicyTypes, networking.PolicyTypeEgress) {
		t.Error("every network can be reached")
	}
	for _, rule := range every.Spec.Egress {
		for _, to := range rule.To {
			if to.IPBlock != nil && to.IPBlock.CIDR == "0.0.0.0/0" && !slices.Contains(to.IPBlock.Except, "169.254.0.0/16") {
				t.Error("the metadata of the cloud can be reached")
			}
		}
	}
}

func checkMonitor(t *testing.T, all []meta.Object, deployments map[string]*apps.Deployment) {
	t.Helper()
	for _, m := range of[*podMonitor](all) {
		for name, d := range deployments {
			if own := d.Spec.Template.Labels; !matches(t, &m.Spec.Selector, own) || own[m.Spec.JobLabel] != "drover" {
				t.Errorf("%s is not watched, or not as the job that the alerts name", name)
			}
		}
	}
	for _, r := range of[*prometheusRule](all) {
		text, err := os.ReadFile("../monitoring/alerts.yml")
		if err != nil {
			t.Fatal(err)
		}
		var want prometheusRule
		if err := yaml.UnmarshalStrict(text, &want.Spec); err != nil {
			t.Fatal(err)
		}
		if len(want.Spec.Groups) != 1 || len(r.Spec.Groups) != 1 || len(r.Spec.Groups[0].Rules) != len(want.Spec.Groups[0].Rules) {
			t.Fatalf("the rules are %+v", r.Spec)
		}
		for i, rule := range r.Spec.Groups[0].Rules {
			if rule.Annotations["summary"] != want.Spec.Groups[0].Rules[i].Annotations["summary"] {
				t.Errorf("the words of %s were rendered: %v", rule.Alert, rule.Annotations)
			}
		}
	}
}

// checkNames wants no resource twice, and each to be of the release.
func checkNames(t *testing.T, all []meta.Object) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range all {
		kind := r.GetName()
		for name, empty := range kinds {
			if reflect.TypeOf(empty()) == reflect.TypeOf(r) {
				kind = name + " " + r.GetName()
			}
		}
		if seen[kind] {
			t.Errorf("there are two of %s", kind)
		}
		seen[kind] = true
		if r.GetLabels()["app.kubernetes.io/instance"] != "fleet" || !strings.HasPrefix(r.GetName(), "fleet-drover") {
			t.Errorf("%s does not belong to the release", kind)
		}
	}
}

// TestPublicURL sees that the address of the ingress reaches the process, and gives way to a setting.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	const ingress = "ingress: {enabled: true, host: fleet.example"
	for text, want := range map[string]string{
		"{}":                          "",
		ingress + ", tlsSecret: tls}": "https://fleet.example",
		ingress + "}":                 "http://fleet.example",
		ingress + "}\nsettings: {public-url: \"https://other.example\"}": "https://other.example",
	} {
		got := ""
		for _, d := range of[*apps.Deployment](resources(t, text)) {
			for _, variable := range d.Spec.Template.Spec.Containers[0].Env {
				if variable.Name == "DROVER_PUBLIC_URL" {
					got = variable.Value
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestSettings sees lists joined as the program reads them.
func TestSettings(t *testing.T) {
	t.Parallel()
	for _, d := range of[*apps.Deployment](resources(t, valueSets["everything"])) {
		got := map[string]string{}
		for _, variable := range d.Spec.Template.Spec.Containers[0].Env {
			got[variable.Name] = variable.Value
		}
		if got["DROVER_ALLOW_NETWORK"] != "10.1.0.0/16,fd00::/8" ||
			got["DROVER_POSITION_RETENTION"] != "365d" || got["DROVER_MAX_IN_FLIGHT"] != "1000" {
			t.Errorf("%s runs with %v", d.Name, got)
		}
	}
}
