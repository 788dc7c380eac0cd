import { beforeAll, describe, expect, it } from 'vitest'
import { keyOf, likelyChoices } from '../../../src/console/imports/column-choices.ts'
import { addSegment, readContact } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, signInFor, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/imports'

let cookie: string
let theirs: string
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  cookie = await signIn(service)
  theirs = await signIn(service, service.other.token)
  await service.call('POST', '/contact-properties', { body: { key: 'city', type: 'string' } })
})

type Form = Record<string, string>
const look = (path = '', as = cookie) => visit(service, 'GET', `${PAGE}${path}`, { cookie: as })
const post = (form: Form, as = cookie) => visit(service, 'POST', PAGE, { cookie: as, form })
const problemOf = ({ status, text }: Seen) => [status, /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')]

/** Sends a file as a browser does. */
async function upload(content: string | null, { as = cookie, origin = service.url } = {}): Promise<Response> {
  const body = new FormData()
  if (content !== null) body.set('file', new Blob([content]), 'people.csv')
  return fetch(`${service.url}${PAGE}/upload`, { method: 'POST', redirect: 'manual', headers: { cookie: as, origin }, body })
}

const tokenIn = (response: Response): string => new URL(response.headers.get('location') ?? '', service.url).searchParams.get('file') ?? ''
const blobs = async () => (await service.database.execute('select from contact_imports')).length

async function finished(location: string | null): Promise<Seen> {
  await expect
    .poll(async () => (await visit(service, 'GET', location ?? '', { cookie })).text, { timeout: 20_000 })
    .toContain('>completed<')
  return visit(service, 'GET', location ?? '', { cookie })
}

describe('an import in the console', () => {
  it('asks for the columns, with likely answers, and imports once, however often the form is sent', async () => {
    const segment = await addSegment(service)
    const uploaded = await upload(
      'E-Mail;First name;city;Shoe size;Notes\nada@example.com;Ada;London;37;x\nnot an address;Bob;Paris;40;y\n',
    )
    expect(uploaded.status).toBe(303)
    const token = tokenIn(uploaded)
    const asked = await look(`/new?${new URLSearchParams({ file: token })}`)
    const chosen = [...asked.text.matchAll(/<select id="column-\d"[\s\S]*?<\/select>/g)].map(
      ([select]) => /value="([^"]*)" selected/.exec(select)?.[1],
    )
    expect(chosen).toEqual(['email', 'first_name', 'property:city', 'ignored', 'ignored'])

    const form = {
      ...{ file: token, 'column-0': 'email', 'column-1': 'first_name', 'column-2': 'property:city', 'column-3': 'new:number' },
      ...{ 'column-4': 'ignored', segment_id: segment, on_conflict: 'upsert' },
    }
    const sent = await Promise.all([post(form), post(form)])
    expect(new Set(sent.map(({ status, location }) => `${status} ${location}`)).size).toBe(1)
    const seen = await finished(sent[0]?.location ?? null)
    expect(seen.text).toContain('<a href="/console/contacts">See the contacts</a>')
    expect(await blobs()).toBe(1)
    expect((await post(form)).location).toBe(sent[0]?.location)
    expect((await look(`/new?${new URLSearchParams({ file: token })}`)).location).toBe(sent[0]?.location)

    const counts = Object.fromEntries(
      [...seen.text.matchAll(/<div><dt>(\w+)<\/dt><dd>(\d+)<\/dd>/g)].map(([, name, number]) => [name, number]),
    )
    expect(counts).toEqual({ Rows: '2', Created: '1', Changed: '0', Skipped: '0', Refused: '1' })
    expect(seen.text).toContain('<strong>Line 3</strong>')
    expect(seen.text).toContain('<dt>Ignored</dt><dd dir="auto">Notes</dd>')
    expect(await readContact(service, 'ada@example.com')).toMatchObject({
      first_name: 'Ada',
      properties: { city: { value: 'London' }, shoe_size: { value: 37, type: 'number' } },
    })
    expect((await service.call('GET', `/segments/${segment}/contacts`)).body).toMatchObject({ data: [{ email: 'ada@example.com' }] })
    const report = await visit(service, 'GET', `${sent[0]?.location}/report`, { cookie })
    expect([report.status, report.location]).toEqual([303, expect.stringContaining('/downloads/')])
    expect((await look()).text).toContain(`href="${sent[0]?.location}"`)
  })

  it.each([
    ['', 'The file field is empty: it must have a header line with a column email.'],
    [null, 'Choose a file first.'],
    [`${'a'.repeat(70_000)}`, expect.stringContaining('has a first line of more than 64 KB')],
  ])('refuses a file that has no columns, and keeps nothing of it', async (content, sentence) => {
    const refused = await upload(content)
    const seen = { status: refused.status, text: await refused.text() }
    expect(problemOf(seen as Seen)).toEqual([422, sentence])
  })

  it('refuses columns with the sentence of the API, and lets them be chosen again', async () => {
    const token = tokenIn(await upload('a,b\nada2@example.com,1\n'))
    const refused = await post({ file: token, 'column-0': 'ignored', 'column-1': 'ignored' })
    expect(problemOf(refused)).toEqual([422, expect.stringContaining('must have a header line with a column email')])
    const wrong = await post({ file: token, 'column-0': 'email', 'column-1': 'property:nope nope' })
    expect(problemOf(wrong)).toEqual([422, expect.stringContaining('may hold only letters')])
    const sent = await post({ file: token, 'column-0': 'email', 'column-1': 'ignored', segment_id: '' })
    await finished(sent.location)
    expect(await readContact(service, 'ada2@example.com')).toMatchObject({ email: 'ada2@example.com' })
  })

  it('puts the contacts into a new segment, which is made once, also if the columns are refused the first time', async () => {
    const token = tokenIn(await upload('email,b\nada4@example.com,1\n', { as: theirs }))
    const asked = await look(`/new?${new URLSearchParams({ file: token })}`, theirs)
    expect(asked.text).toContain('<label for="new_segment">Add the contacts to a segment</label>')
    const form = { file: token, new_segment: ' Customers ', form_id: /name="form_id" value="([^"]+)"/.exec(asked.text)?.[1] ?? '' }
    const segments = async () =>
      ((await service.call('GET', '/segments', { token: service.other.token })).body as { data: { id: string; name: string }[] }).data

    expect(problemOf(await post({ ...form, 'column-0': 'email', new_segment: '\u200b' }, theirs))).toEqual([
      422,
      'The name field must have at least one visible character.',
    ])
    expect(await segments()).toEqual([])
    const refused = await post({ ...form, 'column-0': 'ignored' }, theirs)
    expect(problemOf(refused)).toEqual([422, expect.stringContaining('a column email')])
    const [segment, ...others] = await segments()
    expect([segment?.name, others]).toEqual(['Customers', []])
    expect(refused.text).toContain(`<option value="${segment?.id}" selected>Customers</option>`)
    expect(refused.text).toContain('name="new_segment" value=""')

    const before = await post({ ...form, 'column-0': 'email' }, theirs)
    expect(problemOf(before)).toEqual([422, 'The new segment was already created. Choose it.'])
    const sent = await post({ file: token, 'column-0': 'email', segment_id: segment?.id ?? '' }, theirs)
    expect((await post({ ...form, 'column-0': 'email' }, theirs)).location).toBe(sent.location)
    expect(await segments()).toHaveLength(1)
    await expect
      .poll(async () => (await service.call('GET', `/segments/${segment?.id}/contacts`, { token: service.other.token })).body, {
        timeout: 20_000,
      })
      .toMatchObject({ data: [{ email: 'ada4@example.com' }] })
  })

  it('reads the names of columns as text', async () => {
    const token = tokenIn(await upload('email,"<b>\u202e""x"\nada3@example.com,1\n'))
    expect((await look(`/new?${new URLSearchParams({ file: token })}`)).text).toContain('&lt;b&gt;\u202e&quot;x')
  })
})

