import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { addSuppressions } from '../../../src/modules/suppressions/suppression-changes.repository.ts'
import { SUPPRESSION_BATCH_MAX } from '../../../src/modules/suppressions/suppressions.schema.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const SIMULATED =
  'The `email` field is an address of the simulator, which cannot be suppressed: mail to `suppressed@` of this domain shows what would happen. It is "bounced@simulator.test".'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})
beforeEach(async () => {
  await service.database.execute('truncate suppressions, notifications')
})

async function add(email: string): Promise<string> {
  const { data, error } = await resend.suppressions.add({ email })
  if (!data) throw new Error(`The address was not suppressed: ${error.message}`)
  return data.id
}

const record = (id: string, email: string, changes: Record<string, unknown> = {}) => ({
  id,
  email,
  origin: 'manual',
  source_id: null,
  created_at: TIMESTAMP,
  ...changes,
})

const list = (...data: unknown[]) => ({ object: 'list', has_more: false, data })

const told = () =>
  service.database.execute<{ type: string; subject_id: string; data: unknown }>(
    'select type, subject_id, data from notifications order by id',
  )

const event = (type: string, id: string, email: string) => ({
  type,
  subject_id: id,
  data: { id, email, origin: 'manual', source_id: null, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) },
})

describe('POST /suppressions', () => {
  it('adds an address, in lower case, and tells of it once', async () => {
    const { data, error } = await resend.suppressions.add({ email: 'Ada@EXAMPLE.com' })
    expect({ data, error }).toEqual({ data: { object: 'suppression', id: UUID }, error: null })
    const id = data?.id ?? ''
    const again = await service.call('POST', '/suppressions', { body: { email: 'ada@example.com' } })
    expect(outcome(again)).toEqual({ status: 201, body: { object: 'suppression', id } })
    expect((await resend.suppressions.get(id)).data).toEqual({ object: 'suppression', ...record(id, 'ada@example.com') })
    expect(await told()).toEqual([event('suppression.added', id, 'ada@example.com')])
  })

  it('leaves what is on the list as it is', async () => {
    const sourceId = createId()
    const [bounced] = await service.database.transaction((inside) =>
      addSuppressions(inside, [{ teamId: service.teamId, email: 'ada@example.com', origin: 'bounce', sourceId }], new Date()),
    )
    const id = await add('ada@example.com')
    expect(id).toBe(bounced?.id)
    expect((await resend.suppressions.list()).data).toEqual(list(record(id, 'ada@example.com', { origin: 'bounce', source_id: sourceId })))
  })

  it.each([
    [{}, 'Missing `email` field.'],
    [{ email: null }, 'Missing `email` field.'],
    [{ email: 7 }, 'The `email` field must be a string.'],
    [{ email: 'nobody' }, 'The `email` field must be an address such as `name@example.com`. It is "nobody".'],
    [
      { email: 'Ada <ada@example.com>' },
      'The `email` field must be an address alone, such as `name@example.com`: names have fields of their own. It is "Ada <ada@example.com>".',
    ],
    [{ email: 'bounced@simulator.test' }, SIMULATED],
  ])('refuses %j', async (body, message) => {
    expect(outcome(await service.call('POST', '/suppressions', { body }))).toEqual(invalid(message))
  })
})

