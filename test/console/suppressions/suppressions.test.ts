import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { addSuppressions } from '../../../src/modules/suppressions/suppression-changes.repository.ts'
import { suppressionRepository } from '../../../src/modules/suppressions/suppressions.repository.ts'
import type { SuppressionOrigin } from '../../../src/modules/suppressions/suppressions.schema.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/suppressions'

let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})
beforeEach(() => service.database.execute('truncate suppressions'))

const look = (query = '') => visit(service, 'GET', `${PAGE}${query}`, { cookie })
const post = (path: string, form: Record<string, string> = {}, more: object = {}) =>
  visit(service, 'POST', `${PAGE}${path}`, { cookie, form, ...more })

const rowsOf = ({ text }: Seen) =>
  [...text.matchAll(/<th scope="row"><a href="[^"]*"><bdi>([^<]*)<\/bdi><\/a><\/th><td><span class="state \w+">([^<]*)</g)].map(
    ([, ...row]) => row.join(', '),
  )
const noteOf = ({ text }: Seen) => /<p class="sheet done" role="status">([^<]*)/.exec(text)?.[1]
const linkOf = ({ text }: Seen, rel: 'prev' | 'next') =>
  new RegExp(`href="${PAGE}([^"]*)" rel="${rel}"`).exec(text)?.[1]?.replaceAll('&amp;', '&')

async function store(emails: string[], origin: SuppressionOrigin = 'manual', teamId = service.teamId): Promise<string[]> {
  const added = await service.database.transaction((inside) =>
    addSuppressions(
      inside,
      emails.map((email) => ({ teamId, email, origin, sourceId: null })),
      new Date(),
    ),
  )
  return added.map(({ id }) => id)
}

const stored = async () =>
  (await service.database.execute<{ email: string; origin: string }>('select email, origin from suppressions order by id desc')).map(
    ({ email, origin }) => `${email} ${origin}`,
  )

describe('the page of suppressions', () => {
  it('says that there is none', async () => {
    const seen = await look()
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('<p class="sheet">No address is suppressed.</p>')
  })

  it('shows those of the team, newest first, with the reason and the email', async () => {
    const emailId = createId()
    await store(['theirs@example.com'], 'bounce', service.other.teamId)
    await store(['manual@example.com'])
    await store(['spam@example.com'], 'complaint')
    await service.database.execute('update suppressions set source_id = $1 where origin = $2', [emailId, 'complaint'])
    const seen = await look()
    expect(rowsOf(seen)).toEqual(['spam@example.com, reported as spam', 'manual@example.com, added by your team'])
    expect([...seen.text.matchAll(/href="\/console\/emails\/([^"]*)" aria-label="([^"]*)"/g)].map(([, ...link]) => link)).toEqual([
      [emailId, 'The email to spam@example.com'],
    ])
  })

  it('finds a part of an address, a whole one, and those of one origin', async () => {
    await store(['ada@example.com', 'acb@example.net', 'bob@example.net', 'ada_b@xn--mnchen-3ya.example'])
    await store(['cleo@example.com'], 'bounce')
    const found = async (query: string) => rowsOf(await look(query)).map((row) => row.split(',')[0])
    expect(await found('?q=ADA')).toEqual(['ada_b@xn--mnchen-3ya.example', 'ada@example.com'])
    expect(await found('?q=a_b')).toEqual(['ada_b@xn--mnchen-3ya.example'])
    expect(await found('?q=%25')).toEqual([])
    expect(await found(`?q=${encodeURIComponent('@münchen.example')}`)).toEqual(['ada_b@xn--mnchen-3ya.example'])
    expect(await found('?q=Bob%40Example.net')).toEqual(['bob@example.net'])
    expect(await found('?origin=bounce')).toEqual(['cleo@example.com'])
    expect(await found('?q=example.com&origin=manual')).toEqual(['ada@example.com'])
    expect(await found('?q=cleo%40example.com&origin=manual')).toEqual([])
    expect((await look('?q=nobody')).text).toContain(`No such address is suppressed. <a href="${PAGE}">Show all</a>`)
  })

  it.each(['', 'q=person&', 'origin=manual&'])('pages through all of them: ?%s', async (sought) => {
    const emails = Array.from({ length: 120 }, (_, index) => `person${String(index).padStart(3, '0')}@example.com`)
    await store(emails)
    const seen: string[] = []
    let query: string | undefined = `?${sought}`
    for (let pages = 0; query !== undefined && pages < 5; pages += 1) {
      const page = await look(query)
      seen.push(...rowsOf(page).map((row) => row.split(',')[0] ?? ''))
      query = linkOf(page, 'next')
    }
    expect(seen).toEqual(emails.toReversed())
  })

  it('leads back to the first page', async () => {
    await store(Array.from({ length: 60 }, (_, index) => `person${index}@example.com`))
    const second = await look(linkOf(await look(), 'next'))
    const back = await look(linkOf(second, 'prev'))
    expect({ status: back.status, location: back.location }).toEqual({ status: 303, location: PAGE })
  })

  it('escapes what is searched and typed', async () => {
    expect((await look('?q=%3Cscript%3E')).text).not.toContain('<script>')
    expect((await post('', { email: '"><script>' })).text).not.toContain('<script>')
  })

  it('needs a session, and a form from a page of ours', async () => {
    expect((await visit(service, 'GET', PAGE)).status).toBe(303)
    expect((await post('', { email: 'ada@example.com' }, { origin: 'https://elsewhere.example' })).status).toBe(403)
    expect(await stored()).toEqual([])
  })
})

