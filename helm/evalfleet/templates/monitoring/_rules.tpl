{{/*
The rules of alerts/*.yaml are plain files that promtool reads as they are; here they become objects, so that
the `{{ … }}` in their texts needs no escaping, and values can change single alerts.
*/}}

{{/* One rule with the changes of the values, as JSON; nothing if it is switched off. Takes (dict "rule" {...} "settings" {...}). */}}
{{- define "evalfleet.rule" -}}
{{- $rule := deepCopy .rule -}}
{{- if not $rule.alert -}}
{{- toJson $rule -}}
{{- else -}}
{{- $change := default (dict) (get .settings.overrides $rule.alert) -}}
{{- $labels := mustMergeOverwrite (default (dict) $rule.labels) (deepCopy .settings.alertLabels) -}}
{{- with $change.severity }}{{ $_ := set $labels "severity" . }}{{ end -}}
{{- $_ := set $rule "labels" $labels -}}
{{- with get $change "for" }}{{ $_ := set $rule "for" . }}{{ end -}}
{{- with $change.expr }}{{ $_ := set $rule "expr" . }}{{ end -}}
{{- if .settings.runbookUrl -}}
{{- $annotations := default (dict) $rule.annotations -}}
{{- $_ := set $annotations "runbook_url" (printf "%s#%s" .settings.runbookUrl (lower $rule.alert)) -}}
{{- $_ := set $rule "annotations" $annotations -}}
{{- end -}}
{{- if not (and (hasKey $change "enabled") (not $change.enabled)) }}{{ toJson $rule }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Groups of a rule file, changed, as JSON {"groups": [...]}. Takes (dict "groups" [...] "settings" {...}). */}}
{{- define "evalfleet.ruleGroups" -}}
{{- $settings := .settings -}}
{{- $groups := list -}}
{{- range $group := .groups -}}
{{- $rules := list -}}
{{- range $group.rules -}}
{{- with include "evalfleet.rule" (dict "rule" . "settings" $settings) }}{{ $rules = append $rules (fromJson .) }}{{ end -}}
{{- end -}}
{{- if $rules }}{{ $groups = append $groups (mustMergeOverwrite (deepCopy $group) (dict "rules" $rules)) }}{{ end -}}
{{- end -}}
{{- toJson (dict "groups" $groups) -}}
{{- end -}}

{{/* The names of all alerts, as JSON {"names": [...]}. Takes the root. */}}
{{- define "evalfleet.alertNames" -}}
{{- $names := list -}}
{{- range $path, $_ := .Files.Glob "alerts/*.yaml" -}}
{{- range ($.Files.Get $path | fromYaml).groups -}}
{{- range .rules }}{{ with .alert }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "names" $names) -}}
{{- end -}}
