// Every operation with every kind of credential. The table is the one from which they are registered, so a new operation is tested at once.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/cli/generated/generated-files.ts'
import type { Operation } from '../../../src/http/operation.ts'
import { includesScope, requiredScopes, SCOPE_NAMES } from '../../../src/modules/accounts/scopes.ts'
import { formOf } from '../../house/forms.ts'
import { teamOperations } from '../../house/openapi-document.ts'
import { BUILT_IN_CLIENT, grantedTokens, post, type Tokens } from '../../support/clients/oauth-client.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { forEvery } from '../../support/for-every.ts'
import { type Records, recordsOf } from '../../support/records/records.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const documented = teamOperations(await describeApi()).map(({ operation }) => operation)
const clock = createShiftingClock()
/** Longer than an access token lives. */
const LATER_MS = 901_000
const ALL = SCOPE_NAMES.filter((scope) => scope !== 'full_access')

let records: Records
let operations: Map<string, Operation>
let all: Tokens
let foreign: Tokens
let revoked: Tokens
let refresh = ''
const tokens = new Map<string, Promise<string>>()

const service = shared(() => startTestService({ clock, environment: { TRUST_PROXY: '127.0.0.1' } }))
beforeAll(async () => {
  operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  records = recordsOf(service)
  all = await granted(ALL.join(' '))
  refresh = all.refresh_token
  foreign = await granted('full_access', service.other)
  revoked = await granted('full_access')
  const { body } = await service.call('GET', '/oauth/grants?limit=1')
  await service.call('DELETE', `/oauth/grants/${(body as { data: { id: string }[] }).data[0]?.id}`)
})

const granted = (scope: string, { token, teamId }: { token: string; teamId: string } = service): Promise<Tokens> =>
  grantedTokens({ url: service.url, service: service.service, token, teamId }, scope)

/** A token of the same grant with fewer scopes. */
function narrowed(scope: string): Promise<string> {
  const known = tokens.get(scope)
  if (known) return known
  const made = post(service, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: BUILT_IN_CLIENT,
    refresh_token: refresh,
    scope,
  }).then(({ body }) => {
    refresh = String(body.refresh_token)
    return String(body.access_token)
  })
  tokens.set(scope, made)
  return made
}

let callers = 0

/** `bare`: without the records that it names, which a call that is refused does not look at. */
async function call(operation: Operation, token: string | null, { bare }: { bare: boolean }) {
  callers += 1
  const { method, upload } = operation
  const target = bare ? { path: operation.path.replaceAll(/:\w+/g, UNKNOWN), body: undefined } : await records.targetOf(operation)
  const { path, body } = target
  return service.call(method, path, {
    token,
    ...(body !== undefined && { body: upload ? formOf(upload.part, body) : body }),
    // Each call has its own address, because failed credentials are counted by address.
    headers: { 'x-forwarded-for': `198.51.${callers >> 8}.${callers & 255}` },
  })
}
const UNKNOWN = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6bffff'

it('has a scope in the document for each operation, which the service knows', () => {
  const scopes = documented.flatMap(({ security }) => (security as { oauth?: string[] }[]).flatMap(({ oauth = [] }) => oauth))
  expect(scopes.length).toBeGreaterThanOrEqual(documented.length)
  expect([...new Set(scopes)].filter((scope) => !SCOPE_NAMES.includes(scope))).toEqual([])
})

it('needs the right to send, besides the right to write, for what leads to mail', () => {
  const both = documented.filter(({ security }) =>
    (security as { oauth?: string[] }[]).some(({ oauth = [] }) => oauth.indexOf('broadcasts:send') > 0),
  )
  expect(both.map(({ operationId, security }) => [operationId, (security as { oauth?: string[] }[])[1]?.oauth])).toEqual([
    ['emails.update', ['emails:write', 'broadcasts:send']],
    ['templates.delete', ['templates:write', 'broadcasts:send']],
    ['templates.publish', ['templates:write', 'broadcasts:send']],
    ['topics.update', ['topics:write', 'broadcasts:send']],
    ['topics.delete', ['topics:write', 'broadcasts:send']],
    ['segments.update', ['segments:write', 'broadcasts:send']],
    ['segments.delete', ['segments:write', 'broadcasts:send']],
    ['broadcasts.resume', ['broadcasts:write', 'broadcasts:send']],
    ['events.send', ['events:write', 'broadcasts:send']],
    ['events.send-batch', ['events:write', 'broadcasts:send']],
    ['audiences.delete', ['audiences:write', 'broadcasts:send']],
  ])
  const conditional = documented.filter(({ description }) => String(description).includes('needs the scope `broadcasts:send` too when'))
  expect(conditional.map(({ operationId }) => operationId)).toEqual([
    'templates.update',
    'broadcasts.create',
    'broadcasts.update',
    'broadcasts.versions.restore',
    'automations.create',
    'automations.update',
  ])
})