describe('imports of another team', () => {
  it('do not exist, nor their files', async () => {
    const token = tokenIn(await upload('email\nada4@example.com\n'))
    expect((await look(`/new?${new URLSearchParams({ file: token })}`, theirs)).status).toBe(404)
    expect((await post({ file: token, 'column-0': 'email' }, theirs)).status).toBe(404)
    const ours = (await post({ file: token, 'column-0': 'email' })).location?.split('/')[3] ?? ''
    for (const id of [ours, UNKNOWN_ID, 'nope'])
      expect([
        (await look(`/${id}`, theirs)).status,
        (await look(`/${id}/progress`, theirs)).status,
        (await look(`/${id}/report`, theirs)).status,
      ]).toEqual([404, 404, 404])
  })

  it('are not begun by strangers, other sites, or with another token', async () => {
    expect((await upload('email\n', { as: '' })).headers.get('location')).toBe('/console/sign-in')
    expect((await upload('email\n', { origin: 'https://evil.example' })).status).toBe(403)
    const session = cookie.split('=')[1] ?? ''
    expect((await post({ file: decodeURIComponent(session), 'column-0': 'email' })).status).toBe(404)
    expect((await post({ file: 'nope', 'column-0': 'email' })).status).toBe(403)
    const token = tokenIn(await upload('email\n'))
    const name = cookie.split('=')[0]
    expect((await visit(service, 'GET', PAGE, { cookie: `${name}=${encodeURIComponent(token)}` })).location).toBe(signInFor(PAGE))
  })
})

describe('the likely columns', () => {
  it('use each field once', () => {
    const names = ['Mail', 'E-mail', 'Given name', 'constructor', 'city']
    expect(Object.values(likelyChoices(names, [{ key: 'city' }]))).toEqual(['email', 'ignored', 'first_name', 'ignored', 'property:city'])
  })

  it('give new properties keys that are valid', () => {
    expect(['Shoe size', 'Größe (cm)', 'a'.repeat(100)].map(keyOf)).toEqual(['shoe_size', 'gr__e__cm_', 'a'.repeat(50)])
  })
})
