{{/* The name of everything in a release. */}}
{{- define "drover.name" -}}
{{- if contains "drover" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-drover" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{/* What selects the pods of a role; it never changes. Called with a dict of root and role. */}}
{{- define "drover.selector" -}}
app.kubernetes.io/name: drover
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "drover.labels" -}}
{{ include "drover.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "drover.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "drover.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "drover.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end -}}
{{- end }}

{{/* A setting as a variable out of a secret. Called with a dict of setting and reference. */}}
{{- define "drover.secret" -}}
- name: {{ include "drover.variable" .setting }}
  valueFrom:
    secretKeyRef: {{- toYaml .reference | nindent 6 }}
{{- end }}

{{- define "drover.variable" -}}
DROVER_{{ . | upper | replace "-" "_" }}
{{- end }}

{{/* The environment of a process that serves. Called with a dict of root and role. */}}
{{- define "drover.environment" -}}
- name: DROVER_ROLE
  value: {{ .role }}
- name: DROVER_LISTEN
  value: 0.0.0.0:8080
- name: DROVER_OPERATOR_LISTEN
  value: 0.0.0.0:8081
{{- range $setting, $reference := .root.Values.secrets }}
{{ include "drover.secret" (dict "setting" $setting "reference" $reference) }}
{{- end }}
{{- $ingress := .root.Values.ingress }}
{{- if and $ingress.enabled (not (index .root.Values.settings "public-url")) }}
- name: DROVER_PUBLIC_URL
  value: {{ printf "%s://%s" (ternary "https" "http" (ne $ingress.tlsSecret "")) $ingress.host }}
{{- end }}
{{- if and .root.Values.providers.configMap (not (index .root.Values.settings "provider-dir")) }}
- name: DROVER_PROVIDER_DIR
  value: {{ include "drover.providers" .root }}
{{- end }}
{{- range $setting, $value := .root.Values.settings }}
- name: {{ include "drover.variable" $setting }}
  value: {{ ternary (join "," $value) $value (kindIs "slice" $value) | quote }}
{{- end }}
{{- end }}

{{/* The folder with files that describe further vendors. */}}
{{- define "drover.providers" -}}
{{ index .Values.settings "provider-dir" | default "/etc/drover/providers" }}
{{- end }}

{{/* What no process may do, for the pod and for its container. */}}
{{- define "drover.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "drover.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* A deployment of one role. Called with a dict of root, role and values. */}}
{{- define "drover.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "drover.name" .root }}-{{ .role }}
  labels: {{- include "drover.labels" . | nindent 4 }}
spec:
  {{- if not (dig "autoscaling" "enabled" false .values) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  # A new process is ready before an old one ends.
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  selector:
    matchLabels: {{- include "drover.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "drover.labels" . | nindent 8 }}
      {{- with .values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "drover.serviceAccount" .root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- if le (int .root.Values.shutdown.graceSeconds) (add 15 (int .root.Values.shutdown.drainSeconds)) }}
      {{- fail "shutdown.graceSeconds must be more than shutdown.drainSeconds and the 15 s of --shutdown-timeout" }}
      {{- end }}
      {{- if and (index .root.Values.settings "provider-dir") (not .root.Values.providers.configMap) }}
      {{- fail "settings.provider-dir needs providers.configMap: a process has no other files" }}
      {{- end }}
      terminationGracePeriodSeconds: {{ .root.Values.shutdown.graceSeconds }}
      securityContext: {{- include "drover.podSecurity" .root | nindent 8 }}
      {{- with .root.Values.image.pullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: drover
          image: {{ include "drover.image" .root }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: [serve]
          env: {{- include "drover.environment" . | nindent 12 }}
          ports:
            {{- if eq .role "api" }}
            - {name: http, containerPort: 8080}
            {{- end }}
            - {name: operator, containerPort: 8081}
          # While it migrates it is alive and not ready.
          livenessProbe:
            httpGet: {path: /healthz, port: operator}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: {path: /readyz, port: operator}
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          {{- if eq .role "api" }}
          lifecycle:
            preStop:
              sleep: {seconds: {{ .root.Values.shutdown.drainSeconds }}}
          {{- end }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext: {{- include "drover.security" .root | nindent 12 }}
          {{- if .root.Values.providers.configMap }}
          volumeMounts:
            - {name: providers, mountPath: {{ include "drover.providers" .root | quote }}, readOnly: true}
      volumes:
        - name: providers
          configMap: {name: {{ .root.Values.providers.configMap | quote }}}
          {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "drover.selector" . | nindent 14 }}
      {{- with .values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}

{{- define "drover.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "drover.name" .root }}-{{ .role }}
  labels: {{- include "drover.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .root.Values.podDisruptionBudget.maxUnavailable }}
  # One that is not ready holds up no drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "drover.selector" . | nindent 6 }}
{{- end }}
