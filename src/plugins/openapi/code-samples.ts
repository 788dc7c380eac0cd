// Adds samples to each operation of the document (`x-codeSamples`): for curl, the official SDK for Node.js, and Python, made from its examples.
import { isRecord } from '../../lib/validation/field-tree.ts'

type Media = { example?: unknown }
type Parameter = { in?: string; name?: string; required?: boolean; example?: unknown; schema?: { enum?: unknown[]; examples?: unknown[] } }
type Described = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, Media> }
  responses?: Record<string, { content?: Record<string, unknown> }>
  security?: unknown[]
}
type Sample = { lang: string; label: string; source: string }
/** `ids`: those in the path, in order. */
type Call = { id: string; method: string; path: string; ids: string[]; body: Body; isFile: boolean; isPublic: boolean; keyName: string }
type Body = { kind: 'none' } | { kind: 'json'; value: unknown } | { kind: 'form'; fields: Record<string, unknown> }

/** `origin`: where the samples send their requests. They read the key from the environment, so that no one writes one into a program. */
export function withCodeSamples<D extends { paths?: object }>(document: D, origin: string): D {
  const paths = Object.entries<Record<string, Described>>({ ...document.paths }).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, described]) => {
      // They need the session of a browser.
      if (described.security?.some((one) => isRecord(one) && 'session' in one)) return [method, described]
      const call = sampleCall(method.toUpperCase(), path, described)
      return [method, { ...described, 'x-codeSamples': renderSamples(call, origin) }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

const renderSamples = (call: Call, origin: string): Sample[] => [
  { lang: 'Shell', label: 'curl', source: curlSample(call, origin) },
  { lang: 'JavaScript', label: 'Node.js', source: nodeSample(call, origin) },
  { lang: 'Python', label: 'Python', source: pythonSample(call, origin) },
]

function sampleCall(
  method: string,
  path: string,
  { operationId = '', parameters = [], requestBody, responses, security }: Described,
): Call {
  const required = parameters.filter((one) => one.required)
  const ids: string[] = []
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const id = exampleOf(required.find((one) => one.in === 'path' && one.name === name)) ?? whole
    ids.push(id)
    return encodeURIComponent(id)
  })
  const query = new URLSearchParams(
    required.filter((one) => one.in === 'query').map((one): [string, string] => [one.name ?? '', exampleOf(one) ?? '']),
  ).toString()
  return {
    id: operationId,
    method,
    path: query === '' ? filled : `${filled}?${query}`,
    ids,
    body: sampleBody(requestBody?.content ?? {}),
    // A file, and nothing else.
    isFile: Object.keys(responses?.['200']?.content ?? {}).join() === 'text/csv',
    isPublic: security?.length === 0,
    keyName: security?.some((one) => isRecord(one) && 'operatorKey' in one) ? 'OPERATOR_KEY' : 'RESEND_API_KEY',
  }
}

function exampleOf(parameter: Parameter | undefined): string | null {
  const example = parameter?.example ?? parameter?.schema?.examples?.[0] ?? parameter?.schema?.enum?.[0]
  return example === undefined ? null : String(example)
}

function sampleBody(content: Record<string, Media>): Body {
  const [[type, { example } = {}] = ['']] = Object.entries(content)
  if (example === undefined) return { kind: 'none' }
  return type === 'multipart/form-data' && isRecord(example) ? { kind: 'form', fields: example } : { kind: 'json', value: example }
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2)

