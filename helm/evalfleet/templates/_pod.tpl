{{/* What the pods of all components share. */}}

{{/* A pod's spec but for containers and volumes. Takes (dict "root" $ "of" <the component's values>). */}}
{{- define "evalfleet.pod.settings" -}}
{{- /* Without service links: a Service EVALFLEET-… would put variables EVALFLEET_… into the pod, where they are flags. */ -}}
enableServiceLinks: false
automountServiceAccountToken: false
serviceAccountName: {{ include "evalfleet.serviceAccountName" .root | quote }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .of.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .of.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with .of.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Takes (dict "constraints" [...] "labels" "selector labels as YAML"). */}}
{{- define "evalfleet.pod.spread" -}}
{{- $selector := dict "labelSelector" (dict "matchLabels" (fromYaml .labels)) -}}
{{- $filled := list -}}
{{- range .constraints }}{{ $filled = append $filled (merge (dict) . $selector) }}{{ end -}}
{{- with $filled -}}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Image, security and resources of one of our containers. Takes (dict "root" $ "resources" {...}). */}}
{{- define "evalfleet.pod.container" -}}
image: {{ include "evalfleet.ownImage" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml .root.Values.securityContext | nindent 2 }}
{{- with .resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Takes (dict "of" <the component's values> "port" "http" "scheme" "HTTP"). */}}
{{- define "evalfleet.pod.probes" -}}
{{- range $name, $path := dict "startupProbe" "/healthz" "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
{{- with index $.of $name }}
{{ $name }}:
  httpGet:
    path: {{ $path }}
    port: {{ $.port }}
    scheme: {{ $.scheme }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "evalfleet.pod.logArgs" -}}
- "--log-level={{ .Values.log.level }}"
- "--log-format={{ .Values.log.format }}"
{{- end -}}

{{/* `--environment` with what the operator says; nothing if that is nothing. */}}
{{- define "evalfleet.pod.environmentArgs" -}}
{{- $said := list -}}
{{- range $name := list "region" "deployment" -}}
{{- with index $.Values.environment $name -}}
{{- $said = append $said (printf "%s=%s" $name .) -}}
{{- end -}}
{{- end -}}
{{- with $said -}}
- {{ printf "--environment=%s" (join "," .) | quote }}
{{- end -}}
{{- end -}}

{{- define "evalfleet.providersName" -}}
{{- default (include "evalfleet.objectName" (dict "root" . "suffix" "providers")) .Values.providersConfigMap -}}
{{- end -}}

{{/* HOST:PORT to listen on; IPv6 in brackets. */}}
{{- define "evalfleet.listen" -}}
{{- $host := .Values.bindAddress -}}
{{- printf "%s:8080" (ternary (printf "[%s]" $host) $host (contains ":" $host)) -}}
{{- end -}}

{{/* Where the release's own clients find the coordinator. */}}
{{- define "evalfleet.coordinatorUrl" -}}
{{- $scheme := ternary "https" "http" (not (empty .Values.tls.existingSecret)) -}}
{{- printf "%s://%s.%s.svc:%d" $scheme (include "evalfleet.coordinatorName" .) .Release.Namespace (int .Values.coordinator.service.port) -}}
{{- end -}}

{{- define "evalfleet.trustsOwnCa" -}}
{{- if and .Values.tls.existingSecret .Values.tls.caKey -}}yes{{- end -}}
{{- end -}}
