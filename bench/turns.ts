// How long the service answers nothing else, because it is busy with one request: for each operation with a body, with the largest that it accepts,
// the longest turn of the event loop against `JSON.parse` of the same body in the same process.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CONNECTIONS, email } from './email.ts'
import { createDatabase, dropDatabase, environmentOf, type Place, startService, TOKEN } from './place.ts'
import { freePort, pause } from './processes.ts'
import { startCountingSink } from './sink.ts'
import { atMost, percentile, type Row } from './table.ts'

const FULL = { rounds: 3, bodyBytes: 60_000_000 }
const QUICK = { rounds: 1, bodyBytes: 2_000_000 }
const RATIO_MAX = 1.5
/** Parsing counts as at least this: what is done besides it takes longer than parsing a small body. */
const PARSE_MS_MIN = 20
/** What follows the answer: the entry of the request log, and what a worker does at once. */
const AFTERWARDS_MS = 300
/** A file of 27 MB, almost as large as one that an email can have. */
const FILE_BYTES = 27 * 1024 * 1024
const BYTES_OF_ARRAY = 5 * 1024 * 1024

type Call = { method: string; path: string; body: object }
type Case = { name: string; call: (send: Send, round: number) => Promise<Call> }
type Send = (call: Call) => Promise<Record<string, unknown>>

export async function measureTurns(place: Place): Promise<Row[]> {
  const { rounds, bodyBytes } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_turns')
  const sink = await startCountingSink()
  const port = await freePort()
  const environment = environmentOf(place, databaseUrl)
  const service = await startService({
    ...environment,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
    // Nothing outside of this machine is asked or called.
    DNS_SERVERS: '127.0.0.1:9',
    ALLOW_PRIVATE_NETWORKS: 'true',
    RATE_LIMIT_BYTES_PER_SECOND: '0',
    TURN_PROBE_PORT: String(port),
    NODE_OPTIONS: [environment.NODE_OPTIONS, `--import=${resolve(import.meta.dirname, 'turn-probe.ts')}`].filter(Boolean).join(' '),
  })
  const rows: Row[] = []
  for (const { name, call } of casesOf(bodyBytes)) {
    const turns: number[] = []
    const parses: number[] = []
    let size = 0
    for (let round = 0; round < rounds; round++) {
      const { method, path, body } = await call((made) => answerOf(service.url, made), round)
      const text = JSON.stringify(body)
      size = text.length
      parses.push(await asked(port, '/parse', text))
      await pause(AFTERWARDS_MS)
      await asked(port, '/reset')
      await answerOf(service.url, { method, path, body }, text)
      await pause(AFTERWARDS_MS)
      turns.push(await asked(port, '/longest'))
    }
    const [turnMs, parseMs] = [percentile(turns, 0.5), percentile(parses, 0.5)]
    const ratio = turnMs / Math.max(parseMs, PARSE_MS_MIN)
    rows.push({
      what: `turns: ${name}, ${(size / 1e6).toFixed(1)} MB`,
      result: `${turnMs.toFixed(0)} ms of ${parseMs.toFixed(0)} ms`,
      ratio,
      wanted: atMost(ratio, RATIO_MAX),
    })
  }
  await service.stop()
  await sink.close()
  await dropDatabase(place, 'bench_turns')
  return rows
}

async function asked(port: number, path: string, body?: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, body === undefined ? {} : { method: 'POST', body })
  return Number(await answer.text())
}

