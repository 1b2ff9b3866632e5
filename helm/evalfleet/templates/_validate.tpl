{{/*
Contradictions between values, which the schema cannot see. Each check gives lines that begin with "- "; all of them
are told at once. Takes the root.
*/}}

{{- define "evalfleet.check.redis" -}}
{{- $redis := .Values.redis -}}
{{- $external := include "evalfleet.redis.isExternal" . -}}
{{- if and $external .Values.devRedis.enabled }}
- redis and devRedis.enabled: found both, allowed: one of them
{{- else if not (or $external .Values.devRedis.enabled) }}
- redis: found none; set redis.host (or redis.nodes, or redis.urlKey), or devRedis.enabled=true for development
{{- end }}
{{- if and $redis.urlKey (not $redis.existingSecret) }}
- redis.urlKey: found '{{ $redis.urlKey }}' without redis.existingSecret, the Secret that has this key
{{- end }}
{{- if and $redis.username (not $redis.existingSecret) }}
- redis.username: found '{{ $redis.username }}' without redis.existingSecret, which holds the password
{{- end }}
{{- if and (or $redis.sentinelUsername $redis.sentinelPasswordKey) (or (ne $redis.topology "sentinel") (not $redis.existingSecret)) }}
- redis.sentinelUsername and redis.sentinelPasswordKey: found with redis.topology={{ $redis.topology }}, allowed: sentinel, with redis.existingSecret for the password
{{- end }}
{{- if $external }}
{{- if and (eq $redis.topology "standalone") $redis.nodes }}
- redis.nodes: found with redis.topology=standalone, allowed: sentinel or cluster
{{- end }}
{{- if and (ne $redis.topology "standalone") (not $redis.nodes) (not $redis.urlKey) }}
- redis.nodes: found none, but redis.topology={{ $redis.topology }} needs at least one host:port
{{- end }}
{{- if and (ne $redis.topology "standalone") $redis.host }}
- redis.host: found '{{ $redis.host }}' with redis.topology={{ $redis.topology }}, allowed: redis.nodes
{{- end }}
{{- if and (eq $redis.topology "sentinel") (not $redis.sentinelMaster) (not $redis.urlKey) }}
- redis.sentinelMaster: found '', but redis.topology=sentinel needs the name of the master
{{- end }}
{{- if and (eq $redis.topology "cluster") (ne (int $redis.database) 0) }}
- redis.database: found {{ int $redis.database }}, allowed: 0, the only one of a cluster
{{- end }}
{{- end }}
{{- if and $redis.tls.existingSecret (not $redis.tls.enabled) (not $redis.urlKey) }}
- redis.tls.existingSecret: found '{{ $redis.tls.existingSecret }}' with redis.tls.enabled=false
{{- end }}
{{- if and $redis.loader.enabled (not $redis.loader.existingSecret) }}
- redis.loader.existingSecret: found '', but redis.loader.enabled=true needs the Secret of a Redis user who may load functions
{{- end }}
{{- if and $redis.loader.enabled .Values.devRedis.enabled }}
- redis.loader.enabled: found true with devRedis.enabled, whose only user may load functions anyway
{{- end }}
{{- if ne (empty $redis.tls.certKey) (empty $redis.tls.keyKey) }}
- redis.tls.certKey and redis.tls.keyKey: found one, allowed: both or none
{{- end }}
{{- end -}}

{{- define "evalfleet.check.providers" -}}
{{- if and .Values.providers .Values.providersConfigMap }}
- providers and providersConfigMap: found both, allowed: one of them
{{- else if not (or .Values.providers .Values.providersConfigMap) }}
- providers: found none; name at least one model provider, or set providersConfigMap
{{- end }}
{{- range $name, $provider := .Values.providers }}
{{- range list "type" (ternary "command" "baseUrl" (eq (toString (get $provider "type")) "command")) }}
{{- if not (get $provider .) }}
- providers.{{ $name }}.{{ . }}: found nothing, allowed: see `providers` in the chart's README
{{- end }}
{{- end }}
{{- if ne (hasKey $provider "clientCert") (hasKey $provider "clientKey") }}
- providers.{{ $name }}.clientCert and providers.{{ $name }}.clientKey: found one, allowed: both or none
{{- end }}
{{- end }}
{{- end -}}

