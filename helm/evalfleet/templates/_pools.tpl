{{/* The values of one pool: `worker`, what the pool says over it, and its providers. As JSON.
     Takes (dict "root" $ "name" "gpu"). */}}
{{- define "evalfleet.pool" -}}
{{- $own := default (dict) (index .root.Values.workerPools .name) -}}
{{- $pool := mustMergeOverwrite (deepCopy .root.Values.worker) (deepCopy $own) -}}
{{- $providers := mustMergeOverwrite (deepCopy (default (dict) .root.Values.providers)) (deepCopy (default (dict) $pool.providers)) -}}
{{- $_ := set $pool "ownProviders" (not (empty $pool.providers)) -}}
{{- $_ := set $pool "providers" $providers -}}
{{- $_ := set $pool "objectName" (include "evalfleet.objectName" (dict "root" .root "suffix" (printf "worker-%s" .name))) -}}
{{- toJson $pool -}}
{{- end -}}

{{/* Wanted slots for which there is one pod. Takes a pool. */}}
{{- define "evalfleet.pool.slotsPerPod" -}}
{{- $slots := ternary .concurrency .autoscaling.slotsPerPod (eq (int .autoscaling.slotsPerPod) 0) -}}
{{- round (divf $slots .autoscaling.share) 0 | int -}}
{{- end -}}
