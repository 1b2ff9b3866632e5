{{/* The operator's providers file, from values. Keys are paths of files that only workers have. */}}

{{- define "evalfleet.providers.keyFolder" -}}/etc/evalfleet/keys{{- end -}}

{{/* The file of a provider's secret. Takes (dict "root" $ "name" "main" "secret" "client_secret"). */}}
{{- define "evalfleet.providers.secretFile" -}}
{{ include "evalfleet.providers.keyFolder" .root }}/{{ .name }}.{{ .secret }}
{{- end -}}

{{/* Members that are Secrets and become files, with what the providers file calls them (`_file` left out); JSON. */}}
{{- define "evalfleet.providers.files" -}}
{{- toJson (dict "ca" "ca" "clientCert" "client_cert" "clientKey" "client_key") -}}
{{- end -}}

{{/* A map with the names that the providers file has for its members. Takes a map; JSON. */}}
{{- define "evalfleet.providers.renamed" -}}
{{- $names := dict "maxConcurrent" "max_concurrent" "inputUsdPerMtok" "input_usd_per_mtok" "outputUsdPerMtok" "output_usd_per_mtok" "cacheReadMultiplier" "cache_read_multiplier" "cacheWriteMultiplier" "cache_write_multiplier" "reasoningUsdPerMtok" "reasoning_usd_per_mtok" -}}
{{- $out := dict -}}
{{- range $field, $value := . }}{{ $_ := set $out (default $field (get $names $field)) $value }}{{ end -}}
{{- toJson $out -}}
{{- end -}}

{{/* `auth` of a provider; its secrets are files. Takes (dict "root" $ "name" "main" "auth" {...}); JSON. */}}
{{- define "evalfleet.providers.auth" -}}
{{- $names := dict "tokenUrl" "token_url" "clientId" "client_id" "tokenLifetimeSeconds" "token_lifetime_s" -}}
{{- $secrets := dict "clientSecret" "client_secret" "credentials" "credentials" "accessKeyId" "access_key_id" "secretAccessKey" "secret_access_key" "sessionToken" "session_token" -}}
{{- $out := dict -}}
{{- range $field, $value := .auth -}}
{{- if hasKey $secrets $field -}}
{{- $secret := get $secrets $field -}}
{{- $_ := set $out (printf "%s_file" $secret) (include "evalfleet.providers.secretFile" (dict "root" $.root "name" $.name "secret" $secret)) -}}
{{- else -}}
{{- $_ := set $out (default $field (get $names $field)) $value -}}
{{- end -}}
{{- end -}}
{{- toJson $out -}}
{{- end -}}

{{/* `headers` of a provider: texts, and secrets as files. Takes (dict "root" $ "name" "main" "headers" {...}); JSON. */}}
{{- define "evalfleet.providers.headers" -}}
{{- $out := dict -}}
{{- range $header, $value := .headers -}}
{{- if kindIs "map" $value -}}
{{- $file := include "evalfleet.providers.secretFile" (dict "root" $.root "name" $.name "secret" $header) -}}
{{- $entry := dict "file" $file -}}
{{- with $value.prefix }}{{ $_ := set $entry "prefix" . }}{{ end -}}
{{- $_ := set $out $header $entry -}}
{{- else -}}
{{- $_ := set $out $header $value -}}
{{- end -}}
{{- end -}}
{{- toJson $out -}}
{{- end -}}

{{/* providers.yaml of a map of providers. Takes (dict "root" $ "providers" {...}). */}}
{{- define "evalfleet.providers.file" -}}
{{- $names := dict "baseUrl" "base_url" "apiKeyId" "api_key_id" "maxConcurrent" "max_concurrent" "apiVersion" "api_version" "extraBody" "extra_body" "idleTimeoutMs" "idle_timeout_ms" -}}
{{- $files := include "evalfleet.providers.files" . | fromJson -}}
{{- $file := dict -}}
{{- range $name, $provider := .providers -}}
{{- $entry := dict -}}
{{- range $field, $value := $provider -}}
{{- if eq $field "apiKey" -}}
{{- $_ := set $entry "api_key_file" (printf "%s/%s" (include "evalfleet.providers.keyFolder" $.root) $name) -}}
{{- else if hasKey $files $field -}}
{{- $_ := set $entry (printf "%s_file" (get $files $field)) (include "evalfleet.providers.secretFile" (dict "root" $.root "name" $name "secret" (get $files $field))) -}}
{{- else if or (eq $field "prices") (eq $field "limits") -}}
{{- $_ := set $entry $field (include "evalfleet.providers.renamed" $value | fromJson) -}}
{{- else if eq $field "models" -}}
{{- $models := dict -}}
{{- range $model, $members := $value -}}
{{- $own := dict -}}
{{- range $member, $figures := $members }}{{ $_ := set $own $member (include "evalfleet.providers.renamed" $figures | fromJson) }}{{ end -}}
{{- $_ := set $models $model $own -}}
{{- end -}}
{{- $_ := set $entry "models" $models -}}
{{- else if eq $field "auth" -}}
{{- $_ := set $entry "auth" (include "evalfleet.providers.auth" (dict "root" $.root "name" $name "auth" $value) | fromJson) -}}
{{- else if eq $field "headers" -}}
{{- $_ := set $entry "headers" (include "evalfleet.providers.headers" (dict "root" $.root "name" $name "headers" $value) | fromJson) -}}
{{- else -}}
{{- $_ := set $entry (default $field (get $names $field)) $value -}}
{{- end -}}
{{- end -}}
{{- $_ := set $file $name $entry -}}
{{- end -}}
{{- toYaml (dict "providers" $file) -}}
{{- end -}}

{{/* One file of a secret. Takes (dict "secret" {existingSecret, key} "path" "main"). */}}
{{- define "evalfleet.providers.keySource" }}
- secret:
    name: {{ .secret.existingSecret | quote }}
    items:
      - key: {{ .secret.key | quote }}
        path: {{ .path | quote }}
{{- end -}}

{{/* The sources of the volume with all keys: a file for each key and certificate, and for each
     secret of auth and headers. */}}
{{- define "evalfleet.providers.keySources" -}}
{{- $secrets := dict "clientSecret" "client_secret" "credentials" "credentials" "accessKeyId" "access_key_id" "secretAccessKey" "secret_access_key" "sessionToken" "session_token" -}}
{{- range $name, $provider := . }}
{{- with $provider.apiKey }}
{{- include "evalfleet.providers.keySource" (dict "secret" . "path" $name) }}
{{- end }}
{{- range $field, $secret := include "evalfleet.providers.files" . | fromJson }}
{{- with get $provider $field }}
{{- include "evalfleet.providers.keySource" (dict "secret" . "path" (printf "%s.%s" $name $secret)) }}
{{- end }}
{{- end }}
{{- range $field, $value := $provider.auth }}
{{- if hasKey $secrets $field }}
{{- include "evalfleet.providers.keySource" (dict "secret" $value "path" (printf "%s.%s" $name (get $secrets $field))) }}
{{- end }}
{{- end }}
{{- range $header, $value := $provider.headers }}
{{- if kindIs "map" $value }}
{{- include "evalfleet.providers.keySource" (dict "secret" $value "path" (printf "%s.%s" $name $header)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
