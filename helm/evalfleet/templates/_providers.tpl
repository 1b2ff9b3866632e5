{{/* The operator's providers file, from values. Keys are paths of files that only workers have. */}}

{{- define "evalfleet.providers.keyFolder" -}}/etc/evalfleet/keys{{- end -}}

{{/* providers.yaml of a map of providers. Takes (dict "root" $ "providers" {...}). */}}
{{- define "evalfleet.providers.file" -}}
{{- $names := dict "baseUrl" "base_url" "apiKeyId" "api_key_id" "maxConcurrent" "max_concurrent" "apiVersion" "api_version" -}}
{{- $priceNames := dict "inputUsdPerMtok" "input_usd_per_mtok" "outputUsdPerMtok" "output_usd_per_mtok" "cacheReadMultiplier" "cache_read_multiplier" "cacheWriteMultiplier" "cache_write_multiplier" -}}
{{- $file := dict -}}
{{- range $name, $provider := .providers -}}
{{- $entry := dict -}}
{{- range $field, $value := $provider -}}
{{- if eq $field "apiKey" -}}
{{- $_ := set $entry "api_key_file" (printf "%s/%s" (include "evalfleet.providers.keyFolder" $.root) $name) -}}
{{- else if eq $field "prices" -}}
{{- $prices := dict -}}
{{- range $price, $amount := $value }}{{ $_ := set $prices (get $priceNames $price) $amount }}{{ end -}}
{{- $_ := set $entry "prices" $prices -}}
{{- else -}}
{{- $_ := set $entry (default $field (get $names $field)) $value -}}
{{- end -}}
{{- end -}}
{{- $_ := set $file $name $entry -}}
{{- end -}}
{{- toYaml (dict "providers" $file) -}}
{{- end -}}

{{/* The sources of the volume with all keys, one file for each provider that has one. */}}
{{- define "evalfleet.providers.keySources" -}}
{{- range $name, $provider := . }}
{{- with $provider.apiKey }}
- secret:
    name: {{ .existingSecret | quote }}
    items:
      - key: {{ .key | quote }}
        path: {{ $name | quote }}
{{- end }}
{{- end }}
{{- end -}}
