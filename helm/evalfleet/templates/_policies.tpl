{{/* Parts of network policies. All take the root. */}}

{{/* A list of one peer: the release's own clients of the API. */}}
{{- define "evalfleet.policy.clients" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ include "evalfleet.name" . }}
      app.kubernetes.io/instance: {{ .Release.Name | quote }}
    matchExpressions:
      - key: app.kubernetes.io/component
        operator: In
        values: [nightly, test]
{{- end -}}

{{- define "evalfleet.policy.dns" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
{{- end -}}

{{/* What coordinator and workers both need: names and Redis. */}}
{{- define "evalfleet.policy.egress" -}}
{{ include "evalfleet.policy.dns" . }}
{{- if .Values.devRedis.enabled }}
- to:
    - podSelector:
        matchLabels:
          {{- include "evalfleet.selectorLabels" (dict "root" . "component" "dev-redis") | nindent 10 }}
  ports:
    - port: redis
{{- else }}
- ports:
    {{- range (include "evalfleet.redis.ports" . | fromJson).ports }}
    - port: {{ int . }}
      protocol: TCP
    {{- end }}
  {{- with .Values.networkPolicy.redisTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- with .Values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