{{- define "evalfleet.check.proxy" -}}
{{- $proxy := .Values.proxy -}}
{{- range list "http" "https" "all" }}
{{- $key := printf "%sKey" . }}
{{- if and (get $proxy $key) (not $proxy.existingSecret) }}
- proxy.{{ $key }}: found '{{ get $proxy $key }}' without proxy.existingSecret, the Secret that has this key
{{- end }}
{{- if and (get $proxy $key) (get $proxy .) }}
- proxy.{{ . }} and proxy.{{ $key }}: found both, allowed: one of them
{{- end }}
{{- end }}
{{- if and $proxy.existingSecret (not (or $proxy.httpKey $proxy.httpsKey $proxy.allKey)) }}
- proxy.existingSecret: found '{{ $proxy.existingSecret }}', but none of its keys: set proxy.httpKey, proxy.httpsKey or proxy.allKey
{{- end }}
{{- end -}}

{{- define "evalfleet.check.coordinator" -}}
{{- $of := .Values.coordinator -}}
{{- if $of.enabled }}
{{- if not .Values.auth.existingSecret }}
- auth.existingSecret: found '', but the coordinator serves a network: make a Secret with a tokens file and name it
{{- end }}
{{- if and (gt (int $of.replicas) 1) (not $of.persistence.existingClaim) }}
- coordinator.replicas: found {{ int $of.replicas }}, allowed: 1, since a standby needs the same volume: set coordinator.persistence.existingClaim
{{- end }}
{{- if and (gt (int $of.replicas) 1) $of.podDisruptionBudget.enabled }}
- coordinator.podDisruptionBudget.enabled: found true with coordinator.replicas={{ int $of.replicas }}, where it would block node drains, since a standby is never ready
{{- end }}
{{- if and $of.ingress.enabled (not $of.ingress.hosts) }}
- coordinator.ingress.hosts: found none, but coordinator.ingress.enabled=true needs at least one
{{- end }}
{{- if and $of.httpRoute.enabled (not $of.httpRoute.parentRefs) }}
- coordinator.httpRoute.parentRefs: found none, but coordinator.httpRoute.enabled=true needs the Gateway that it belongs to
{{- end }}
{{- if and (eq (len $of.service.ipFamilies) 2) (eq $of.service.ipFamilyPolicy "SingleStack") }}
- coordinator.service.ipFamilies: found two with coordinator.service.ipFamilyPolicy=SingleStack, allowed: PreferDualStack or RequireDualStack
{{- end }}
{{- if and (or $of.ingress.enabled $of.httpRoute.enabled) .Values.networkPolicy.enabled (not .Values.networkPolicy.apiFrom) }}
- networkPolicy.apiFrom: found none, so that the ingress controller or Gateway could not reach the coordinator
{{- end }}
{{- if and .Values.monitoring.serviceMonitor.enabled $of.metricsToken (not .Values.monitoring.serviceMonitor.tokenSecret) }}
- monitoring.serviceMonitor.tokenSecret: found '', but coordinator.metricsToken=true makes /metrics need a token
{{- end }}
{{- else }}
{{- if .Values.nightlyRuns }}
- nightlyRuns: found some with coordinator.enabled=false, which leaves nobody to submit them to
{{- end }}
{{- end }}
{{- end -}}

