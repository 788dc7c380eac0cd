import { beforeAll, describe, expect, it } from 'vitest'
import { createEmailSearches } from '../../../src/db/bounded-queries.ts'
import { contactSearchRepository } from '../../../src/modules/audience/contacts/contact-rows.repository.ts'
import { addSegment, addTopic, createContact, newAddress, readContact } from '../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, signInFor, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/contacts'

let cookie: string
let theirs: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
  theirs = await signIn(service, service.other.token)
  await service.call('POST', '/contact-properties', { body: { key: 'company', type: 'string' } })
  await service.call('POST', '/contact-properties', { body: { key: 'age', type: 'number' } })
})

const look = (path = '', as = cookie) => visit(service, 'GET', `${PAGE}${path}`, { cookie: as })
const post = (path: string, form: Record<string, string> = {}, more: object = {}) =>
  visit(service, 'POST', `${PAGE}${path}`, { cookie, form, ...more })

const rowsOf = ({ text }: Seen) => [...text.matchAll(/<th scope="row"><a href="[^"]*"><bdi>([^<]*)</g)].map(([, email]) => email)
const timelineOf = ({ text }: Seen): string[] => {
  const [, list = ''] = /aria-label="Timeline">([\s\S]*?)<\/ol>/.exec(text) ?? []
  return [...list.matchAll(/<li class="line"><span>([\s\S]*?)<\/span> <span class="soft"><time/g)].map(([, words = '']) =>
    words.replace(/<[^>]*>/g, '').trim(),
  )
}
const problemOf = ({ status, text }: Seen) => [status, /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')]
const apart = async (name: string): Promise<{ token: string; as: string }> => {
  const team = await service.service.context.repositories.teams.create(name)
  const token = await service.createKey(team.id)
  return { token, as: await signIn(service, token) }
}

describe('the list of contacts', () => {
  it('says how to get contacts when there are none', async () => {
    const { as } = await apart('Nothing')
    const seen = await look('', as)
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('<h2>No contacts yet</h2>')
    expect(seen.text).toContain('<a href="/console/imports">import a file</a>')
  })

  it('shows those of the team, newest first, and finds them by a part of an address or a name, in any case', async () => {
    const { token, as } = await apart('Finding')
    await createContact(service, { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' }, { token })
    await createContact(service, { email: 'bob_b@xn--mnchen-3ya.example', first_name: 'Émile' }, { token })
    await createContact(service, { email: 'cleo@example.com', unsubscribed: true }, { token })
    const found = async (q: string) => rowsOf(await look(`?${new URLSearchParams({ q })}`, as))
    expect(rowsOf(await look('', as))).toEqual(['cleo@example.com', 'bob_b@xn--mnchen-3ya.example', 'ada@example.com'])
    expect(await found('ADA@')).toEqual(['ada@example.com'])
    expect(await found('Cleo@Example.com')).toEqual(['cleo@example.com'])
    expect(await found('ada love')).toEqual(['ada@example.com'])
    expect(await found('émi')).toEqual(['bob_b@xn--mnchen-3ya.example'])
    expect(await found('@münchen.example')).toEqual(['bob_b@xn--mnchen-3ya.example'])
    expect(await found('a_a')).toEqual([])
    expect((await look('?q=nothing-like-it', as)).text).toContain(`No contact found. <a href="${PAGE}">Show all contacts</a>`)
    expect(rowsOf(await look('?q=ada', theirs))).toEqual([])
  })

  it.each(['', 'q=person&'])('pages through all of them and back: ?%s', async (sought) => {
    const { token, as } = await apart('Many')
    const emails = Array.from({ length: 120 }, (_, index) => `person${String(index).padStart(3, '0')}@example.com`)
    for (const email of emails) await createContact(service, { email }, { token })
    const seen: (string | undefined)[] = []
    let path: string | undefined = `?${sought}`
    for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
      const page = await look(path, as)
      seen.push(...rowsOf(page))
      path = /href="\/console\/contacts([^"]*)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(emails.toReversed())
  })

  it('says where a search stopped', async () => {
    const { token } = await apart('Bounded')
    const [{ teamId } = { teamId: '' }] = await service.database.execute<{ teamId: string }>(
      `select id as "teamId" from teams where name = 'Bounded'`,
    )
    const ids: string[] = []
    for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
      ids.push(await createContact(service, { email }, { token }))
    const searches = contactSearchRepository(service.database, { searches: createEmailSearches(service.database), searchedMax: 2 })
    const sought = { words: 'one', part: 'one', limit: 50 }
    const first = await searches.search(teamId, { ...sought, after: null })
    expect(first).toEqual({ rows: [], next: ids[1], searchedMax: 2 })
    const second = await searches.search(teamId, { ...sought, after: first.next })
    expect({ ids: second.rows.map(({ id }) => id), next: second.next }).toEqual({ ids: [ids[0]], next: null })
  })

  it('adds a contact, or says what is wrong as the API does, and keeps what was typed', async () => {
    const email = newAddress()
    const added = await post('', { email: ` ${email.toUpperCase()} `, first_name: 'Ada', last_name: '' })
    expect([added.status, added.location]).toEqual([303, expect.stringMatching(/^\/console\/contacts\/[0-9a-f-]{36}\?done=added$/)])
    expect(await readContact(service, email)).toMatchObject({ email, first_name: 'Ada', last_name: null })
    const refused = await post('', { email: 'no address', first_name: '"><b>Bob' })
    expect(problemOf(refused)[0]).toBe(422)
    expect(problemOf(refused)[1]).toContain('The email field')
    expect(refused.text).toContain('value="&quot;&gt;&lt;b&gt;Bob"')
  })

  it('adds the same person twice as one contact', async () => {
    const email = newAddress()
    const [first, second] = await Promise.all([post('', { email }), post('', { email })])
    expect(first.location).toBe(second.location)
  })
})

describe('the page of a contact', () => {
  it('shows facts, properties, segments and topics', async () => {
    const segment = await addSegment(service)
    const topic = await addTopic(service)
    const email = newAddress()
    const id = await createContact(service, {
      ...{ email, first_name: 'Ada', last_name: '\u202eLovelace', properties: { company: '<b>Engines', age: 36 } },
      ...{ segments: [segment], topics: [{ id: topic, subscription: 'opt_out' }] },
    })
    const seen = await look(`/${id}`)
    expect(seen.status).toBe(200)
    for (const shown of [
      `<h1><bdi>${email}</bdi></h1>`,
      '<dd><bdi>Ada</bdi> <bdi>\u202eLovelace</bdi></dd>',
      '<dt>company</dt><dd dir="auto">&lt;b&gt;Engines</dd>',
      '<dt>age</dt><dd dir="auto">36</dd>',
      `<a href="/console/segments/${segment}"><bdi>Segment ${segment}</bdi></a>`,
      `<bdi>Topic ${topic}</bdi> <span class="soft">opted out</span>`,
    ])
      expect(seen.text).toContain(shown)
  })

  it('tells what the person got and did, newest first, and nothing of others', async () => {
    const topic = await addTopic(service)
    const email = newAddress()
    const id = await createContact(service, { email })
    const emailId = await send(service, { subject: 'Your <order>', to: [email, newAddress()] })
    await send(service, { subject: 'To another', to: newAddress() })
    await send(service, { subject: 'Of another team', to: email }, { token: service.other.token })
    const { repositories } = service.service.context
    await service.database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       values (uuidv7_at($4, 1), $1, 'email.clicked', $2, $3, $4), (uuidv7_at($4, 2), $1, 'email.opened', $2, '{"to": ["other@example.com"]}', $4)`,
      [service.teamId, emailId, { to: [email], detail: { click: { link: 'https://example.com/<a>' } } }, new Date()],
    )
    await service.call('POST', '/events/send', { body: { event: 'order.placed', contact_id: id } })
    await service.call('PATCH', `/contacts/${id}/topics`, { body: [{ id: topic, subscription: 'opt_out' }] })
    await service.call('PATCH', `/contacts/${id}`, { body: { unsubscribed: true } })
    expect(timelineOf(await look(`/${id}`))).toEqual([
      'Changed, unsubscribed since then or before',
      `Opted out of Topic ${topic}`,
      'Event order.placed',
      'Clicked a link in the email: https://example.com/&lt;a&gt;',
      'Email Your &lt;order&gt; queued',
      'Added',
    ])
    expect(await repositories.contacts.find(service.other.teamId, { id })).toBeNull()
  })

  it('tells of an email that waits for its time, or was canceled', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const canceled = await send(service, { subject: 'One', to: email, scheduled_at: 'in 2 hours' })
    await send(service, { subject: 'Two', to: email, scheduled_at: 'in 2 hours' })
    await service.call('POST', `/emails/${canceled}/cancel`)
    expect(timelineOf(await look(`/${id}`))).toEqual(['Email Two scheduled', 'Email One canceled', 'Added'])
  })

  it('pages through the timeline without a gap', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    for (let number = 0; number < 35; number += 1) await send(service, { subject: `Mail ${number}`, to: email })
    const first = await look(`/${id}`)
    const next = /href="\/console\/contacts([^"]*)" rel="next"/.exec(first.text)?.[1]?.replace('#timeline', '') ?? ''
    const seen = [...timelineOf(first), ...timelineOf(await look(next))]
    expect(seen).toEqual([...Array.from({ length: 35 }, (_, index) => `Email Mail ${34 - index} queued`), 'Added'])
  })

  it('changes fields and properties, and leaves the subscription alone', async () => {
    const email = newAddress()
    const id = await createContact(service, { email, first_name: 'Ada', properties: { company: 'Engines' }, unsubscribed: true })
    const form = { email: 'new@example.net', first_name: '', last_name: 'L', 'properties.company': '', 'properties.age': '36' }
    expect((await look(`/${id}/edit`)).text).toContain('name="properties.company" value="Engines"')
    expect((await post(`/${id}/edit`, form)).location).toBe(`${PAGE}/${id}?done=saved`)
    expect(await readContact(service, id)).toMatchObject({
      ...{ email: 'new@example.net', first_name: null, last_name: 'L', unsubscribed: true },
      properties: { age: { value: 36, type: 'number' } },
    })
  })

  it.each([
    [{ 'properties.age': 'old' }, 'The properties.age field must be a number, like every value of this property.'],
    [{ first_name: 'a'.repeat(300) }, 'The first_name field must have at most 256 characters.'],
    [{ email: 'nope' }, expect.stringContaining('The email field')],
  ])('refuses %j with the sentence of the API', async (changes, sentence) => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const refused = await post(`/${id}/edit`, { email, first_name: '', last_name: '', ...changes })
    expect(problemOf(refused)).toEqual([422, sentence])
    expect(refused.text).toContain('aria-invalid="true"')
  })

  it('unsubscribes and subscribes again, and chooses topics', async () => {
    const topic = await addTopic(service)
    const id = await createContact(service, { email: newAddress() })
    expect((await post(`/${id}/unsubscribe`)).location).toBe(`${PAGE}/${id}?done=unsubscribed`)
    expect(await readContact(service, id)).toMatchObject({ unsubscribed: true })
    await post(`/${id}/subscribe`)
    expect(await readContact(service, id)).toMatchObject({ unsubscribed: false })
    await post(`/${id}/topics/${topic}`, { subscription: 'opt_out' })
    const { body } = await service.call('GET', `/contacts/${id}/topics`)
    expect((body as { data: object[] }).data).toContainEqual(expect.objectContaining({ id: topic, subscription: 'opt_out' }))
  })

  it('puts the contact into a segment and takes it out, but not with a filter or of another team', async () => {
    const id = await createContact(service, { email: newAddress() })
    const segment = await addSegment(service)
    const found = await addSegment(service, { filter: { field: 'first_name', operator: 'is_not_set' } })
    const other = await addSegment(service, { ofTeam: service.other.teamId })
    expect((await post(`/${id}/segments`, { segment_id: segment })).location).toBe(`${PAGE}/${id}?done=segments`)
    const seen = await look(`/${id}`)
    expect(seen.text).toContain(`action="${PAGE}/${id}/segments/${segment}/remove"`)
    expect(seen.text).not.toContain(`action="${PAGE}/${id}/segments/${found}/remove"`)
    expect((await post(`/${id}/segments/${segment}/remove`)).status).toBe(303)
    expect((await look(`/${id}`)).text).not.toContain(`segments/${segment}/remove`)
    expect((await post(`/${id}/segments`, { segment_id: other })).status).toBe(404)
    expect(problemOf(await post(`/${id}/segments`, { segment_id: found }))).toEqual([422, expect.stringContaining('has a filter')])
    expect((await post(`/${id}/segments`, { segment_id: 'nope' })).status).toBe(422)
  })

  it('downloads what the export of the API has', async () => {
    const id = await createContact(service, { email: newAddress() })
    const file = await look(`/${id}/export`)
    const { body } = await service.call('GET', `/contacts/${id}/export`)
    expect(file.headers.get('content-disposition')).toContain(`contact-${id}.json`)
    expect(JSON.parse(file.text)).toEqual({ ...(body as object), exported_at: expect.any(String) })
  })

  it('erases a person only after the address was typed', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    for (const address of ['', 'other@example.com', email.slice(1)])
      expect(problemOf(await post(`/${id}/erase`, { address }))).toEqual([422, 'The address field is not the address of this contact.'])
    expect(await readContact(service, id)).toMatchObject({ email })
    expect((await post(`/${id}/erase`, { address: ` ${email.toUpperCase()} ` })).location).toBe(`${PAGE}?done=erased`)
    expect((await service.call('GET', `/contacts/${id}`)).status).toBe(404)
    expect((await post(`/${id}/erase`, { address: email })).status).toBe(404)
  })
})

describe('the contacts of another team', () => {
  const paths = ['', '/edit', '/export', '/erase']
  it.each(paths)('do not exist: GET %s', async (path) => {
    const id = await createContact(service, { email: newAddress() }, { token: service.other.token })
    expect((await look(`/${id}${path}`, theirs)).status).toBe(200)
    for (const unknown of [id, UNKNOWN_ID, 'nope']) expect((await look(`/${unknown}${path}`)).status).toBe(404)
  })

  it.each(['/edit', '/subscribe', '/unsubscribe', '/segments', '/erase', `/topics/${UNKNOWN_ID}`, `/segments/${UNKNOWN_ID}/remove`])(
    'are not changed: POST %s',
    async (path) => {
      const email = newAddress()
      const id = await createContact(service, { email, first_name: 'Theirs' }, { token: service.other.token })
      const before = await readContact(service, id, { token: service.other.token })
      const form = { email, address: email, first_name: 'Ours', segment_id: UNKNOWN_ID, subscription: 'opt_in' }
      expect((await post(`/${id}${path}`, form)).status).toBe(404)
      expect(await readContact(service, id, { token: service.other.token })).toEqual(before)
    },
  )

  it('are not shown to strangers, and forms from elsewhere do nothing', async () => {
    const id = await createContact(service, { email: newAddress() })
    expect((await visit(service, 'GET', `${PAGE}/${id}`)).location).toBe(signInFor(`${PAGE}/${id}`))
    expect((await post(`/${id}/unsubscribe`, {}, { origin: 'https://evil.example' })).status).toBe(403)
    expect(await readContact(service, id)).toMatchObject({ unsubscribed: false })
  })
})
