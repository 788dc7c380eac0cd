import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADDRESS } from '../../../src/console/templates/template-words.ts'
import { TEMPLATES_MAX } from '../../../src/modules/templates/templates.schema.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})
beforeEach(() => service.database.execute('truncate templates cascade'))

const look = (path = '') => visit(service, 'GET', `${ADDRESS}${path}`, { cookie })
const post = (path: string, more: object = {}) => visit(service, 'POST', `${ADDRESS}${path}`, { cookie, form: {}, ...more })
const patch = (id: string, body: object) => service.call('PATCH', `/templates/${id}`, { body })
const read = async (id: string) => (await service.call('GET', `/templates/${id}`)).body as Record<string, unknown>

const noteOf = ({ text }: Seen) => /<p class="note" role="status">([^<]*)/.exec(text)?.[1]
const stateOf = ({ text }: Seen) => /<div id="standing".*?<span class="state (\w+)">([^<]*)/s.exec(text)?.slice(1)
const subjectOf = ({ text }: Seen) => /<dt>Subject<\/dt><dd dir="auto">(.*?)<\/dd>/s.exec(text)?.[1]
const frameOf = ({ text }: Seen) => /<iframe[^>]* src="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
const versionsOf = ({ text }: Seen) =>
  [...text.slice(text.indexOf('<h2>Versions')).matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => ({
    states: /<span class="state \w+">([^<]*)/.exec(row)?.[1] ?? '',
    isShown: row.includes('>shown<'),
    restore: /action="[^"]*(\/versions\/[^"]*)"/.exec(row)?.[1],
    show: /<a href="[^"]*(\?version=[^"#]*)/.exec(row)?.[1],
  }))

describe('the list of templates', () => {
  it('says that there is none', async () => {
    const seen = await look()
    expect([seen.status, seen.text.includes('<h2>No templates yet</h2>')]).toEqual([200, true])
  })

  it('shows those of the team with their states, newest first', async () => {
    await createTemplate(service, { name: 'Theirs' }, { token: service.other.token })
    await createTemplate(service, { name: 'Draft' })
    await publishedTemplate(service, { name: 'Published', alias: 'an-alias' })
    await patch(await publishedTemplate(service, { name: 'Changed' }), { html: 'x' })
    const { text } = await look()
    const rows = [
      ...text.matchAll(
        /<th scope="row"><a [^>]*>([^<]*)<\/a>(?:<div class="soft">([^<]*)<\/div>)?<\/th>\n<td><span class="state (\w+)">([^<]*)/g,
      ),
    ]
    expect(rows.map(([, ...row]) => row)).toEqual([
      ['Changed', undefined, 'pending', 'published, with a newer draft'],
      ['Published', 'an-alias', 'delivered', 'published'],
      ['Draft', undefined, 'canceled', 'draft'],
    ])
  })

  it('pages, and leads back to its own address from the first page', async () => {
    const ids: string[] = []
    for (let count = 0; count < 51; count += 1) ids.unshift(await createTemplate(service))
    expect((await look()).text).toContain(`<a href="${ADDRESS}?after=${ids[49]}" rel="next">`)
    expect((await look(`?after=${ids[49]}`)).text).toContain(`<a href="${ADDRESS}/${ids[50]}"`)
    expect(await look(`?before=${ids[50]}`)).toMatchObject({ status: 303, location: ADDRESS })
  })
})

describe('the page of a template', () => {
  it('shows what it says, filled in with fallbacks', async () => {
    const id = await createTemplate(service)
    const seen = await look(`/${id}`)
    expect([seen.status, stateOf(seen), subjectOf(seen)]).toEqual([200, ['canceled', 'draft'], 'your order is on its way'])
    expect(frameOf(seen)).toBe(`${ADDRESS}/${id}/html`)
    const frame = await visit(service, 'GET', frameOf(seen) ?? '', { cookie })
    expect([frame.status, frame.text.endsWith('<p>Thank you for your order.</p>')]).toEqual([200, true])
  })

  it('lists the newest emails that were made from it, of the team', async () => {
    const id = await publishedTemplate(service)
    expect((await look(`/${id}`)).text).toContain('No email was made from it yet.')
    const sent: string[] = []
    for (const to of [['one@example.com'], ['two@example.com', 'three@example.com']])
      sent.unshift(await send(service, { to, subject: undefined, html: undefined, text: undefined, template: { id } }))
    await send(service, { subject: 'Without a template' })
    const { text } = await look(`/${id}`)
    const emails = text.slice(text.indexOf('id="emails"'), text.indexOf('<h2>Versions'))
    expect([...emails.matchAll(/<a href="\/console\/emails\/([^"]*)".*?to <bdi>([^<]*)/g)].map(([, ...email]) => email)).toEqual([
      [sent[0], 'two@example.com and 1 more'],
      [sent[1], 'one@example.com'],
    ])
    expect(emails).not.toContain('are shown')
  })

  it('fills in what was typed, in the frame too', async () => {
    const variables = [
      { key: 'N', type: 'number' },
      { key: 'B', type: 'boolean' },
      { key: 'O', type: 'object' },
      { key: 'L', type: 'list' },
    ]
    const id = await createTemplate(service, { html: '<p>{{{N}}} {{{B}}} {{{O}}} {{{L}}} {{{X}}}</p>', subject: '{{{X}}}', variables })
    const query = new URLSearchParams({ 'v.N': '1.50', 'v.B': 'false', 'v.O': '{"a": 1}', 'v.L': '[1, 2]', 'v.X': '<b>&' })
    const seen = await look(`/${id}?${query}`)
    expect(subjectOf(seen)).toBe('&lt;b&gt;&amp;')
    expect((await visit(service, 'GET', frameOf(seen) ?? '', { cookie })).text).toContain(
      '<p>1.5 false {&quot;a&quot;:1} [1,2] <b>&amp;</p>',
    )
    expect(seen.text).toContain('value="&lt;b&gt;&amp;"')
  })

  it('says what an email would still need', async () => {
    const id = await createTemplate(service, { html: '{{{A}}} {{{contact.first_name}}}', subject: null, variables: [] })
    const { text } = await look(`/${id}`)
    expect(text).toContain('An email would still need: <code>A</code>, <code>contact.first_name</code>')
    expect(text).toContain('none: each email needs its own')
  })

  it('refuses a value of another type with the sentence of the API, beside its field', async () => {
    const id = await createTemplate(service, { variables: [{ key: 'PRODUCT', type: 'number' }] })
    const seen = await look(`/${id}?v.PRODUCT=x`)
    expect(seen.status).toBe(422)
    expect(seen.text).toContain('The <code>variables.PRODUCT</code> field must be a number, as the template declares.')
    expect(seen.text).toMatch(/name="v\.PRODUCT" value="x"[^>]* aria-invalid="true"/)
    expect(frameOf(seen)).toBeUndefined()
  })

  it('shows the text, also one that is made from the HTML', async () => {
    const id = await createTemplate(service)
    expect((await look(`/${id}?view=text`)).text).toMatch(/Made from the HTML.*<pre [^>]*>Thank you for your order\.<\/pre>/s)
    await patch(id, { text: 'For {{{PRODUCT}}}' })
    const seen = await look(`/${id}?view=text&v.PRODUCT=me`)
    expect(seen.text).toMatch(/<pre [^>]*>For me<\/pre>/)
    expect(seen.text).not.toContain('Made from the HTML')
  })

  it('loads images of other servers only when asked, and runs no script of the template', async () => {
    const id = await createTemplate(service, { html: '<img src="https://images.example.com/x.png"><script>alert(1)</script>' })
    const seen = await look(`/${id}`)
    expect(seen.text).toContain('Images from other servers are not loaded.')
    const frame = await visit(service, 'GET', frameOf(seen) ?? '', { cookie })
    expect(frame.headers.get('content-security-policy')).toMatch(/^sandbox .*img-src data: 'self';/)
    expect(frame.text).not.toContain('alert')
    const loading = await look(`/${id}?remote=yes`)
    expect(frameOf(loading)).toBe(`${ADDRESS}/${id}/html?remote=yes`)
    const headers = (await visit(service, 'GET', frameOf(loading) ?? '', { cookie })).headers
    expect(headers.get('content-security-policy')).toContain("img-src data: 'self' https: http:")
  })

  it('warns as the API does', async () => {
    const id = await createTemplate(service, { html: '{{{contact.plan}}}' })
    expect((await look(`/${id}`)).text).toContain('<li><code>{{{contact.plan}}}</code> names a property that your contacts do not have')
  })

  it("answers 404 for another team's template, an unknown one, and an unknown version", async () => {
    const theirs = await createTemplate(service, { alias: 'theirs' }, { token: service.other.token })
    const own = await createTemplate(service, { alias: 'own' })
    for (const path of [`/${theirs}`, `/${UNKNOWN_ID}`, '/own', `/${own}?version=x`, `/${own}?version=${UNKNOWN_ID}`, `/${theirs}/html`])
      expect([path, (await look(path)).status]).toEqual([path, 404])
  })

  it('accepts any query', async () => {
    const id = await createTemplate(service)
    for (const query of [
      'v.PRODUCT=a&v.PRODUCT=b',
      'v.=x',
      'v.__proto__=x',
      'v.PRODUCT=%00%ff',
      'view=x&done=x',
      `v.PRODUCT=${'x'.repeat(5_000)}`,
    ])
      expect([query, (await look(`/${id}?${query}`)).status]).toEqual([query, 200])
  })
})

describe('the versions of a template', () => {
  it('are shown, previewed and restored', async () => {
    const id = await publishedTemplate(service)
    const { published_version_id: published } = await read(id)
    await patch(id, { subject: 'Two' })
    const seen = await look(`/${id}`)
    expect([stateOf(seen), subjectOf(seen)]).toEqual([['pending', 'published, with a newer draft'], 'Two'])
    expect(versionsOf(seen)).toEqual([
      { states: 'newest', isShown: true, restore: undefined, show: undefined },
      { states: 'sent', isShown: false, restore: `/versions/${published}/restore`, show: `?version=${published}` },
    ])
    const older = await look(`/${id}?version=${published}`)
    expect(subjectOf(older)).toBe('your order is on its way')
    expect(frameOf(older)).toBe(`${ADDRESS}/${id}/html?version=${published}`)
    expect(versionsOf(older).map(({ isShown }) => isShown)).toEqual([false, true])

    expect(await post(`/${id}/versions/${published}/restore`)).toMatchObject({ status: 303, location: `${ADDRESS}/${id}?done=restored` })
    const restored = await look(`/${id}?done=restored`)
    expect([noteOf(restored), subjectOf(restored), versionsOf(restored).length]).toEqual([
      'The newest version says what the older one said. Publish it to send it.',
      'your order is on its way',
      3,
    ])
  })

  it('cannot be restored where there are none', async () => {
    const [id, other] = [await createTemplate(service), await createTemplate(service)]
    const { current_version_id: version } = await read(other)
    for (const path of [`/${id}/versions/${version}/restore`, `/${id}/versions/x/restore`, `/x/versions/${version}/restore`])
      expect([path, (await post(path)).status]).toEqual([path, 404])
  })
})

describe('a template', () => {
  it('is published', async () => {
    const id = await createTemplate(service)
    expect(await post(`/${id}/publish`)).toMatchObject({ status: 303, location: `${ADDRESS}/${id}?done=published` })
    const seen = await look(`/${id}?done=published`)
    expect([noteOf(seen), stateOf(seen)]).toEqual(['The newest version is published.', ['delivered', 'published']])
    expect(seen.text).not.toContain('Publish the newest version')
  })

  it('is duplicated', async () => {
    const id = await publishedTemplate(service)
    const { status, location: to } = await post(`/${id}/duplicate`)
    const location = to ?? ''
    expect([status, location.endsWith('?done=duplicated'), location.includes(id)]).toEqual([303, true, false])
    const seen = await visit(service, 'GET', location, { cookie })
    expect([noteOf(seen), stateOf(seen)]).toEqual(['This is the copy.', ['canceled', 'draft']])
  })

  it('is not duplicated when the team has as many as it may have', async () => {
    const id = await createTemplate(service)
    await service.database.execute(
      `insert into templates (id, team_id, name, current_version_id, created_at, updated_at)
       select gen_random_uuid(), $1, 'x', gen_random_uuid(), now(), now() from generate_series(2, $2)`,
      [service.teamId, TEMPLATES_MAX],
    )
    const seen = await post(`/${id}/duplicate`)
    expect([seen.status, /role="alert"[^>]*>([^<]*)/.exec(seen.text)?.[1]]).toEqual([
      422,
      'A team can have at most 1,000 templates. Delete one first.',
    ])
  })

  it('is deleted after a question', async () => {
    const id = await createTemplate(service, { name: 'To delete' })
    expect((await look(`/${id}/delete`)).text).toContain('<h1>Delete this template?</h1>')
    expect(await post(`/${id}/delete`)).toMatchObject({ status: 303, location: `${ADDRESS}?done=deleted` })
    expect(noteOf(await look('?done=deleted'))).toBe('The template was deleted.')
    expect((await look(`/${id}`)).status).toBe(404)
  })

  it('is changed by its own team only, and from pages of ours only', async () => {
    const id = await createTemplate(service, {}, { token: service.other.token })
    const own = await createTemplate(service)
    for (const act of ['publish', 'duplicate', 'delete']) {
      expect([act, (await post(`/${id}/${act}`)).status]).toEqual([act, 404])
      expect([act, (await post(`/x/${act}`)).status]).toEqual([act, 404])
      expect([act, (await post(`/${own}/${act}`, { origin: 'https://elsewhere.example.com' })).status]).toEqual([act, 403])
    }
    expect((await read(own)).status).toBe('draft')
  })

  it('leads from the address of an act to its page', async () => {
    const id = await createTemplate(service)
    for (const act of ['publish', 'duplicate'])
      expect(await look(`/${id}/${act}`)).toMatchObject({ status: 303, location: `${ADDRESS}/${id}` })
  })
})
