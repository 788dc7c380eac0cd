// Runs every sample of the document: a recorder between the samples and a service that captures mail sees what each of them sends.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/servers/service.ts'

const OPERATOR_KEY = 'the-key-of-the-operator-of-this-test'
const run = promisify(execFile)

type Sample = { label: string; source: string }
type Media = { example?: unknown }
type Operation = { operationId: string; requestBody?: { content: Record<string, Media> }; 'x-codeSamples'?: Sample[] }
/** What a sample sent, and what the service answered. */
type Sent = { request: string; key: string | undefined; body: unknown; status: number }

let service: TestService
let recorder: Server
let folder: string
let operations: Operation[]
const sent: Sent[] = []

beforeAll(async () => {
  recorder = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const { method = '', url = '', headers } = request
      const type = headers['content-type'] ?? ''
      const hasBody = body.length > 0
      const answer = await fetch(`${service.url}${url}`, {
        method,
        headers: { authorization: headers.authorization ?? '', ...(hasBody && { 'content-type': type }) },
        ...(hasBody && { body }),
      })
      sent.push({ request: `${method} ${url}`, key: headers.authorization, body: await read(body, type), status: answer.status })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`
  service = await startTestService({ environment: { PUBLIC_URL: origin, OPERATOR_KEY } })
  const { body } = await service.call('GET', '/openapi.json')
  operations = Object.values((body as { paths: Record<string, Record<string, Operation>> }).paths).flatMap((item) => Object.values(item))
  // Only pages of this installation call those of a session.
  operations = operations.filter((operation) => operation['x-codeSamples'] !== undefined)
  // Within the project, so that the samples find the SDK.
  folder = await mkdtemp(join(process.cwd(), 'node_modules', '.code-samples-'))
  await writeFile(join(folder, 'contacts.csv'), 'E-mail,first_name,Company\nada@example.com,Ada,Analytical Engines\n')
})
afterAll(async () => {
  await service.close()
  recorder.close()
  await rm(folder, { recursive: true, force: true })
})

/** A form as its fields. */
async function read(body: Buffer, type: string): Promise<unknown> {
  if (body.length === 0) return null
  if (!type.startsWith('multipart/form-data')) return JSON.parse(body.toString())
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const fields = await Promise.all(
    [...form].map(async ([name, value]) => [name, typeof value === 'string' ? parsed(value) : await value.text()] as const),
  )
  return Object.fromEntries(fields)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One program that runs all samples of a language, in order. */
async function runAll(label: string, extension: string, program: string, runner: (names: string[]) => string): Promise<Sent[]> {
  const names: string[] = []
  for (const [place, operation] of operations.entries()) {
    const source = operation['x-codeSamples']?.find((sample) => sample.label === label)?.source ?? ''
    names.push(`${place}.${extension}`)
    await writeFile(join(folder, `${place}.${extension}`), source)
  }
  await writeFile(join(folder, `all.${extension}`), runner(names))
  sent.length = 0
  await run(program, [`all.${extension}`], {
    cwd: folder,
    env: { ...process.env, RESEND_API_KEY: service.token, OPERATOR_KEY },
    maxBuffer: 64 * 1024 * 1024,
  })
  return [...sent]
}

const LANGUAGES = [
  ['curl', 'sh', 'sh', (names: string[]) => names.map((name) => `sh ./${name}`).join('\n')],
  ['Node.js', 'mjs', process.execPath, (names: string[]) => names.map((name) => `await import('./${name}')`).join('\n')],
  [
    'Python',
    'py',
    'python3',
    (names: string[]) =>
      `import runpy, urllib.error\nfor name in ${JSON.stringify(names)}:\n    try:\n        runpy.run_path(name)\n    except urllib.error.HTTPError:\n        pass\n`,
  ],
] as const

it.each(LANGUAGES)('every sample for %s sends the example of its operation', async (label, ...how) => {
  const isThere = await run(how[1], how[1] === 'sh' ? ['-c', 'true'] : ['--version']).then(
    () => true,
    () => false,
  )
  if (!isThere) return expect(label).toBe('Python')

  const all = await runAll(label, ...how)
  expect(all).toHaveLength(operations.length)
  const wrong = all.flatMap(({ request, key, body, status }, place) => {
    const { operationId, requestBody } = operations[place] ?? { operationId: '' }
    const [media] = Object.values(requestBody?.content ?? {})
    const isSame = JSON.stringify(sorted(body)) === JSON.stringify(sorted(media?.example ?? null))
    const isTaken = status < 300 || status === 404 || status === 409 || REFUSED_FOR_THE_STATE.has(`${operationId} ${status}`)
    return isSame && isTaken && key === `Bearer ${/^\w+ \/teams\b/.test(request) ? OPERATOR_KEY : service.token}`
      ? []
      : [{ operationId, request, status, body }]
  })
  expect(wrong).toEqual([])
})

/** Valid, and refused for what the service has: nothing that the examples name, and after the first language what that one created. */
const REFUSED_FOR_THE_STATE = new Set([
  'templates.create 422',
  'domains.create 403',
  'domains.claims.create 403',
  'contact-properties.create 422',
  'contacts.imports.create 422',
  'broadcasts.create 422',
  'events.send 422',
  'events.send-batch 422',
  'automations.create 422',
  // People change members, and no key does.
  'members.update 403',
  'members.delete 403',
  'invitations.create 403',
  'invitations.delete 403',
])

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, inner]) => [name, sorted(inner)]),
        )
      : value
