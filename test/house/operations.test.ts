// What must be true of every operation. The tests walk the operations as they are registered, so a new one is tested at once.

import { beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { bodySchema, type Operation } from '../../src/http/operation.ts'
import { exactValidator, lenientValidator } from '../../src/lib/validation/body-validator.ts'
import { fieldTree, unknownFields } from '../../src/lib/validation/field-tree.ts'
import { OPERATOR_RESOURCES, PERSON_RESOURCES, RESOURCES } from '../../src/modules/routes.ts'
import { personToken } from '../support/clients/console.ts'
import { forEvery } from '../support/for-every.ts'
import { type Records, recordsOf, type Target } from '../support/records/records.ts'
import { undeclaredAnswer } from '../support/servers/declared-answers.ts'
import { type Answer, shared, startTestService } from '../support/servers/service.ts'
import { formOf } from './forms.ts'
import { documentedOperations, teamOperations } from './openapi-document.ts'

const VERBS = [
  'list',
  'create',
  'retrieve',
  'update',
  'delete',
  'send',
  'cancel',
  'verify',
  'publish',
  'simulate',
  'render',
  'restore',
  'release',
  'duplicate',
  'stop',
  'share',
  'send-batch',
  'create-batch',
  'delete-batch',
  'export',
  'rotate',
  'replay',
  'test',
  'pause',
  'resume',
  'resend',
  'suspend',
]

/** They change nothing. */
const UNAUDITED_ACTS = new Set([
  'templates.render',
  'segments.counts.create',
  'contacts.counts.create',
  'automations.simulate',
  'me.passkeys.options.create',
  'me.confirmation.passkey.create',
  'previews.create',
  'downloads.create',
  // How a person looks at what is there.
  'saved-views.create',
  'saved-views.update',
  'saved-views.delete',
])

const document = await describeApi()
const documented = documentedOperations(document).map(({ operation }) => operation.operationId)
/** The operations of teams. Those of people and of the operator have tests in test/modules/accounts. */
const ids = teamOperations(document).map(({ operation }) => operation.operationId)

let operations: Map<string, Operation>
let records: Records
let deletedToken: string
/** The answers of handlers, before the serializer could drop or fill in anything. */
const payloads: unknown[] = []

const service = shared(() =>
  startTestService({
    environment: { TRUST_PROXY: '127.0.0.1', OPERATOR_KEY: 'the-key-of-the-operator-of-this-test' },
    beforeListening: (listening) =>
      listening.addHook('preSerialization', async ({ routeOptions: { config } }, _reply, payload) => {
        if (config.operation) payloads.push(payload)
        return payload
      }),
  }),
)
beforeAll(async () => {
  const { app, context } = service.service
  operations = new Map(app?.operations.map((operation) => [operation.id, operation]))
  records = recordsOf(service)
  for (const token of [service.token, service.other.token]) people.set(token, await personToken(service, token))
  deletedToken = await service.createKey(service.teamId)
  const { rows } = await context.repositories.apiKeys.list(service.teamId, { limit: 1, after: null, before: null })
  await context.repositories.apiKeys.deleteApiKey(service.teamId, rows[0]?.id ?? '')
})

function operationOf(id: string): Operation {
  const operation = operations.get(id)
  if (!operation) throw new Error(`The document names ${id}, which is not registered`)
  return operation
}

let callers = 0
/** A token of a person in the team of each key, for what no key may call. */
const people = new Map<string, string>()

/** Calls an operation on records of its own, with its example as the body. */
async function callWith(operation: Operation, token: string | null): Promise<Answer> {
  return callOn(await records.targetOf(operation), operation, token)
}

function callOn({ path, body }: Target, { method, upload, byPeople }: Operation, token: string | null): Promise<Answer> {
  callers += 1
  return service.call(method, path, {
    token: byPeople && token !== null ? (people.get(token) ?? token) : token,
    ...(body !== undefined && { body: upload ? formOf(upload.part, body) : body }),
    // Each call has its own address, because failed credentials are counted by address.
    headers: { 'x-forwarded-for': `198.51.${callers >> 8}.${callers & 255}` },
  })
}

it('registers what the document describes, each operation once', () => {
  expect(service.service.app?.operations.map(({ id }) => id).sort()).toEqual([...documented].sort())
  expect(new Set(documented).size).toBe(documented.length)
  expect(ids.length).toBeGreaterThan(10)
})

it('ends the start when a route does not say who may call it', async () => {
  const app = await buildApp(service.service.context)
  app.get('/undeclared', async () => ({}))
  await expect(app.ready()).rejects.toThrow('These routes do not declare their access: GET /undeclared, HEAD /undeclared')
  await app.close()
})

it.each([
  [
    'a 400 of its own',
    400,
    'The `Idempotency-Key` header must have 1 to 256 characters.',
    'GET /emails/:id was answered with 400, which emails.retrieve does not declare',
  ],
  ['a 415 of its own', 415, 'The file must be an image.', 'GET /emails/:id was answered with 415, which emails.retrieve does not declare'],
  ['what any request can get', 400, 'The request must have exactly one `Host` header.', null],
  [
    'a body that is not taken',
    415,
    'The request body must be sent as it is, not compressed: leave out the header `Content-Encoding`.',
    null,
  ],
])('finds %s in an answer', (_what, status, message, found) => {
  const undeclaredOf = undeclaredAnswer([{ id: 'emails.retrieve', method: 'GET', path: '/emails/:id', statuses: [200, 404] }])
  expect(undeclaredOf({ method: 'GET', url: '/emails/1' }, { status, text: JSON.stringify({ message }) })).toBe(found)
})

describe('every operation', () => {
  it('has a resource and one of the closed list of verbs', { timeout: 300_000 }, () =>
    forEvery(documented, (id) => {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)+$/)
      expect(VERBS).toContain(id.split('.').at(-1))
    }),
  )

  it('says what it does, under a resource that is listed', { timeout: 300_000 }, () =>
    forEvery(documented, (id) => {
      const { summary, description, resource } = operationOf(id)
      expect(summary).toMatch(/^[A-Z][^.]{5,60}$/)
      expect(description).toMatch(/^[A-Z].{20,}[.]$/s)
      expect([...RESOURCES, ...PERSON_RESOURCES, ...OPERATOR_RESOURCES]).toContain(resource)
    }),
  )

  it('says whose calls are audited: no change is left out', { timeout: 300_000 }, () =>
    forEvery(documented, (id) => {
      const { method, audit, givesOut = false } = operationOf(id)
      expect([id, audit === 'never']).toEqual([id, UNAUDITED_ACTS.has(id) || (method === 'GET' && !givesOut)])
    }),
  )

  it('has schemas that compile, which a start does not show', { timeout: 300_000 }, () =>
    forEvery(documented, (id) => {
      const { params, query, headers, body } = operationOf(id)
      const lenient = [params, query, headers].filter((schema) => schema !== undefined)
      const compiled = [...lenient.map(lenientValidator), ...(body ? [exactValidator(bodySchema(body))] : [])]
      expect(compiled.every((validate) => typeof validate === 'function')).toBe(true)
    }),
  )

  it('has examples that are valid, with nothing in them that the schemas do not know', { timeout: 300_000 }, () =>
    forEvery(documented, (id) => {
      const { body, reply, example } = operationOf(id)
      expectValid(bodySchema(reply), example.reply)
      expect(unknownFields(fieldTree(reply), example.reply, 1)).toEqual([])
      expect(example.body === undefined).toBe(body === undefined)
      if (!body) return
      expectValid(bodySchema(body), example.body)
      expect(unknownFields(fieldTree(body), example.body, 1)).toEqual([])
    }),
  )

  it('answers 401 without a key', { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      const answer = await callWith(operationOf(id), null)
      expect(answer).toMatchObject({
        status: 401,
        body: { statusCode: 401, name: 'missing_api_key', message: 'Missing API key. Send the API key as `Authorization: Bearer re_...`.' },
      })
    }),
  )

  it('answers 403 to a key that never existed, or was deleted', { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      for (const token of ['re_12345678_123456789012345678901234', 'not-a-key', deletedToken]) {
        expect(await callWith(operationOf(id), token)).toMatchObject({
          status: 403,
          body: { statusCode: 403, name: 'invalid_api_key', message: 'This API key is not valid. It may have been deleted.' },
        })
      }
    }),
  )

  it('lets a key that may only send do that, and nothing else', { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      const operation = operationOf(id)
      const answer = await callWith(operation, service.sendingToken)
      if (operation.access === 'sending') return expect(answer.status).toBe(operation.statuses.at(-1))
      // What people do is refused to each key, so a key with more access is no help.
      if (operation.byPeople) return expect(answer).toMatchObject({ status: 403, body: { name: 'invalid_permission' } })
      expect(answer).toMatchObject({
        status: 401,
        body: { statusCode: 401, name: 'restricted_api_key', message: 'This API key may only send emails. Use a key with full access.' },
      })
    }),
  )

  it('answers a full key as its reply schema says, field by field', { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      const operation = operationOf(id)
      const answer = await callWith(operation, service.token)
      if (operation.method !== 'GET') records.changedBy(operation)

      expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
        status: operation.statuses.at(-1),
        type: `${operation.file ?? 'application/json'}; charset=utf-8`,
      })
      // A file has no fields.
      if (operation.file) return
      const payload = payloads.at(-1)
      expectValid(bodySchema(operation.reply), payload)
      expect(unknownFields(fieldTree(operation.reply), payload, 1)).toEqual([])
      expect(answer.body).toEqual(JSON.parse(JSON.stringify(payload)))
      expect(answer.body).not.toHaveProperty('statusCode')
    }),
  )

  it("gives another team's key nothing of this team", { timeout: 300_000 }, () =>
    forEvery(ids, async (id) => {
      const operation = operationOf(id)
      const target = await records.targetOf(operation)
      const before = await target.read()
      const answer = await callOn(target, operation, service.other.token)

      // It names what the caller named, and says no more.
      if (operation.allowsUnknown) {
        expect(answer).toMatchObject({ status: 200, body: { deleted: true } })
        return expect(await target.read()).toEqual(before)
      }
      if (operation.params) {
        expect(answer).toMatchObject({
          status: 404,
          body: { statusCode: 404, name: 'not_found', message: expect.stringMatching(/^(API key|[A-Z][a-z]+( [a-z]+)*) not found$/) },
        })
      } else expect(answer.status).toBe(target.namesRecord ? 422 : operation.statuses.at(-1))
      for (const recordId of target.ids) expect(answer.text).not.toContain(recordId)
      expect(await target.read()).toEqual(before)
    }),
  )
})

function expectValid(schema: object, value: unknown): void {
  const validate = exactValidator(schema)
  validate(value)
  expect((validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([])
}
