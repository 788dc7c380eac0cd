import { beforeAll, describe, expect, it } from 'vitest'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { createContact, readContact } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/properties'

let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}) => visit(service, 'POST', `${PAGE}${path}`, { cookie, form })
const read = async (id: string) => (await service.call('GET', `/contact-properties/${id}`)).body
const newest = async (): Promise<{ id: string }> =>
  ((await service.call('GET', '/contact-properties')).body as { data: [{ id: string }] }).data[0]
const add = (key: string, fields: object = {}) => create(service, '/contact-properties', { key, type: 'string', ...fields })
const problemOf = ({ status, text }: Seen) => [status, /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')]

describe('contact properties in the console', () => {
  it('begin with an explanation and the form', async () => {
    const seen = await look()
    expect(seen.text).toContain('<h2>No properties yet</h2>')
    expect(seen.text).toContain('id="add" open')
  })

  it('are created, get another fallback, and are deleted with their values', async () => {
    expect((await post('', { key: ' seats ', type: 'number', fallback_value: ' 3 ' })).location).toBe(`${PAGE}?done=created`)
    const { id } = await newest()
    expect(await read(id)).toMatchObject({ key: 'seats', type: 'number', fallback_value: 3 })
    expect((await look()).text).toContain(
      `<a href="${PAGE}/${id}">seats</a><div class="soft code">{{{contact.seats}}}</div></th>\n<td>Number</td><td class="soft"><bdi>3</bdi></td>`,
    )
    const contact = await createContact(service, { email: 'ada@example.com', properties: { seats: 5 } })

    expect((await post(`/${id}`, { fallback_value: '4.5' })).location).toBe(`${PAGE}/${id}?done=saved`)
    expect(await read(id)).toMatchObject({ fallback_value: 4.5 })
    expect((await post(`/${id}`, { fallback_value: ' ' })).location).toBe(`${PAGE}/${id}?done=saved`)
    expect(await read(id)).toMatchObject({ fallback_value: null })

    expect((await look(`/${id}/delete`)).text).toContain('Delete the property seats?')
    expect((await post(`/${id}/delete`)).location).toBe(`${PAGE}?done=deleted`)
    expect((await post(`/${id}/delete`)).status).toBe(404)
    expect(await readContact(service, contact)).toMatchObject({ properties: {} })
  })

  it.each([
    [{ key: '', type: 'string' }, expect.stringContaining('The key field')],
    [{ key: 'with space', type: 'string' }, expect.stringContaining('The key field')],
    [{ key: 'email', type: 'string' }, expect.stringContaining('The key field')],
    [{ key: 'size', type: 'date' }, expect.stringContaining('The type field must be')],
    [{ key: 'size' }, 'Missing type field.'],
    [
      { key: 'size', type: 'number', fallback_value: 'many' },
      'The fallback_value field must be a number, like every value of this property.',
    ],
    [{ key: 'size', type: 'string', fallback_value: 'x'.repeat(1_001) }, expect.stringContaining('The fallback_value field')],
  ])('refuse %j with the sentence of the API', async (form, sentence) => {
    expect(problemOf(await post('', form as Record<string, string>))).toEqual([422, sentence])
  })

  it('show any fallback as text, and refuse one of another type', async () => {
    const id = await add('motto', { fallback_value: '<b>"\u202e' })
    expect((await look(`/${id}`)).text).toContain('value="&lt;b&gt;&quot;\u202e"')
    const number = await add('weight', { type: 'number' })
    const seen = await post(`/${number}`, { fallback_value: 'heavy' })
    expect(problemOf(seen)).toEqual([422, 'The fallback_value field must be a number, like every value of this property.'])
    expect(seen.text).toContain('value="heavy"')
  })

  it('say what uses them, and are not deleted while a filter does', async () => {
    const id = await add('plan')
    const filter = { property: 'plan', operator: 'equals', value: 'pro' }
    const segment = await create(service, '/segments', { name: 'Pro <users>', filter })
    const naming = await createBroadcast(service, { name: 'Names it', html: 'Your {{{contact.plan|plan}}}' })
    const other = await createBroadcast(service, { name: 'Only has the word', html: 'Your plan' })
    const { text } = await look(`/${id}`)
    expect(text).toContain(`the filter of the segment <a href="/console/segments/${segment}"><bdi>Pro &lt;users&gt;</bdi></a>`)
    expect(text).toContain(`the broadcast <a href="/console/broadcasts/${naming}"><bdi>Names it</bdi></a>`)
    expect(text).not.toContain(other)
    expect((await look(`/${id}/delete`)).text).toContain('It cannot be deleted while the filter of a segment uses it.')
    expect(problemOf(await post(`/${id}/delete`))).toEqual([422, expect.stringContaining('is used by the filter of the segment')])
  })

  it('have pages', async () => {
    for (let count = 0; count < 50; count += 1) await add(`number_${count}`)
    const first = await look()
    const [, older = ''] = /<a href="\/console\/properties(\?after=[^"]*)" rel="next">/.exec(first.text) ?? []
    expect(first.text).not.toContain('>motto<')
    expect((await look(older)).text).toContain('>motto<')
  })

  it('of another team do not exist', async () => {
    const { body } = await service.call('POST', '/contact-properties', {
      body: { key: 'theirs', type: 'string' },
      token: service.other.token,
    })
    for (const id of [(body as { id: string }).id, UNKNOWN_ID, 'nope'])
      expect([
        (await look(`/${id}`)).status,
        (await look(`/${id}/delete`)).status,
        (await post(`/${id}`, { fallback_value: 'x' })).status,
        (await post(`/${id}/delete`)).status,
      ]).toEqual([404, 404, 404, 404])
  })
})