describe('GET /suppressions', () => {
  it('lists the newest first, 20 by default, and pages in both directions', async () => {
    const ids: string[] = []
    for (let made = 0; made < 23; made += 1) ids.unshift(await add(`person${made}@example.com`))
    const page = async (options?: Parameters<typeof resend.suppressions.list>[0]) => {
      const { data } = await resend.suppressions.list(options)
      return { ids: data?.data.map(({ id }) => id), hasMore: data?.has_more }
    }
    expect(await page()).toEqual({ ids: ids.slice(0, 20), hasMore: true })
    expect(await page({ limit: 2, after: ids[19] ?? '' })).toEqual({ ids: ids.slice(20, 22), hasMore: true })
    expect(await page({ limit: 5, before: ids[3] ?? '' })).toEqual({ ids: ids.slice(0, 3), hasMore: false })
  })

  it('finds those with a part of an address, in both directions', async () => {
    for (const email of ['ada@example.com', 'alan@example.org', 'ada@example.org', 'a_a@example.com']) await add(email)
    const found = async (query: string) => {
      const { body } = await service.call('GET', `/suppressions?${query}`)
      const { data, has_more: hasMore } = body as { data: { id: string; email: string }[]; has_more: boolean }
      return { data, emails: data.map(({ email }) => email), hasMore }
    }
    const all = await found('search=ADA@')
    expect({ emails: all.emails, hasMore: all.hasMore }).toEqual({ emails: ['ada@example.org', 'ada@example.com'], hasMore: false })
    const first = await found('search=ada&limit=1')
    expect({ emails: first.emails, hasMore: first.hasMore }).toEqual({ emails: ['ada@example.org'], hasMore: true })
    expect((await found(`search=ada&limit=1&after=${all.data[0]?.id}`)).emails).toEqual(['ada@example.com'])
    expect((await found(`search=ada&limit=1&before=${all.data[1]?.id}`)).emails).toEqual(['ada@example.org'])
    // What is typed is no pattern.
    expect((await found('search=a_a')).emails).toEqual(['a_a@example.com'])
    expect((await found('search=ada&origin=bounce')).emails).toEqual([])
  })

  it('lists those of one origin', async () => {
    await service.database.transaction((inside) =>
      addSuppressions(
        inside,
        (['bounce', 'complaint'] as const).map((origin) => ({
          teamId: service.teamId,
          email: `${origin}@example.com`,
          origin,
          sourceId: null,
        })),
        new Date(),
      ),
    )
    const manual = await add('manual@example.com')
    expect((await resend.suppressions.list({ origin: 'manual' })).data).toEqual(list(record(manual, 'manual@example.com')))
    expect((await resend.suppressions.list({ origin: 'bounce' })).data?.data.map(({ email }) => email)).toEqual(['bounce@example.com'])
    expect((await resend.suppressions.list({ origin: 'complaint', limit: 1 })).data?.data.map(({ email }) => email)).toEqual([
      'complaint@example.com',
    ])
    expect(outcome(await service.call('GET', '/suppressions?origin=spam'))).toEqual(
      invalid('The `origin` parameter must be one of: `bounce`, `complaint`, `manual`. It is "spam".'),
    )
  })
})

describe('a suppression in a path', () => {
  it.each([
    ['its address', 'ada+news@example.com'],
    ['its address, percent-encoded', 'ada%2Bnews%40example.com'],
    ['its address in another case', 'ADA+News@Example.com'],
  ])('is named by %s', async (_how, path) => {
    const id = await add('ada+news@example.com')
    const answer = await service.call('GET', `/suppressions/${path}`)
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'suppression', ...record(id, 'ada+news@example.com') } })
    expect(outcome(await service.call('DELETE', `/suppressions/${path}`))).toEqual({
      status: 200,
      body: { object: 'suppression', id, deleted: true },
    })
  })

  it('is named by its id in any case of letters, and by an address whose domain is in another script', async () => {
    const id = await add('ada@münchen.example')
    for (const named of [id.toUpperCase(), 'ada@xn--mnchen-3ya.example', 'ada@münchen.example'])
      expect((await resend.suppressions.get(named)).data).toEqual({ object: 'suppression', ...record(id, 'ada@xn--mnchen-3ya.example') })
  })

  it.each(['batch', 'nobody', UNKNOWN_ID, 'unknown@example.com'])('is a 404 if there is none: %s', async (path) => {
    for (const method of ['GET', 'DELETE'] as const)
      expect(outcome(await service.call(method, `/suppressions/${path}`))).toEqual(missing('Suppression'))
  })

  it('is a 404 if it is that of another team, which keeps it', async () => {
    const { body } = await service.call('POST', '/suppressions', { body: { email: 'ada@example.com' }, token: service.other.token })
    for (const path of [(body as { id: string }).id, 'ada@example.com'])
      expect(outcome(await service.call('DELETE', `/suppressions/${path}`))).toEqual(missing('Suppression'))
    const answer = await service.call('GET', '/suppressions/ada@example.com', { token: service.other.token })
    expect(answer.status).toBe(200)
  })
})

describe('DELETE /suppressions/:id', () => {
  it('removes it and tells of it, and the address can be added again', async () => {
    const id = await add('ada@example.com')
    const { data, error } = await resend.suppressions.remove('ada@example.com')
    expect({ data, error }).toEqual({ data: { object: 'suppression', id, deleted: true }, error: null })
    expect(await told()).toEqual([event('suppression.added', id, 'ada@example.com'), event('suppression.removed', id, 'ada@example.com')])
    expect((await resend.suppressions.remove(id)).error).toMatchObject({ name: 'not_found', message: 'Suppression not found' })
    expect(await add('ada@example.com')).not.toBe(id)
  })
})

