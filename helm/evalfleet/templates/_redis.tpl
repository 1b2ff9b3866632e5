{{/* How Redis is reached. The password is a variable of its own, out of its Secret, and not in the URL. */}}

{{- define "evalfleet.redis.isExternal" -}}
{{- if or .Values.redis.host .Values.redis.nodes .Values.redis.urlKey -}}yes{{- end -}}
{{- end -}}

{{- define "evalfleet.redis.devName" -}}
{{- include "evalfleet.objectName" (dict "root" . "suffix" "dev-redis") -}}
{{- end -}}

{{- define "evalfleet.redis.tlsFolder" -}}/etc/evalfleet/redis-tls{{- end -}}

{{/* `?ca_file=…&…`, or nothing. */}}
{{- define "evalfleet.redis.options" -}}
{{- $redis := .Values.redis -}}
{{- $folder := include "evalfleet.redis.tlsFolder" . -}}
{{- $options := list -}}
{{- if $redis.tls.enabled -}}
{{- if $redis.tls.existingSecret -}}
{{- with $redis.tls.caKey }}{{ $options = append $options (printf "ca_file=%s/%s" $folder .) }}{{ end -}}
{{- with $redis.tls.certKey }}{{ $options = append $options (printf "cert_file=%s/%s" $folder .) }}{{ end -}}
{{- with $redis.tls.keyKey }}{{ $options = append $options (printf "key_file=%s/%s" $folder .) }}{{ end -}}
{{- end -}}
{{- with $redis.tls.serverName }}{{ $options = append $options (printf "server_name=%s" .) }}{{ end -}}
{{- end -}}
{{- if eq $redis.topology "sentinel" -}}
{{- with $redis.sentinelUsername }}{{ $options = append $options (printf "sentinel_user=%s" (. | urlquery | replace "+" "%20")) }}{{ end -}}
{{- with $redis.sentinelPasswordKey }}{{ $options = append $options "sentinel_password=$(REDIS_SENTINEL_PASSWORD)" }}{{ end -}}
{{- end -}}
{{- with $options }}?{{ join "&" . }}{{ end -}}
{{- end -}}

{{- define "evalfleet.redis.url" -}}
{{- $redis := .Values.redis -}}
{{- if .Values.devRedis.enabled -}}
redis://{{ include "evalfleet.redis.devName" . }}:6379/0
{{- else -}}
{{- $user := default "" $redis.username | urlquery | replace "+" "%20" -}}
{{- $credentials := ternary (printf "%s:@" $user) "" (and (not (empty $redis.existingSecret)) (not (empty $user))) -}}
{{- $scheme := ternary "rediss" "redis" $redis.tls.enabled -}}
{{- $options := include "evalfleet.redis.options" . -}}
{{- if eq $redis.topology "standalone" -}}
{{- $host := ternary (printf "[%s]" $redis.host) $redis.host (contains ":" $redis.host) -}}
{{ $scheme }}://{{ $credentials }}{{ $host }}:{{ $redis.port }}/{{ $redis.database }}{{ $options }}
{{- else if eq $redis.topology "sentinel" -}}
{{ $scheme }}+sentinel://{{ $credentials }}{{ join "," $redis.nodes }}/{{ $redis.sentinelMaster }}/{{ $redis.database }}{{ $options }}
{{- else -}}
{{ $scheme }}+cluster://{{ $credentials }}{{ join "," $redis.nodes }}{{ $options }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Environment of coordinator and workers. */}}
{{- define "evalfleet.redis.env" -}}
{{- $redis := .Values.redis -}}
{{- if and $redis.urlKey (not .Values.devRedis.enabled) -}}
- name: EVALFLEET_REDIS
  valueFrom:
    secretKeyRef:
      name: {{ $redis.existingSecret | quote }}
      key: {{ $redis.urlKey | quote }}
{{- else -}}
{{- if and $redis.existingSecret (not .Values.devRedis.enabled) -}}
- name: EVALFLEET_REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $redis.existingSecret | quote }}
      key: {{ $redis.passwordKey | quote }}
{{ with $redis.sentinelPasswordKey -}}
- name: REDIS_SENTINEL_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $redis.existingSecret | quote }}
      key: {{ . | quote }}
{{ end -}}
{{ end -}}
- name: EVALFLEET_REDIS
  value: {{ include "evalfleet.redis.url" . | quote }}
{{- end -}}
{{- end -}}

{{- define "evalfleet.redis.hasTlsFiles" -}}
{{- if and .Values.redis.tls.existingSecret (not .Values.devRedis.enabled) -}}yes{{- end -}}
{{- end -}}

{{/* The ports that a network policy opens, as a JSON object {"ports": [...]}. */}}
{{- define "evalfleet.redis.ports" -}}
{{- $ports := list (int .Values.redis.port) -}}
{{- range .Values.redis.nodes }}{{ $ports = append $ports (splitList ":" . | last | int) }}{{ end -}}
{{- dict "ports" ($ports | uniq) | toJson -}}
{{- end -}}
