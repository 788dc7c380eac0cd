import { beforeAll, describe, expect, it } from 'vitest'
import { addSegment, addTopic } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/topics'

let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}) => visit(service, 'POST', `${PAGE}${path}`, { cookie, form })
const read = async (id: string) => (await service.call('GET', `/topics/${id}`)).body
const newest = async (): Promise<{ id: string }> => ((await service.call('GET', '/topics')).body as { data: [{ id: string }] }).data[0]
const problemOf = ({ status, text }: Seen) => [status, /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')]

describe('topics in the console', () => {
  it('begin with an explanation and the form', async () => {
    const seen = await look()
    expect(seen.text).toContain('<h2>No topics yet</h2>')
    expect(seen.text).toContain('id="add" open')
  })

  it('are created with a default, changed, and deleted', async () => {
    const form = { name: '<b>News', description: '', default_subscription: 'opt_out', visibility: 'public' }
    expect((await post('', form)).location).toBe(`${PAGE}?done=created`)
    const { id } = await newest()
    const fields = { id, name: '<b>News', description: null, default_subscription: 'opt_out', visibility: 'public' }
    expect(await read(id)).toMatchObject(fields)
    expect((await look()).text).toContain('&lt;b&gt;News</a>')

    const changed = { name: 'Weekly', description: 'Every Friday.', default_subscription: 'opt_in', visibility: 'private' }
    expect((await post(`/${id}`, changed)).location).toBe(`${PAGE}/${id}?done=saved`)
    expect(await read(id)).toMatchObject({ ...changed, default_subscription: 'opt_out' })

    expect((await look(`/${id}/delete`)).text).toContain('Delete this topic?')
    expect((await post(`/${id}/delete`)).location).toBe(`${PAGE}?done=deleted`)
    expect((await post(`/${id}/delete`)).status).toBe(404)
  })

  it.each([
    [{ name: ' ', default_subscription: 'opt_in' }, expect.stringContaining('The name field')],
    [{ name: 'a'.repeat(51), default_subscription: 'opt_in' }, 'The name field must have at most 50 characters.'],
    [{ name: 'News', default_subscription: 'maybe' }, expect.stringContaining('The default_subscription field must be')],
    [{ name: 'News' }, 'Missing default_subscription field.'],
  ])('refuse %j with the sentence of the API', async (form, sentence) => {
    expect(problemOf(await post('', form))).toEqual([422, sentence])
  })

  it('are not deleted while a filter uses them', async () => {
    const id = await addTopic(service)
    const filter = { topic: id, subscription: 'opt_in' }
    await service.call('POST', '/segments', { body: { name: 'Readers', filter } })
    expect(problemOf(await post(`/${id}/delete`))).toEqual([422, expect.stringContaining('is used by the filter of the segment')])
  })

  it('of another team do not exist', async () => {
    const other = await addTopic(service, { ofTeam: service.other.teamId })
    await addSegment(service)
    for (const id of [other, UNKNOWN_ID, 'nope'])
      expect([
        (await look(`/${id}`)).status,
        (await look(`/${id}/delete`)).status,
        (await post(`/${id}`, { name: 'x' })).status,
        (await post(`/${id}/delete`)).status,
      ]).toEqual([404, 404, 404, 404])
  })
})
