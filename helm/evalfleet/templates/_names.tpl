{{/* Names and labels. Selectors hold name, instance, component and pool only: they are immutable. */}}

{{- define "evalfleet.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "evalfleet.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/*
The name of an object: the full name, shortened so that the suffix is always whole and the sum has at
most 52 characters, as CronJobs and StatefulSets need. Takes (dict "root" $ "suffix" "worker-gpu").
*/}}
{{- define "evalfleet.objectName" -}}
{{- $room := sub 51 (len .suffix) | int -}}
{{- printf "%s-%s" (include "evalfleet.fullname" .root | trunc $room | trimSuffix "-") .suffix -}}
{{- end -}}

{{- define "evalfleet.coordinatorName" -}}
{{- include "evalfleet.objectName" (dict "root" . "suffix" "coordinator") -}}
{{- end -}}

{{- define "evalfleet.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "evalfleet.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "root" $ "component" "worker" "pool" "gpu"); the pool is optional. */}}
{{- define "evalfleet.selectorLabels" -}}
app.kubernetes.io/name: {{ include "evalfleet.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- with .pool }}
evalfleet/pool: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "evalfleet.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "evalfleet.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: evalfleet
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Annotations of an object, those of all objects included; nothing if there are none. Takes (dict "root" $ "own" {...}). */}}
{{- define "evalfleet.annotations" -}}
{{- with merge (dict) (default (dict) .own) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Labels of a pod: without the chart's version, so that a change of the chart alone restarts nobody. */}}
{{- define "evalfleet.podLabels" -}}
{{ include "evalfleet.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: evalfleet
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Takes (dict "root" $ "image" .Values.image "tag" "what stands for an empty tag"). */}}
{{- define "evalfleet.image" -}}
{{- $registry := default .image.registry .root.Values.global.imageRegistry -}}
{{- $name := ternary .image.repository (printf "%s/%s" $registry .image.repository) (empty $registry) -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .tag .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "evalfleet.ownImage" -}}
{{- include "evalfleet.image" (dict "root" . "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}
