{{- define "evalfleet.coordinator.storeFolder" -}}/var/lib/evalfleet{{- end -}}
{{- define "evalfleet.coordinator.datasetFolder" -}}/var/lib/evalfleet-datasets{{- end -}}

{{- define "evalfleet.coordinator.args" -}}
- "--store={{ include "evalfleet.coordinator.storeFolder" . }}"
- "--listen={{ include "evalfleet.listen" . }}"
- "--pool={{ .Values.pool }}"
- --providers=/etc/evalfleet/providers/providers.yaml
- "--tokens-file=/etc/evalfleet/tokens/{{ .Values.auth.key }}"
{{- if .Values.tls.existingSecret }}
- --tls-cert=/etc/evalfleet/tls/tls.crt
- --tls-key=/etc/evalfleet/tls/tls.key
{{- end }}
{{- if .Values.coordinator.datasets.existingClaim }}
- "--dataset-root={{ include "evalfleet.coordinator.datasetFolder" . }}"
{{- end }}
{{- if .Values.webhooks.existingSecret }}
- "--webhooks=/etc/evalfleet/webhooks/{{ .Values.webhooks.key }}"
{{- end }}
{{- with .Values.coordinator.retention }}
- "--retention={{ . }}"
{{- end }}
{{- with .Values.coordinator.maxDesiredSlots }}
- "--max-desired-slots={{ int . }}"
{{- end }}
{{- with .Values.coordinator.maxTrials }}
- "--max-trials={{ int64 . }}"
{{- end }}
{{- if .Values.coordinator.metricsToken }}
- --metrics-token
{{- end }}
{{- with include "evalfleet.pod.environmentArgs" . }}
{{ . }}
{{- end }}
{{ include "evalfleet.pod.logArgs" . }}
{{- with .Values.coordinator.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "evalfleet.coordinator.mounts" -}}
- name: store
  mountPath: {{ include "evalfleet.coordinator.storeFolder" . }}
- name: tmp
  mountPath: /tmp
- name: providers
  mountPath: /etc/evalfleet/providers
  readOnly: true
- name: tokens
  mountPath: /etc/evalfleet/tokens
  readOnly: true
{{- if .Values.webhooks.existingSecret }}
- name: webhooks
  mountPath: /etc/evalfleet/webhooks
  readOnly: true
{{- end }}
{{- if .Values.tls.existingSecret }}
- name: tls
  mountPath: /etc/evalfleet/tls
  readOnly: true
{{- end }}
{{- if include "evalfleet.redis.hasTlsFiles" . }}
- name: redis-tls
  mountPath: {{ include "evalfleet.redis.tlsFolder" . }}
  readOnly: true
{{- end }}
{{- with .Values.coordinator.datasets }}
{{- if .existingClaim }}
- name: datasets
  mountPath: {{ include "evalfleet.coordinator.datasetFolder" $ }}
  readOnly: true
  {{- with .subPath }}
  subPath: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}
{{- with .Values.coordinator.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Secrets are mounted as folders, without subPath, so that a change reaches the program. */}}
{{- define "evalfleet.coordinator.volumes" -}}
- name: tmp
  emptyDir: {}
- name: providers
  configMap:
    name: {{ include "evalfleet.providersName" . }}
- name: tokens
  secret:
    secretName: {{ .Values.auth.existingSecret | quote }}
    items:
      - key: {{ .Values.auth.key | quote }}
        path: {{ .Values.auth.key | quote }}
{{- with .Values.webhooks.existingSecret }}
- name: webhooks
  secret:
    secretName: {{ . | quote }}
{{- end }}
{{- with .Values.tls.existingSecret }}
- name: tls
  secret:
    secretName: {{ . | quote }}
{{- end }}
{{- if include "evalfleet.redis.hasTlsFiles" . }}
- name: redis-tls
  secret:
    secretName: {{ .Values.redis.tls.existingSecret | quote }}
{{- end }}
{{- with .Values.coordinator.datasets.existingClaim }}
- name: datasets
  persistentVolumeClaim:
    claimName: {{ . | quote }}
    readOnly: true
{{- end }}
{{- with .Values.coordinator.persistence }}
{{- if .existingClaim }}
- name: store
  persistentVolumeClaim:
    claimName: {{ .existingClaim | quote }}
{{- else if not .enabled }}
- name: store
  emptyDir: {}
{{- end }}
{{- end }}
{{- with .Values.coordinator.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The pod template, the same for a StatefulSet and a Deployment. */}}
{{- define "evalfleet.coordinator.pod" -}}
{{- $of := .Values.coordinator -}}
{{- $component := dict "root" . "component" "coordinator" -}}
metadata:
  labels:
    {{- include "evalfleet.podLabels" $component | nindent 4 }}
    {{- with $of.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include "evalfleet.providers.file" (dict "root" . "providers" .Values.providers) | sha256sum }}
    {{- with $of.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "evalfleet.pod.settings" (dict "root" . "of" $of) | nindent 2 }}
  {{- with include "evalfleet.pod.spread" (dict "constraints" $of.topologySpreadConstraints "labels" (include "evalfleet.selectorLabels" $component)) }}
  {{- . | nindent 2 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ int $of.terminationGracePeriodSeconds }}
  {{- with $of.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: coordinator
      {{- include "evalfleet.pod.container" (dict "root" . "resources" $of.resources) | nindent 6 }}
      command: [evalfleet-coordinator]
      args:
        {{- include "evalfleet.coordinator.args" . | nindent 8 }}
      env:
        {{- include "evalfleet.redis.env" . | nindent 8 }}
        {{- with $of.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $of.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: 8080
      {{- include "evalfleet.pod.probes" (dict "of" $of "port" "http" "scheme" (ternary "HTTPS" "HTTP" (not (empty .Values.tls.existingSecret)))) | trim | nindent 6 }}
      {{- with $of.lifecycle }}
      lifecycle:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- include "evalfleet.coordinator.mounts" . | nindent 8 }}
    {{- with $of.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "evalfleet.coordinator.volumes" . | nindent 4 }}
{{- end -}}
