// Files that a browser downloads by a path that works once: for whom, how often, how long, and with which headers.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findDownloadable } from '../../../../src/modules/console/downloads/downloadable.ts'
import { emailInput } from '../../../support/builders/emails.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const AUDIT = '/audit-log?format=csv'
const UNKNOWN = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6bffff'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
let ada: SignedInPerson
let people = 0
beforeAll(async () => {
  await service.call('POST', '/topics', { body: { name: 'In the audit log', default_subscription: 'opt_in' } })
})
beforeEach(async () => {
  people += 1
  ada = await signInPerson(service, `ada${people}`, { roles: { [service.teamId]: 'owner' } })
})

const ask = (path: string, as = ada) => callAs(service, as, 'POST', '/downloads', { path })
const urlOf = async (path: string, as = ada): Promise<string> => {
  const { status, body } = await ask(path, as)
  expect(status).toBe(201)
  return (body as { url: string }).url
}
/** As a browser does that follows a link: without the cookie. */
const get = (url: string, method = 'GET') => service.call(method, url, { token: null, headers: { 'sec-fetch-site': 'cross-site' } })
const confirm = () => service.database.execute('update sessions set confirmed_at = $1 where person_id = $2', [clock.now(), ada.id])
const exportsIn = async () =>
  (await service.database.execute("select actor_id from audit_log where act = 'audit-log.list' and actor_id = $1", [ada.id])).length

describe('a download', () => {
  it('is the file, once, as an attachment that no browser runs, and stands in the audit log', async () => {
    const asked = await ask(AUDIT)
    expect(asked.body).toEqual({ object: 'download', url: expect.stringMatching(/^\/downloads\/once\//), expires_at: expect.any(String) })
    expect(await exportsIn()).toBe(0)
    const { url } = asked.body as { url: string }
    expect((await get(url, 'HEAD')).status).toBe(405)
    const { status, headers, text } = await get(url)
    expect([status, text.split('\n')[0]]).toEqual([200, expect.stringMatching(/^id,created_at,action,/)])
    expect(text).toContain('topics.create')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="audit-log.csv"/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
    expect(await exportsIn()).toBe(1)
    expect(await get(url)).toMatchObject({ status: 403, body: { message: 'This link was used already. Ask for a new one.' } })
    expect(await exportsIn()).toBe(1)
  })

  it('is the message of an email that was sent, for those who may see its unsubscribe link', async () => {
    const { body } = await service.call('POST', '/emails', { body: emailInput({ subject: 'As it is sent', text: 'Thank you.' }) })
    const { id } = body as { id: string }
    const path = `/emails/${id}/source`
    expect((await ask(path)).status).toBe(422)
    const { headers, text } = await get(await urlOf(`${path}?format=eml`))
    expect(text).toMatch(/^Subject: As it is sent\r$/m)
    expect(text.endsWith('\r\n\r\nThank you.\r\n')).toBe(true)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'message/rfc822',
      'content-disposition': expect.stringContaining(`${id}.eml`),
    })
    const read = await callAs(service, ada, 'GET', path)
    expect(read.body).toEqual({ object: 'email_source', id, text, is_cut: false })
    const eve = await signInPerson(service, 'eve', { roles: { [service.other.teamId]: 'owner' } })
    expect((await callAs(service, eve, 'GET', path)).status).toBe(404)
    const max = await signInPerson(service, 'max', { roles: { [service.teamId]: 'marketer' } })
    expect((await callAs(service, max, 'GET', path)).status).toBe(403)
  })

  it('is given to one of several requests at once', async () => {
    const url = await urlOf(AUDIT)
    const answers = await Promise.all([1, 2, 3, 4].map(() => get(url)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403])
  })

  it('ends after a minute', async () => {
    const url = await urlOf(AUDIT)
    clock.advance(61_000)
    expect(await get(url)).toMatchObject({ status: 403, body: { message: expect.stringContaining('expired') } })
  })

  it('is refused once its person has another role, has left the team, or has signed out', async () => {
    const { persons } = service.service.context.repositories
    await signInPerson(service, 'other', { roles: { [service.teamId]: 'owner' } })
    const [changed, left, over] = [await urlOf(AUDIT), await urlOf(AUDIT), await urlOf(AUDIT)]
    await persons.changeRole(service.teamId, ada.id, 'developer')
    expect(await get(changed)).toMatchObject({ status: 403, body: { name: 'invalid_permission' } })
    await persons.removeMember(service.teamId, ada.id)
    expect((await get(left)).status).toBe(403)
    expect((await get(left)).text).not.toContain('topics.create')
    await service.database.execute('delete from sessions where person_id = $1', [ada.id])
    expect(await get(over)).toMatchObject({ status: 403, body: { message: expect.stringContaining('session') } })
  })

  it('is of the team that the person looked at when they asked', async () => {
    const both = await signInPerson(service, 'both', { roles: { [service.teamId]: 'owner', [service.other.teamId]: 'owner' } })
    const asked = await service.call('POST', '/downloads', {
      token: null,
      headers: { cookie: both.cookie, 'posthaste-console': '1', 'sec-fetch-site': 'same-origin', 'posthaste-team': service.other.teamId },
      body: { path: AUDIT },
    })
    expect((await get((asked.body as { url: string }).url)).text).not.toContain('topics.create')
    // Nor does a path name what is of another team.
    const { id } = (await service.call('POST', '/contacts', { body: { email: 'theirs@example.com' }, token: service.other.token }))
      .body as {
      id: string
    }
    await confirm()
    expect((await get(await urlOf(`/contacts/${id}/export`))).status).toBe(404)
  })

  it('is confirmed where the operation is, when it is asked for and when it is used', async () => {
    const { id } = (await service.call('POST', '/contacts', { body: { email: `c${people}@example.com` } })).body as { id: string }
    const path = `/contacts/${id}/export`
    expect(await ask(path)).toMatchObject({ status: 403, body: { name: 'confirmation_required' } })
    await confirm()
    const { status, headers, text } = await get(await urlOf(path))
    expect([status, JSON.parse(text)]).toMatchObject([200, { object: 'contact_export' }])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="contact.json"/)
    const late = await urlOf(path)
    await service.database.execute('update sessions set confirmed_at = null where person_id = $1', [ada.id])
    expect(await get(late)).toMatchObject({ status: 403, body: { name: 'confirmation_required' } })
  })

  it('is what a link in the answer of an operation opens: an attachment', async () => {
    const attachments = [{ filename: 'report.txt', content: Buffer.from('The report').toString('base64') }]
    const { id } = (await service.call('POST', '/emails', { body: emailInput({ attachments }) })).body as { id: string }
    const list = (await service.call('GET', `/emails/${id}/attachments`)).body as { data: { id: string }[] }
    const { text, headers } = await get(await urlOf(`/emails/${id}/attachments/${list.data[0]?.id}`))
    expect([text, headers.get('content-type')]).toEqual(['The report', 'application/octet-stream'])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="report.txt"/)
  })

  it('is for people only, within their role, and of what gives out a file', async () => {
    expect((await service.call('POST', '/downloads', { body: { path: AUDIT } })).status).toBe(403)
    const developer = await signInPerson(service, `dev${people}`, { roles: { [service.teamId]: 'developer' } })
    expect(await ask(AUDIT, developer)).toMatchObject({ status: 403, body: { name: 'invalid_permission' } })
    for (const path of ['/audit-log', '/audit-log?format=json', '/api-keys', '/me', 'https://evil.example/audit-log?format=csv', '/'])
      expect(await ask(path)).toMatchObject({ status: 422, body: { message: 'The `path` field names no file that can be downloaded.' } })
    expect((await get('/downloads/once/1.x.y')).status).toBe(403)
  })
})