describe('its forms', () => {
  it('add an address and say so', async () => {
    const { status, location } = await post('', { email: ' Ada@Example.com ' })
    expect({ status, location }).toEqual({ status: 303, location: `${PAGE}?done=added` })
    const seen = await look('?done=added')
    expect({ note: noteOf(seen), rows: rowsOf(seen) }).toEqual({
      note: 'The address is suppressed.',
      rows: ['ada@example.com, added by your team'],
    })
  })

  it('say what is wrong with an address, beside what was typed', async () => {
    const seen = await post('', { email: 'nobody' })
    expect(seen.status).toBe(422)
    expect(seen.text).toContain('The <code>email</code> field must be <code>name@example.com</code>. It is &quot;nobody&quot;.')
    expect(seen.text).toContain('name="email" value="nobody"')
    expect(seen.text).toContain('<details class="sheet" id="add" open>')
  })

  it('import a pasted list, and say what became of it', async () => {
    await store(['bob@example.com'])
    const seen = await post('/import', { list: 'email,origin\r\nada@example.com,bounce\r\nbob@example.com,\r\nnobody,\r\n' })
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('<p>1 added, 1 suppressed before, 1 refused.</p>')
    expect(seen.text).toContain('<li>Line 4: The address must be <code>name@example.com</code>. It is &quot;nobody&quot;.</li>')
    expect(await stored()).toEqual(['ada@example.com bounce', 'bob@example.com manual'])
  })

  it('add nothing of a list that does not say which column has the addresses', async () => {
    const seen = await post('/import', { list: 'ada@example.com,bob@example.com' })
    expect(seen.text).toContain('<p>0 added, 0 suppressed before, 1 refused.</p>')
    const sentence = 'The first line has several addresses, and does not say which one to suppress.'
    expect(seen.text).toContain(`<li>Line 1: ${sentence} Call the column with the addresses <code>email</code>.</li>`)
    expect(await stored()).toEqual([])
  })

  it('refuse a list of more than 4 MB', async () => {
    expect((await post('/import', { list: 'x'.repeat(5 * 1024 * 1024) })).status).toBe(413)
  })

  it('remove an address of the team, and no other', async () => {
    const [ours = '', theirs = ''] = [
      ...(await store(['ada@example.com'])),
      ...(await store(['ada@example.com'], 'bounce', service.other.teamId)),
    ]
    expect((await post(`/${ours}/remove`)).location).toBe(`${PAGE}?done=removed`)
    expect((await post(`/${ours}/remove`)).location).toBe(`${PAGE}?done=gone`)
    expect((await post(`/${theirs}/remove`)).location).toBe(`${PAGE}?done=gone`)
    expect(await stored()).toEqual(['ada@example.com bounce'])
  })

  it('say nothing of an address because a link does', async () => {
    const seen = await look('?done=removed&address=ada@example.com')
    expect(noteOf(seen)).toBe('The address was removed from the list and can get mail again.')
    expect(seen.text).not.toContain('ada@example.com')
    expect((await look('?done=ada@example.com')).text).not.toContain('ada@example.com')
  })

  it('ask before the address of a person is removed who reported mail as spam', async () => {
    const [spam = ''] = await store(['spam@example.com'], 'complaint')
    const [bounced = ''] = await store(['bounced@example.com'], 'bounce')
    const [theirs = ''] = await store(['ada@example.com'], 'complaint', service.other.teamId)
    const page = (await look()).text
    expect([...page.matchAll(/(action|href)="[^"]*\/(\S+)\/remove"/g)].map(([, how, id]) => `${how} ${id}`)).toEqual([
      `action ${bounced}`,
      `href ${spam}`,
    ])
    const question = await look(`/${spam}/remove`)
    expect(question.text).toContain('<h1>Remove <bdi>spam@example.com</bdi>?</h1>')
    expect(question.text).toContain('This person reported your mail as spam.')
    expect((await look(`/${theirs}/remove`)).location).toBe(`${PAGE}?done=gone`)
    expect((await stored()).length).toBe(3)
  })
})

it('says where a search ended that read as many as it may, and continues from there', async () => {
  await store(['wanted@example.com', ...Array.from({ length: 5 }, (_, index) => `person${index}@example.com`)])
  const repository = suppressionRepository(service.database, { clock: service.service.context.clock, searchedMax: 3 })
  const search = (after: string | null) => repository.search(service.teamId, { part: 'wanted', origin: null, after, limit: 10 })
  const first = await search(null)
  expect(first).toMatchObject({ rows: [], searchedMax: 3 })
  expect(await search(first.next)).toMatchObject({ rows: [{ email: 'wanted@example.com' }], searchedMax: 3 })
})