const standsFor = ({ isCount }: Operation, other: string, scope: string): boolean =>
  includesScope([other], scope) || (isCount === true && other === 'numbers:read')

/** Each operation with what the document says of its credentials. */
const ofEvery = (check: (operation: Operation, security: { oauth?: string[] }[]) => unknown): Promise<void> =>
  forEvery(
    documented,
    ({ operationId, security }) => check(operations.get(operationId) as Operation, security as { oauth?: string[] }[]),
    ({ operationId }) => operationId,
  )

async function outcome(operation: Operation, token: string | null): Promise<string> {
  const { status, body } = await call(operation, token, { bare: true })
  return `${status} ${(body as { name?: string }).name}`
}

describe('every operation', () => {
  it('refuses no credential, an unknown key, a revoked grant and an expired token', { timeout: 300_000 }, () =>
    ofEvery(async (operation, security) => {
      const expired = all.access_token
      expect(security).toContainEqual({ oauth: requiredScopes(operation) })
      expect(await outcome(operation, null)).toBe('401 missing_api_key')
      expect(await outcome(operation, 're_12345678_123456789012345678901234')).toBe('403 invalid_api_key')
      expect(await outcome(operation, revoked.access_token)).toBe('401 invalid_access_token')
      clock.shift(LATER_MS)
      try {
        expect(await outcome(operation, expired)).toBe('401 invalid_access_token')
      } finally {
        clock.shift(-LATER_MS)
      }
    }),
  )

  it('refuses a token that has every scope but one of its own, and names it', { timeout: 300_000 }, () =>
    ofEvery(async (operation) => {
      const needed = requiredScopes(operation)
      for (const scope of needed) {
        const token = await narrowed(ALL.filter((other) => !standsFor(operation, other, scope)).join(' '))
        const { status, body, headers } = await call(operation, token, { bare: true })
        expect({ status, body }).toEqual({
          status: 403,
          body: {
            statusCode: 403,
            name: 'invalid_permission',
            message: `This access token lacks the scope \`${scope}\`. Ask for access with that scope.`,
          },
        })
        expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${needed.join(' ')}"`)
      }
    }),
  )

  it('answers a token with its scopes alone as a key, and that of another team with nothing of this one', { timeout: 300_000 }, () =>
    ofEvery(async (operation) => {
      const target = await records.targetOf(operation)
      const ofOthers = await service.call(operation.method, target.path, {
        token: foreign.access_token,
        ...(target.body !== undefined && { body: operation.upload ? formOf(operation.upload.part, target.body) : target.body }),
      })
      expect([401, 403]).not.toContain(ofOthers.status)
      if (operation.params && !operation.allowsUnknown) expect(ofOthers.status).toBe(404)
      for (const recordId of target.ids) if (!operation.allowsUnknown) expect(ofOthers.text).not.toContain(recordId)
      // The example may be what leads to mail.
      const scopes = new Set([...requiredScopes(operation), ...(operation.sends ? ['broadcasts:send'] : [])])
      const { status } = await call(operation, await narrowed([...scopes].join(' ')), { bare: false })
      if (operation.method !== 'GET') records.changedBy(operation)
      expect(status).toBe(operation.statuses.at(-1))
    }),
  )

  it('lets a key that may only send do that alone', { timeout: 300_000 }, () =>
    ofEvery(async (operation) => {
      if (operation.access === 'sending') expect(await outcome(operation, service.sendingToken)).not.toMatch(/^40[13] /)
      else
        expect(await outcome(operation, service.sendingToken)).toBe(
          operation.byPeople ? '403 invalid_permission' : '401 restricted_api_key',
        )
    }),
  )
})