{{- define "evalfleet.check.pool" -}}
{{- $pool := include "evalfleet.pool" . | fromJson -}}
{{- $scaling := $pool.autoscaling -}}
{{- $needed := add (int $pool.drainTimeoutSeconds) 15 -}}
{{- if lt (int $pool.terminationGracePeriodSeconds) (int $needed) }}
- terminationGracePeriodSeconds of worker pool '{{ .name }}': found {{ int $pool.terminationGracePeriodSeconds }}, allowed: {{ $needed }} or more, which is drainTimeoutSeconds ({{ int $pool.drainTimeoutSeconds }}) and 15 for handing jobs back
{{- end }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
- autoscaling.minReplicas of worker pool '{{ .name }}': found {{ int $scaling.minReplicas }}, allowed: at most autoscaling.maxReplicas ({{ int $scaling.maxReplicas }})
{{- end }}
{{- if and (eq $scaling.type "hpa") (lt (int $scaling.minReplicas) 1) }}
- autoscaling.minReplicas of worker pool '{{ .name }}': found 0, allowed: 1 or more with autoscaling.type=hpa; only keda scales to zero
{{- end }}
{{- if and (eq $scaling.type "keda") (eq $scaling.keda.source "prometheus") (not $scaling.keda.prometheusAddress) }}
- autoscaling.keda.prometheusAddress of worker pool '{{ .name }}': found '', allowed: the address of Prometheus, or autoscaling.keda.source=metricsApi
{{- end }}
{{- if and (eq $scaling.type "keda") (eq $scaling.keda.source "metricsApi") (not .root.Values.coordinator.enabled) }}
- autoscaling.keda.source of worker pool '{{ .name }}': found metricsApi, allowed: prometheus, since this release has no coordinator to ask
{{- end }}
{{- if and (eq $scaling.type "keda") (eq $scaling.keda.source "metricsApi") .root.Values.coordinator.enabled }}
{{- if and .root.Values.coordinator.metricsToken (not $scaling.keda.tokenSecret) }}
- autoscaling.keda.tokenSecret of worker pool '{{ .name }}': found '', but coordinator.metricsToken=true makes /metrics need a token
{{- end }}
{{- if and .root.Values.networkPolicy.enabled (not .root.Values.networkPolicy.apiFrom) }}
- networkPolicy.apiFrom: found none, so that KEDA could not ask the coordinator for worker pool '{{ .name }}'
{{- end }}
{{- end }}
{{- $own := (default (dict) (index .root.Values.workerPools .name)).providers | default .root.Values.worker.providers }}
{{- range $provider, $_ := $own }}
{{- if not (hasKey (default (dict) $.root.Values.providers) $provider) }}
- providers of worker pool '{{ $.name }}': found '{{ $provider }}', which is not under `providers`, so that the coordinator would refuse runs that name it
{{- end }}
{{- end }}
{{- end -}}

{{- define "evalfleet.check.nightly" -}}
{{- $run := include "evalfleet.nightly" . | fromJson -}}
{{- if not $run.tokenSecret }}
- tokenSecret of nightly run '{{ .name }}': found '', allowed: the Secret with a submitter's token
{{- end }}
{{- if and $run.files $run.existingConfigMap }}
- files and existingConfigMap of nightly run '{{ .name }}': found both, allowed: one of them
{{- else if and (not $run.existingConfigMap) (not (hasKey $run.files $run.runFile)) }}
- files of nightly run '{{ .name }}': found no '{{ $run.runFile }}' among them, allowed: the run file under this name, or existingConfigMap
{{- end }}
{{- end -}}

{{/* Secrets that stand open in a variable. Takes (dict "where" "coordinator.extraEnv" "env" [...]). */}}
{{- define "evalfleet.check.env" -}}
{{- range .env }}
{{- if and .value (regexMatch "(?i)(passw|token|secret|api_?key|credential|^EVALFLEET_REDIS$)" .name) }}
- {{ $.where }}: found a value for {{ .name }}, allowed: valueFrom.secretKeyRef, since values are kept readable in the release
{{- end }}
{{- end }}
{{- end -}}

{{- define "evalfleet.check.alerts" -}}
{{- $names := (include "evalfleet.alertNames" . | fromJson).names -}}
{{- range $name, $_ := .Values.monitoring.prometheusRule.overrides }}
{{- if not (has $name $names) }}
- monitoring.prometheusRule.overrides: found '{{ $name }}', allowed: {{ join ", " $names }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "evalfleet.validate" -}}
{{- $faults := list (include "evalfleet.check.redis" .) (include "evalfleet.check.providers" .) (include "evalfleet.check.proxy" .) (include "evalfleet.check.coordinator" .) (include "evalfleet.check.alerts" .) -}}
{{- $faults = append $faults (include "evalfleet.check.env" (dict "where" "coordinator.extraEnv" "env" .Values.coordinator.extraEnv)) -}}
{{- range $name, $_ := .Values.workerPools -}}
{{- $pool := include "evalfleet.pool" (dict "root" $ "name" $name) | fromJson -}}
{{- $faults = append $faults (include "evalfleet.check.pool" (dict "root" $ "name" $name)) -}}
{{- $faults = append $faults (include "evalfleet.check.env" (dict "where" (printf "extraEnv of worker pool '%s'" $name) "env" $pool.extraEnv)) -}}
{{- end -}}
{{- range $name, $_ := .Values.nightlyRuns -}}
{{- $run := include "evalfleet.nightly" (dict "root" $ "name" $name) | fromJson -}}
{{- $faults = append $faults (include "evalfleet.check.nightly" (dict "root" $ "name" $name)) -}}
{{- $faults = append $faults (include "evalfleet.check.env" (dict "where" (printf "extraEnv of nightly run '%s'" $name) "env" $run.extraEnv)) -}}
{{- end -}}
{{- with join "" $faults | trim }}{{ fail (printf "\n\nThese values cannot work:\n%s\n" .) }}{{ end -}}
{{- end -}}
