{{- define "posthaste.name" -}}
{{- if contains "posthaste" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-posthaste" (.Release.Name | trunc 40 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "posthaste.labels" -}}
app.kubernetes.io/name: posthaste
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "posthaste.secret" -}}
{{ required "existingSecret: name the Secret with DATABASE_URL, SECRET_KEY and METRICS_TOKEN" .Values.existingSecret }}
{{- end }}
