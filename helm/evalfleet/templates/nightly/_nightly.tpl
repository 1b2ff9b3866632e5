{{/* The values of one nightly run, as JSON. Takes (dict "root" $ "name" "qa"). */}}
{{- define "evalfleet.nightly" -}}
{{- $run := mustMergeOverwrite (deepCopy .root.Values.nightly) (deepCopy (default (dict) (index .root.Values.nightlyRuns .name))) -}}
{{- $_ := set $run "objectName" (include "evalfleet.objectName" (dict "root" .root "suffix" (printf "run-%s" .name))) -}}
{{- toJson $run -}}
{{- end -}}

{{/* Environment, mounts and volumes of a pod that talks to the coordinator. Take the root. */}}
{{- define "evalfleet.client.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if include "evalfleet.trustsOwnCa" . }}
- name: ca
  mountPath: /etc/evalfleet/ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "evalfleet.client.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if include "evalfleet.trustsOwnCa" . }}
- name: ca
  secret:
    secretName: {{ .Values.tls.existingSecret | quote }}
    items:
      - key: {{ .Values.tls.caKey | quote }}
        path: ca.crt
{{- end }}
{{- end -}}

{{- define "evalfleet.client.env" -}}
{{- if include "evalfleet.trustsOwnCa" . }}
# Read by OpenSSL in place of the system's authorities; these pods talk to the coordinator only.
- name: SSL_CERT_FILE
  value: /etc/evalfleet/ca/ca.crt
{{- end }}
{{- end -}}