describe('POST /suppressions/batch/add', () => {
  it('adds all, in the order of the request, and answers the ids of those that exist', async () => {
    const ada = await add('ada@example.com')
    const { data, error } = await resend.suppressions.batch.add({ emails: ['bob@example.com', 'ADA@example.com', 'Bob@example.com'] })
    const bob = data?.data[0]?.id ?? ''
    expect({ data, error }).toEqual({ data: { data: [bob, ada, bob].map((id) => ({ object: 'suppression', id })) }, error: null })
    expect(await told()).toEqual([event('suppression.added', ada, 'ada@example.com'), event('suppression.added', bob, 'bob@example.com')])
  })

  it(`takes ${SUPPRESSION_BATCH_MAX} addresses, and no more`, async () => {
    const emails = Array.from({ length: SUPPRESSION_BATCH_MAX + 1 }, (_, index) => `person${index}@example.com`)
    expect((await resend.suppressions.batch.add({ emails: emails.slice(1) })).data?.data).toHaveLength(SUPPRESSION_BATCH_MAX)
    const answer = await service.call('POST', '/suppressions/batch/add', { body: { emails } })
    expect(outcome(answer)).toEqual(invalid('The `emails` field must have at most 100 entries.'))
  })

  it('adds none if one is wrong, and says which', async () => {
    const answer = await service.call('POST', '/suppressions/batch/add', { body: { emails: ['ada@example.com', 'nobody'] } })
    expect(outcome(answer)).toEqual(invalid('The `emails[1]` field must be an address such as `name@example.com`. It is "nobody".'))
    expect((await resend.suppressions.list()).data).toEqual(list())
    expect(await told()).toEqual([])
  })

  it('refuses an empty list', async () => {
    const answer = await service.call('POST', '/suppressions/batch/add', { body: { emails: [] } })
    expect(outcome(answer)).toEqual(invalid('The `emails` field must not be empty.'))
  })
})

describe('POST /suppressions/batch/remove', () => {
  const deleted = (ids: string[]) => ({ data: ids.map((id) => ({ object: 'suppression', id, deleted: true })) })

  it.each(['emails', 'ids'] as const)('removes by %s, each once, and leaves out what is not on the list', async (field) => {
    const emails = ['ada@example.com', 'bob@example.com', 'cleo@example.com']
    const ids = []
    for (const email of emails) ids.push(await add(email))
    const [ada = '', bob = '', cleo = ''] = ids
    const named =
      field === 'ids'
        ? { ids: [cleo.toUpperCase(), UNKNOWN_ID, ada, ada] }
        : { emails: ['Cleo@example.com', 'unknown@example.com', 'ada@example.com', 'ADA@example.com'] }
    const { data, error } = await resend.suppressions.batch.remove(named)
    expect({ data, error }).toEqual({ data: deleted([cleo, ada]), error: null })
    expect((await resend.suppressions.list()).data).toEqual(list(record(bob, 'bob@example.com')))
    const removed = (await told()).filter(({ type }) => type === 'suppression.removed')
    expect(removed.map(({ subject_id }) => subject_id).toSorted()).toEqual([ada, cleo].toSorted())
  })

  it('removes nothing of another team', async () => {
    const { body } = await service.call('POST', '/suppressions', { body: { email: 'ada@example.com' }, token: service.other.token })
    const { id } = body as { id: string }
    expect((await resend.suppressions.batch.remove({ ids: [id] })).data).toEqual(deleted([]))
    expect((await resend.suppressions.batch.remove({ emails: ['ada@example.com'] })).data).toEqual(deleted([]))
    expect((await service.call('GET', `/suppressions/${id}`, { token: service.other.token })).status).toBe(200)
  })

  it.each([
    [{}, 'Missing `emails` or `ids` field.'],
    [{ emails: ['ada@example.com'], ids: [UNKNOWN_ID] }, 'Give either `emails` or `ids`, not both.'],
    [{ ids: [] }, 'The `ids` field must not be empty.'],
    [{ ids: ['ada@example.com'] }, 'The `ids[0]` field must be a UUID. It is "ada@example.com".'],
    [{ emails: ['nobody'] }, 'The `emails[0]` field must be an address such as `name@example.com`. It is "nobody".'],
  ])('refuses %j', async (body, message) => {
    expect(outcome(await service.call('POST', '/suppressions/batch/remove', { body }))).toEqual(invalid(message))
  })
})