/** In single quotes a shell reads everything as it is, but for these quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A list or an object is one part of a form, as JSON. */
const formText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function curlSample({ method, path, body, isPublic, keyName }: Call, origin: string): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(`${origin}${path}`)}`,
    ...(isPublic ? [] : [`-H "Authorization: Bearer $${keyName}"`]),
  ]
  if (body.kind === 'json') parts.push(`-H 'Content-Type: application/json'`, `-d ${shellQuoted(indented(body.value))}`)
  if (body.kind === 'form') {
    for (const [name, value] of Object.entries(body.fields)) {
      parts.push(name === 'file' ? '-F file=@contacts.csv' : `--form-string ${shellQuoted(`${name}=${formText(value)}`)}`)
    }
  }
  return parts.join(' \\\n  ')
}

/** What a reader writes. Put together, because the service reads its own environment in one place only. */
const environmentOf = (name: string): string => ['process', 'env', name].join('.')

function nodeSample(call: Call, origin: string): string {
  if (call.isFile)
    return `const response = await fetch('${origin}${call.path}', {
  headers: { Authorization: \`Bearer \${${environmentOf(call.keyName)}}\` },
})
console.log(await response.text())`
  const reads = call.body.kind === 'form' ? `import { readFile } from 'node:fs/promises'\n` : ''
  return `${reads}import { Resend } from 'resend'

const resend = new Resend(${environmentOf(call.keyName)}, { baseUrl: '${origin}' })
const { data, error } = await ${sdkCall(call)}
console.log(error ?? data)`
}

/** By the method of the SDK if its arguments are those of the request, and otherwise by the call that it has for any request. */
function sdkCall({ id, method, path, ids, body }: Call): string {
  if (body.kind === 'form') return `resend.contacts.imports.create(${formInput(body.fields)})`
  const entity = body.kind === 'json' ? [indented(body.value)] : []
  const own = SDK_METHODS[id]
  if (own === undefined) return `resend.${method.toLowerCase()}(${[`'${path}'`, ...entity].join(', ')})`
  return `resend.${own}(${[...ids.map((one) => `'${one}'`), ...entity].join(', ')})`
}

/** The SDK has names of its own for the fields of this form. */
function formInput({ column_map, on_conflict, ...fields }: Record<string, unknown>): string {
  const named = { columnMap: column_map, onConflict: on_conflict, ...fields, file: undefined }
  return indented(named).replace('{\n', `{\n  "file": new Blob([await readFile('contacts.csv')]),\n`)
}

/** Methods of the SDK whose arguments are the ids of the path and then the body as it is, by the operation. */
const SDK_METHODS: Record<string, string> = {
  'emails.send': 'emails.send',
  'emails.list': 'emails.list',
  'emails.retrieve': 'emails.get',
  'emails.cancel': 'emails.cancel',
  'emails.receiving.list': 'emails.receiving.list',
  'emails.receiving.retrieve': 'emails.receiving.get',
  'emails.send-batch': 'batch.send',
  'templates.list': 'templates.list',
  'templates.retrieve': 'templates.get',
  'templates.delete': 'templates.remove',
  'templates.duplicate': 'templates.duplicate',
  'domains.list': 'domains.list',
  'domains.retrieve': 'domains.get',
  'domains.verify': 'domains.verify',
  'domains.delete': 'domains.remove',
  'topics.retrieve': 'topics.get',
  'topics.delete': 'topics.remove',
  'segments.list': 'segments.list',
  'segments.retrieve': 'segments.get',
  'segments.delete': 'segments.remove',
  'contacts.list': 'contacts.list',
  'contacts.retrieve': 'contacts.get',
  'contacts.delete': 'contacts.remove',
  'contacts.imports.list': 'contacts.imports.list',
  'contacts.imports.retrieve': 'contacts.imports.get',
  'broadcasts.list': 'broadcasts.list',
  'broadcasts.retrieve': 'broadcasts.get',
  'broadcasts.delete': 'broadcasts.remove',
  'automations.list': 'automations.list',
  'automations.retrieve': 'automations.get',
  'automations.delete': 'automations.remove',
  'webhooks.list': 'webhooks.list',
  'webhooks.retrieve': 'webhooks.get',
  'webhooks.delete': 'webhooks.remove',
  'api-keys.list': 'apiKeys.list',
  'api-keys.delete': 'apiKeys.remove',
}

function pythonSample({ method, path, body, isFile, isPublic, keyName }: Call, origin: string): string {
  const headers = isPublic ? [] : [`"Authorization": "Bearer " + os.environ["${keyName}"]`]
  if (body.kind === 'json') headers.push(`"Content-Type": "application/json"`)
  if (body.kind === 'form') headers.push(`"Content-Type": "multipart/form-data; boundary=" + boundary`)
  return `${isFile ? '' : 'import json\n'}import os
import urllib.request
${pythonBody(body)}
request = urllib.request.Request(
    ${JSON.stringify(`${origin}${path}`)},
    method=${JSON.stringify(method)},${body.kind === 'none' ? '' : '\n    data=data,'}
    headers={${headers.join(', ')}},
)
with urllib.request.urlopen(request) as response:
    print(${isFile ? 'response.read().decode()' : 'json.load(response)'})`
}

function pythonBody(body: Body): string {
  if (body.kind === 'none') return ''
  if (body.kind === 'json') return `\ndata = json.dumps(${pythonValue(body.value)}).encode()\n`
  const fields = Object.entries(body.fields).filter(([name]) => name !== 'file')
  const texts = Object.fromEntries(fields.map(([name, value]) => [name, formText(value)]))
  return `
boundary = "----posthaste"
fields = ${pythonValue(texts)}
parts = [f'Content-Disposition: form-data; name="{name}"\\r\\n\\r\\n{text}' for name, text in fields.items()]
with open("contacts.csv", encoding="utf-8") as file:
    parts.append('Content-Disposition: form-data; name="file"; filename="contacts.csv"\\r\\n\\r\\n' + file.read())
data = "".join(f"--{boundary}\\r\\n{part}\\r\\n" for part in parts).encode() + f"--{boundary}--\\r\\n".encode()
`
}

/** JSON as Python writes it. */
function pythonValue(value: unknown, margin = ''): string {
  const inner = `${margin}    `
  const lines = (parts: string[], [open, close]: [string, string]) =>
    parts.length === 0 ? open + close : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`
  if (Array.isArray(value))
    return lines(
      value.map((entry) => pythonValue(entry, inner)),
      ['[', ']'],
    )
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${pythonValue(entry, inner)}`)
    return lines(entries, ['{', '}'])
  }
  if (value === null) return 'None'
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)
}
