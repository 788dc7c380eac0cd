// The views that a person saves: theirs alone, or for all of one team to see.
import { beforeAll, expect, it } from 'vitest'
import { SAVED_VIEWS_MAX } from '../../../../src/modules/console/saved-views/saved-views.schema.ts'
import { TIMESTAMP, UUID } from '../../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { signInAs } from '../../../support/clients/console.ts'
import { OWN_PAGE } from '../../../support/clients/people.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
let ada: string
let ben: string
beforeAll(async () => {
  ada = await signInAs(service.service.context, service.teamId, 'viewer')
  ben = await signInAs(service.service.context, service.teamId, 'owner')
})

type View = { id: string; name: string; query: string }
const call = (cookie: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  service.call(method, path, { token: null, headers: { cookie, ...OWN_PAGE }, ...(body && { body }) })
const viewsOf = async (cookie: string): Promise<View[]> => ((await call(cookie, 'GET', '/saved-views')).body as { data: View[] }).data
const BOUNCED = { name: 'Bounced', page: 'emails', query: 'status=bounced' }
const save = async (cookie: string, body: object = BOUNCED): Promise<View> =>
  (await call(cookie, 'POST', '/saved-views', body)).body as View

it('are saved, listed, changed and deleted by a person of any role', async () => {
  const made = await call(ada, 'POST', '/saved-views', BOUNCED)
  expect(made).toMatchObject({ status: 201 })
  expect(made.body).toEqual({
    ...{ object: 'saved_view', id: UUID, ...BOUNCED, is_shared: false, is_own: true, created_at: TIMESTAMP, updated_at: TIMESTAMP },
  })
  const { id } = made.body as View
  expect((await call(ada, 'PATCH', `/saved-views/${id}`, { name: 'All bounced' })).body).toMatchObject({
    name: 'All bounced',
    query: 'status=bounced',
  })
  expect((await call(ada, 'PATCH', `/saved-views/${id}`, { query: '' })).body).toMatchObject({ name: 'All bounced', query: '' })
  expect(await viewsOf(ada)).toMatchObject([{ id, name: 'All bounced' }])
  expect((await call(ada, 'DELETE', `/saved-views/${id}`)).body).toEqual({ object: 'saved_view', id, deleted: true })
  expect(await viewsOf(ada)).toEqual([])
})

it('are nothing to another person of the team, nor to a key', async () => {
  const { id } = await save(ada)
  expect(await viewsOf(ben)).toEqual([])
  for (const [cookie, of] of [[ben, id] as const, [ada, UNKNOWN_ID] as const]) {
    expect((await call(cookie, 'PATCH', `/saved-views/${of}`, { name: 'Mine' })).status).toBe(404)
    expect((await call(cookie, 'DELETE', `/saved-views/${of}`)).status).toBe(404)
  }
  expect((await service.call('GET', '/saved-views')).status).toBe(403)
  expect((await viewsOf(ada)).map((view) => view.name)).toEqual(['Bounced'])
})

it('are seen by all of the team once they are shared, and changed by the one who saved them', async () => {
  await service.database.execute('truncate saved_views')
  const { id } = await save(ada, { ...BOUNCED, is_shared: true })
  const mine = await save(ben)
  expect(await viewsOf(ben)).toMatchObject([
    { id: mine.id, is_own: true, is_shared: false },
    { id, is_own: false, is_shared: true },
  ])
  expect((await call(ben, 'PATCH', `/saved-views/${id}`, { name: 'Mine' })).status).toBe(404)
  expect((await call(ben, 'DELETE', `/saved-views/${id}`)).status).toBe(404)
  const stranger = await signInAs(service.service.context, service.other.teamId, 'owner')
  expect(await viewsOf(stranger)).toEqual([])
  await call(ada, 'PATCH', `/saved-views/${id}`, { is_shared: false })
  expect((await viewsOf(ben)).map((view) => view.id)).toEqual([mine.id])
  await call(ben, 'DELETE', `/saved-views/${mine.id}`)
})

it.each([
  [{ ...BOUNCED, page: '//evil.example' }],
  [{ ...BOUNCED, page: 'javascript:x' }],
  [{ ...BOUNCED, name: ' ' }],
  [{ ...BOUNCED, query: 'x'.repeat(2_001) }],
])('are not saved as %j', async (body) => {
  expect((await call(ben, 'POST', '/saved-views', body)).status).toBe(422)
})

it('are at most a hundred', async () => {
  await service.database.execute(
    `insert into saved_views (id, team_id, person_id, name, page, query, created_at, updated_at)
     select gen_random_uuid(), team_id, person_id, 'n', 'emails', '', now(), now() from saved_views, generate_series(1, $1::int) limit $1`,
    [SAVED_VIEWS_MAX - 1],
  )
  expect((await viewsOf(ada)).length).toBe(SAVED_VIEWS_MAX)
  expect((await call(ada, 'POST', '/saved-views', BOUNCED)).status).toBe(422)
  expect((await call(ben, 'POST', '/saved-views', BOUNCED)).status).toBe(201)
})