describe('a path', () => {
  const operations = [
    { id: 'audit-log.list', method: 'GET', path: '/audit-log' },
    { id: 'audit-log.retrieve', method: 'GET', path: '/audit-log/:audit_log_entry_id' },
    { id: 'contacts.export.retrieve', method: 'GET', path: '/contacts/:id/export' },
    { id: 'contacts.imports.retrieve', method: 'GET', path: '/contacts/imports/:id' },
    { id: 'emails.receiving.retrieve', method: 'GET', path: '/emails/receiving/:id' },
  ]
  it.each<[string, string | null]>([
    ['/audit-log?format=jsonl&action=topics.create', 'audit-log.list'],
    [`/contacts/${UNKNOWN}/export`, 'contacts.export.retrieve'],
    ['/contacts/ada%40example.com/export', 'contacts.export.retrieve'],
    [`/contacts/imports/${UNKNOWN}`, 'contacts.imports.retrieve'],
    [`/audit-log/${UNKNOWN}`, null],
    ['//here.invalid/audit-log?format=csv', null],
    ['/x/../audit-log?format=csv', null],
    ['/audit-log/?format=csv', null],
    ['\\audit-log?format=csv', null],
    [`/contacts/imports/export`, null],
    [`/emails/receiving/..`, null],
  ])('%s names %s', (path, id) => expect(findDownloadable(operations, path)?.id ?? null).toBe(id))
})
