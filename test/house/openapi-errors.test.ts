import { beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { storedFiles } from '../support/builders/contact-imports.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { signInPerson } from '../support/clients/people.ts'
import { openRawSocket } from '../support/clients/raw-requests.ts'
import { createHandle, createMovingClock } from '../support/clocks/clocks.ts'
import { until } from '../support/clocks/until.ts'
import { forEvery } from '../support/for-every.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { formOf } from './forms.ts'
import { type Document, type DocumentedOperation, documentedOperations, isOfOperator, isOfPerson, type Media } from './openapi-document.ts'

const operations = documentedOperations(await describeApi())
const OPERATOR_KEY = 'the-key-of-the-operator-of-this-test'

describe('an example of an error', () => {
  const service = shared(() =>
    startTestService({
      environment: {
        TRUST_PROXY: '127.0.0.1',
        OPERATOR_KEY,
        RATE_LIMIT_PER_SECOND: '1000000',
        REQUEST_BYTES_MAX: String(1024 * 1024),
        IMPORT_BYTES_MAX: String(1024 * 1024),
      },
    }),
  )
  /** The document of this service, with its own limits. */
  let served: Map<string, DocumentedOperation>
  beforeAll(async () => {
    const answer = await service.call('GET', '/openapi.json', { token: null })
    served = new Map(documentedOperations(answer.body as Document).map(({ operation }) => [operation.operationId, operation]))
  })

  const path = (template: string, id = UNKNOWN_ID) => template.replace(/\{\w+\}(?=[^{]*$)/, id).replace(/\{\w+\}/g, UNKNOWN_ID)
  const exampleOf = ({ content }: { content?: Record<string, Media> }) => content?.['application/json']?.example as { message: string }

  /** Parameters that a request cannot do without, each with the first of the values that it may have. */
  const requiredQuery = ({ parameters = [] }: DocumentedOperation) => {
    const required = parameters.filter((one) => one.in === 'query' && one.required)
    return required.length === 0
      ? ''
      : `?${required.map(({ name, schema }) => `${name}=${(schema?.enum as string[] | undefined)?.[0]}`).join('&')}`
  }

  /** A request that ends in an error: what it changes in a request that succeeds. */
  type Wrong = { path?: string; token?: string | null; body?: unknown; headers?: Record<string, string> }
  /** A record of a team that an operator looks at: the team is known. */
  const unknownRecord = (template: string): string =>
    path(/\{team_id\}.*\{/.test(template) ? template.replace('{team_id}', service.teamId) : template)
  const wrongs = (one: (typeof operations)[number]): [status: string, wrong: Wrong][] => {
    const { message } = exampleOf(one.operation.responses['422'] ?? {}) ?? { message: '' }
    const isUpload = 'multipart/form-data' in (one.operation.requestBody?.content ?? {})
    const [, kept] = /The `(\w+)` field .*Leave it out to keep/.exec(message) ?? []
    const invalid = !message.includes('parameter')
      ? { body: isUpload ? new FormData() : kept === undefined ? {} : { [kept]: null } }
      : {
          path: one.path.includes('{')
            ? path(one.path, message.includes('UUID') ? 'x' : '%00')
            : `${one.path}?${/The `(\w+)` parameter/.exec(message)?.[1]}=0`,
        }
    const all: [string, Wrong][] = [
      ['400', isUpload ? { body: 'x', headers: FORM } : { body: '{' }],
      ['401', { token: null }],
      ['403', { token: 're_nobody' }],
      [
        '404',
        NAMING_NOTHING[one.operation.operationId] ??
          (isOfOperator(one.operation) && !one.path.includes('{')
            ? { token: service.token }
            : { path: `${unknownRecord(one.path)}${requiredQuery(one.operation)}` }),
      ],
      ['413', { body: 'x'.repeat(1024 * 1024 + 1), ...(isUpload && { headers: FORM }) }],
      ['415', { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['422', invalid],
    ]
    return all.filter(([status]) => status in one.operation.responses)
  }
  const withoutTemplate = { from: 'a@example.com', to: 'b@example.com', template: { id: UNKNOWN_ID } }
  /** Operations whose path has no id: the body or the query names what does not exist. */
  const NAMING_NOTHING: Record<string, Wrong> = {
    'emails.send': { body: withoutTemplate },
    'emails.send-batch': { body: [withoutTemplate] },
    'team.update': { body: { logo_id: UNKNOWN_ID } },
    'operation.images.stop': { body: { url: 'https://elsewhere.example', reason: 'x' } },
    'me.team.update': { body: { team_id: UNKNOWN_ID } },
    'contacts.export': { path: `/contacts/export?segment_id=${UNKNOWN_ID}` },
    'contacts.list': { path: `/contacts?segment_id=${UNKNOWN_ID}` },
  }
  const FORM = { 'content-type': 'multipart/form-data; boundary=b' }
  const credentialFor = async (operation: DocumentedOperation): Promise<string> => {
    if (isOfOperator(operation)) return OPERATOR_KEY
    const { byPeople } = service.service.app?.operations.find(({ id }) => id === operation.operationId) ?? {}
    if (!byPeople && !isOfPerson(operation)) return service.token
    // Each has a limit of requests a second.
    const person = await signInPerson(service, `caller-${callers}`, { roles: { [service.teamId]: 'owner' } })
    return person.documentationToken ?? ''
  }
  let callers = 0

  it('is what the service says', { timeout: 300_000 }, () =>
    forEvery(
      operations.flatMap((one) => wrongs(one).map(([status, wrong]) => ({ ...one, status, wrong }))),
      async ({ status, ...one }) => {
        callers += 1
        const { 'application/json': json, 'multipart/form-data': form } = one.operation.requestBody?.content ?? {}
        const right = json?.example ?? (form && formOf('file', form.example as object))
        const answer = await service.call(one.method.toUpperCase(), one.wrong.path ?? path(one.path), {
          token: one.wrong.token === undefined ? await credentialFor(one.operation) : one.wrong.token,
          body: one.wrong.body ?? right,
          headers: { 'x-forwarded-for': `198.51.100.${callers}`, ...one.wrong.headers },
        })
        const response = served.get(one.operation.operationId)?.responses[status] ?? {}
        const { message } = answer.body as { message: string }
        const body = { ...(answer.body as object), message: message.replace('Email 0 of the batch (from 0): ', '') }
        expect({ status: answer.status, body }).toEqual({ status: Number(status), body: exampleOf(response) })
        for (const name of Object.keys(response.headers ?? {})) {
          // A credential that is refused has the limit of its address, once that is used up.
          if (status !== '401' && status !== '403') expect({ name, isThere: answer.headers.has(name) }).toEqual({ name, isThere: true })
        }
      },
      ({ status, method, path }) => `${status} of ${method.toUpperCase()} ${path}`,
    ),
  )

  it('is what the service says of a file that arrives too slowly', async () => {
    const { context } = service.service
    const clock = createMovingClock()
    const judging = createHandle()
    const app = await buildApp({ ...context, clock }, { uploads: judging })
    const raw = await openRawSocket(await app.listen({ host: '127.0.0.1', port: 0 }))
    try {
      raw.write(`POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: 1000\r\n`)
      raw.write(`Content-Type: ${FORM['content-type']}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n`)
      await until(async () => expect(await storedFiles(service)).toHaveLength(1))
      clock.advance(60_000)
      judging.turn()
      expect((await raw.answer()).body).toEqual(exampleOf(served.get('contacts.imports.create')?.responses['408'] ?? {}))
    } finally {
      raw.close()
      await app.close()
    }
  })
})
