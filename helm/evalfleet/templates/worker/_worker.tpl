{{/* All take (dict "root" $ "name" "gpu" "pool" <the pool's values>). */}}

{{- define "evalfleet.worker.args" -}}
- "--pool={{ .root.Values.pool }}"
- --providers=/etc/evalfleet/providers/providers.yaml
- "--concurrency={{ int .pool.concurrency }}"
- "--threads={{ int .pool.threads }}"
- "--compute-threads={{ int .pool.computeThreads }}"
- "--lease={{ int .pool.leaseSeconds }}s"
- "--drain-timeout={{ int .pool.drainTimeoutSeconds }}s"
- "--metrics-host={{ .root.Values.bindAddress }}"
- --metrics-port=9090
{{- if .root.Values.providerCa.existingSecret }}
- "--ca-file=/etc/evalfleet/provider-ca/{{ .root.Values.providerCa.key }}"
{{- end }}
{{- if .root.Values.keepOriginals.existingSecret }}
- "--keep-originals=/etc/evalfleet/originals/{{ .root.Values.keepOriginals.key }}"
{{- end }}
{{- with include "evalfleet.pod.environmentArgs" .root }}
{{ . }}
{{- end }}
{{ include "evalfleet.pod.logArgs" .root }}
{{- with .pool.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Variables that say which proxies lead to providers. Takes the root. */}}
{{- define "evalfleet.worker.proxies" -}}
{{- $proxy := .Values.proxy -}}
{{- range $variable, $name := dict "HTTP_PROXY" "http" "HTTPS_PROXY" "https" "ALL_PROXY" "all" }}
{{- $key := get $proxy (printf "%sKey" $name) }}
{{- if $key }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $proxy.existingSecret | quote }}
      key: {{ $key | quote }}
{{- else if get $proxy $name }}
- name: {{ $variable }}
  value: {{ get $proxy $name | quote }}
{{- end }}
{{- end }}
{{- with $proxy.noProxy }}
- name: NO_PROXY
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "evalfleet.worker.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: providers
  mountPath: /etc/evalfleet/providers
  readOnly: true
{{- if include "evalfleet.providers.keySources" .pool.providers }}
- name: keys
  mountPath: {{ include "evalfleet.providers.keyFolder" .root }}
  readOnly: true
{{- end }}
{{- if .root.Values.providerCa.existingSecret }}
- name: provider-ca
  mountPath: /etc/evalfleet/provider-ca
  readOnly: true
{{- end }}
{{- if .root.Values.keepOriginals.existingSecret }}
- name: originals
  mountPath: /etc/evalfleet/originals
  readOnly: true
{{- end }}
{{- if include "evalfleet.redis.hasTlsFiles" .root }}
- name: redis-tls
  mountPath: {{ include "evalfleet.redis.tlsFolder" .root }}
  readOnly: true
{{- end }}
{{- with .pool.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "evalfleet.worker.providersName" -}}
{{- if .pool.ownProviders -}}
{{- include "evalfleet.objectName" (dict "root" .root "suffix" (printf "worker-%s-providers" .name)) -}}
{{- else -}}
{{- include "evalfleet.providersName" .root -}}
{{- end -}}
{{- end -}}

{{- define "evalfleet.worker.volumes" -}}
- name: tmp
  emptyDir: {}
- name: providers
  configMap:
    name: {{ include "evalfleet.worker.providersName" . }}
{{- with include "evalfleet.providers.keySources" .pool.providers }}
- name: keys
  projected:
    sources:
      {{- . | trim | nindent 6 }}
{{- end }}
{{- with .root.Values.providerCa.existingSecret }}
- name: provider-ca
  secret:
    secretName: {{ . | quote }}
{{- end }}
{{- with .root.Values.keepOriginals }}
{{- if .existingSecret }}
- name: originals
  secret:
    secretName: {{ .existingSecret | quote }}
    {{- /* 0440: a key that others could read is refused. */}}
    defaultMode: 288
    items:
      - key: {{ .key | quote }}
        path: {{ .key | quote }}
{{- end }}
{{- end }}
{{- if include "evalfleet.redis.hasTlsFiles" .root }}
- name: redis-tls
  secret:
    secretName: {{ .root.Values.redis.tls.existingSecret | quote }}
{{- end }}
{{- with .pool.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "evalfleet.worker.pod" -}}
{{- $component := dict "root" .root "component" "worker" "pool" .name -}}
metadata:
  labels:
    {{- include "evalfleet.podLabels" $component | nindent 4 }}
    {{- with .pool.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include "evalfleet.providers.file" (dict "root" .root "providers" .pool.providers) | sha256sum }}
    {{- with .pool.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "evalfleet.pod.settings" (dict "root" .root "of" .pool) | nindent 2 }}
  {{- with include "evalfleet.pod.spread" (dict "constraints" .pool.topologySpreadConstraints "labels" (include "evalfleet.selectorLabels" $component)) }}
  {{- . | nindent 2 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ int .pool.terminationGracePeriodSeconds }}
  {{- with .pool.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: worker
      {{- include "evalfleet.pod.container" (dict "root" .root "resources" .pool.resources) | nindent 6 }}
      command: [evalfleet-worker]
      args:
        {{- include "evalfleet.worker.args" . | nindent 8 }}
      env:
        {{- include "evalfleet.redis.env" .root | nindent 8 }}
        {{- with include "evalfleet.worker.proxies" .root | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with .pool.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .pool.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: metrics
          containerPort: 9090
      {{- include "evalfleet.pod.probes" (dict "of" .pool "port" "metrics" "scheme" "HTTP") | trim | nindent 6 }}
      {{- with .pool.lifecycle }}
      lifecycle:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- include "evalfleet.worker.mounts" . | nindent 8 }}
    {{- with .pool.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "evalfleet.worker.volumes" . | nindent 4 }}
{{- end -}}

{{/* Whether KEDA needs credentials for its source, or an authority to trust: then "yes". */}}
{{- define "evalfleet.worker.kedaAuthenticates" -}}
{{- $keda := .pool.autoscaling.keda -}}
{{- if or $keda.tokenSecret (and (eq $keda.source "metricsApi") (include "evalfleet.trustsOwnCa" .root)) -}}yes{{- end -}}
{{- end -}}

{{/* Queued plus leased work of this queue, as the coordinator says it, wherever that is. Takes the root. */}}
{{- define "evalfleet.worker.query" -}}
max(evalfleet_desired_slots{ {{- if .Values.coordinator.enabled }}namespace="{{ .Release.Namespace }}",{{ end }}pool="{{ .Values.pool }}"})
{{- end -}}