async function answerOf(url: string, { method, path, body }: Call, text = JSON.stringify(body)): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, { method, headers, body: text })
  const answered = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${answered.slice(0, 300)}`)
  return JSON.parse(answered) as Record<string, unknown>
}

/** Bodies of operations with files and HTML, and of each operation its example with a field that it ignores. */
function casesOf(bodyBytes: number): Case[] {
  const part = bodyBytes / FULL.bodyBytes
  const html = `<p>${'Thank you for your order. '.repeat(Math.floor((30_000_000 * part) / 26))}</p>`
  const escaped = html.slice(0, html.length / 4).replaceAll('order', 'ördér')
  const file = Buffer.alloc(Math.floor(FILE_BYTES * part), 'Posthaste').toString('base64')
  const array = new Array(Math.floor(BYTES_OF_ARRAY * part)).fill(77)
  const emailWith =
    (fields: object): Case['call'] =>
    async (_send, round) => ({
      method: 'POST',
      path: '/emails',
      body: { ...email(round), ...fields },
    })
  return [
    { name: 'POST /emails, a file in base64', call: emailWith({ attachments: [{ filename: 'file.bin', content: file }] }) },
    {
      name: 'POST /emails, two files as arrays',
      call: emailWith({ attachments: ['a.bin', 'b.bin'].map((filename) => ({ filename, content: array })) }),
    },
    { name: 'POST /emails, HTML', call: emailWith({ html, text: '' }) },
    { name: 'POST /emails, HTML beyond ASCII', call: emailWith({ html: escaped, text: '' }) },
    {
      name: 'POST /emails/batch, 100 with a file each',
      call: async () => ({
        method: 'POST',
        path: '/emails/batch',
        body: Array.from({ length: 100 }, (_, index) => ({
          ...email(index),
          attachments: [{ filename: 'file.bin', content: file.slice(0, Math.floor(bodyBytes / 410) * 4) }],
        })),
      }),
    },
    ...examples().map(
      ({ operation, method, path, body }): Case => ({
        name: `${method} ${path}`,
        call: async (send, round) => {
          const target = await targetOf(send, { operation, path, body }, round)
          return { method, path: target.path, body: padded(target.body, bodyBytes) }
        },
      }),
    ),
  ]
}

type Example = { operation: string; method: string; path: string; body: object }

/** Without those that need a record that no request can make here. */
const LEFT_OUT = new Set(['domains.claims.create', 'webhooks.test', 'broadcasts.test'])

function examples(): Example[] {
  const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../openapi/openapi.json'), 'utf8'))
  return Object.entries<Record<string, OperationObject>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
      const body = requestBody?.content['application/json']?.example
      return body === undefined || LEFT_OUT.has(operationId) ? [] : [{ operation: operationId, method: method.toUpperCase(), path, body }]
    }),
  )
}

type OperationObject = { operationId: string; requestBody?: { content: Record<string, { example?: object }> } }

/** With records that exist, and names that are not taken. */
async function targetOf(
  send: Send,
  { operation, path, body }: Omit<Example, 'method'>,
  round: number,
): Promise<{ path: string; body: object }> {
  const mark = `${operation.replaceAll(/[^a-z]/g, '-')}-${round}`
  const make = (where: string, fields: object) => async () => {
    const answer = await send({ method: 'POST', path: where, body: fields })
    return String(answer.id)
  }
  const event = `made.${mark}`
  const template = make('/templates', {
    name: mark,
    subject: 'x',
    html: '<p>{{{PRODUCT}}}</p>',
    variables: [{ key: 'PRODUCT', type: 'string', fallback_value: 'x' }],
  })
  const segment = make('/segments', { name: mark })
  const person = { email: `${mark}@example.com` }
  const contact = make('/contacts', person)
  const steps = [
    { key: 'start', type: 'trigger', config: { event_name: event } },
    { key: 'pause', type: 'delay', config: { duration: '3 days' } },
  ]
  const automation = { name: mark, steps, connections: [{ from: 'start', to: 'pause' }] }
  const webhook = { endpoint: 'http://127.0.0.1:8080/', events: ['email.bounced'] }
  const makers: Record<string, () => Promise<string>> = {
    email_id: make('/emails', { ...email(round), scheduled_at: 'in 3 hours' }),
    template_id: template,
    segment_id: segment,
    audience_id: segment,
    topic_id: make('/topics', { name: mark, default_subscription: 'opt_in' }),
    contact_property_id: make('/contact-properties', { key: mark.replaceAll('-', '_'), type: 'string', fallback_value: 'x' }),
    domain_id: make('/domains', { name: `${mark}.example.com` }),
    event_id: make('/events', { name: event, schema: {} }),
    automation_id: make('/automations', automation),
    webhook_id: make('/webhooks', webhook),
    api_key_id: make('/api-keys', { name: mark }),
    broadcast_id: async () =>
      make('/broadcasts', { name: mark, segment_id: await segment(), from: email(0).from, subject: 'x', html: '<p>Hello</p>' })(),
  }
  let target = path
  for (const [parameter, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    // A contact is made where it is then changed: one of an audience is in that audience.
    const made = name === 'contact_id' ? make(target.slice(0, target.indexOf(`/${parameter}`)), person) : makers[name]
    target = target.replace(parameter, String(await made?.()))
  }
  const fields: Record<string, () => Promise<object>> = {
    'templates.create': async () => ({ ...body, alias: mark }),
    'domains.create': async () => ({ name: `${mark}.example.com` }),
    'contact-properties.create': async () => ({ ...body, key: mark.replaceAll('-', '_') }),
    'contacts.create': async () => ({ email: `${mark}@example.org` }),
    'audiences.contacts.create': async () => ({ email: `${mark}@example.org` }),
    'contacts.topics.update': async () => [{ id: await makers.topic_id?.(), subscription: 'opt_out' }],
    'broadcasts.create': async () => ({ ...body, segment_id: await segment() }),
    'events.create': async () => ({ ...body, name: event }),
    'events.send': async () => ({ event, contact_id: await contact(), payload: {} }),
    'events.send-batch': async () => [{ event, contact_id: await contact(), payload: {} }],
    'automations.create': async () => automation,
    'webhooks.create': async () => webhook,
  }
  return { path: target, body: (await fields[operation]?.()) ?? body }
}

const padded = (body: object, bytes: number): object => {
  const padding = 'x'.repeat(bytes - JSON.stringify(body).length - 20)
  return Array.isArray(body) ? [{ ...body[0], padding }, ...body.slice(1)] : { ...body, padding }
}
