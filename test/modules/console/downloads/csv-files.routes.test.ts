// Contacts, recipients, emails and numbers as CSV files: what stands in them, for whom, and that each is that of the lists.
import { beforeAll, describe, expect, it } from 'vitest'
import { addMembers, createBroadcast, readBroadcast } from '../../../support/builders/broadcasts.ts'
import { addManyContacts } from '../../../support/builders/contact-jobs.ts'
import { addSegment, createContact } from '../../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture' } }))
let ada: SignedInPerson
beforeAll(async () => {
  ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
})

const read = async (path: string, token = service.token): Promise<string[]> => {
  const { status, text, headers } = await service.call('GET', path, { token })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  return text.trimEnd().split('\r\n')
}
const statusOf = async (path: string, token = service.token) => (await service.call('GET', path, { token })).status

describe('the contacts', () => {
  it('are in the file with their properties, the oldest first, and no cell of theirs is a formula', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'company', type: 'string' } })
    const segment = await addSegment(service)
    const fields = { first_name: '=cmd()', properties: { company: 'Engines, "Ltd"' }, segments: [segment] }
    const id = await createContact(service, { email: 'ada@example.com', ...fields })
    await createContact(service, { email: 'bob@example.com', last_name: 'Stone', unsubscribed: true })
    const [header, first, second, ...more] = await read('/contacts/export')
    expect(header).toBe('id,email,first_name,last_name,unsubscribed,created_at,updated_at,company')
    expect(first).toMatch(new RegExp(`^${id},ada@example.com,'=cmd\\(\\),,false,[^,]+,[^,]+,"Engines, ""Ltd"""$`))
    expect(second).toMatch(/,bob@example.com,,Stone,true,/)
    expect(more).toEqual([])
    expect(await read(`/contacts/export?segment_id=${segment}`)).toEqual([header, first])
    expect(await read('/contacts/export?search=stone')).toEqual([header, second])
    expect(await read('/contacts/export', service.other.token)).toHaveLength(1)
    expect(await statusOf(`/contacts/export?segment_id=${segment}`, service.other.token)).toBe(404)
    expect(await statusOf(`/contacts/export?segment_id=${segment}&search=a`)).toBe(422)
  })

  it('are all in it, however many there are', async () => {
    await service.database.execute('truncate contacts')
    const ids = await addManyContacts(service, 4_321)
    const [, ...rows] = await read('/contacts/export')
    expect(rows.map((row) => row.split(',')[0])).toEqual(ids)
    const found = ids.filter((_, index) => `many-${index}@`.includes('-43'))
    expect((await read('/contacts/export?search=-43')).slice(1)).toHaveLength(found.length)
  })

  it('are given to a person who has confirmed, once, and stand in the audit log', async () => {
    const path = '/contacts/export'
    expect(await callAs(service, ada, 'POST', '/downloads', { path })).toMatchObject({
      status: 403,
      body: { name: 'confirmation_required' },
    })
    await service.database.execute('update sessions set confirmed_at = $2 where person_id = $1', [ada.id, new Date()])
    const { url } = (await callAs(service, ada, 'POST', '/downloads', { path })).body as { url: string }
    const got = await service.call('GET', url, { token: null })
    expect(got.headers.get('content-disposition')).toContain('contacts.csv')
    expect(got.text.split('\r\n').length).toBeGreaterThan(4_000)
    expect((await service.call('GET', url, { token: null })).status).toBe(403)
    expect(await service.database.execute("select from audit_log where act = 'contacts.export' and actor_id = $1", [ada.id])).toHaveLength(
      1,
    )
  })
})

describe('the emails', () => {
  it('are those that filters find, with what the mail server said of those that it refused', async () => {
    const week = { since: new Date(Date.now() - 7 * 86_400_000).toISOString(), soon: new Date(Date.now() + 60_000).toISOString() }
    await send(service, { to: ['bounced@simulator.test'], subject: '-Refused' })
    await send(service, { to: ['delivered@simulator.test', 'delivered+second@simulator.test'], subject: 'Taken' })
    const bounced = `/emails/export?status=bounced&start_date=${week.since}&end_date=${week.soon}`
    await until(async () => expect(await read(bounced)).toHaveLength(2))
    const [header, row] = await read(bounced)
    expect(header).toBe('id,created_at,scheduled_at,from,to,cc,bcc,subject,last_event,failed_address,server_answer')
    expect(row).toMatch(/,bounced@simulator\.test,,,'-Refused,bounced,bounced@simulator\.test,.+$/)
    expect(await read('/emails/export')).toHaveLength(3)
    expect((await read('/emails/export?subject=Taken'))[1]).toContain('"delivered@simulator.test, delivered+second@simulator.test"')
    expect(await read(`/emails/export?status=bounced&end_date=${week.since}`)).toEqual([header])
    expect(await read('/emails/export', service.other.token)).toEqual([header])
    expect(await statusOf('/emails/export?to=no-address')).toBe(422)
  })
})

describe('the recipients of a broadcast', () => {
  it('are the ones to which it happened', async () => {
    const segmentId = await addSegment(service)
    const members = await addMembers(service, segmentId, { 'bounced@simulator.test': {}, 'delivered@simulator.test': {} })
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await until(async () => expect((await readBroadcast(service, id)).counts).toMatchObject({ delivered: 1, bounced: 1 }))
    const path = `/broadcasts/${id}/recipients/export?type=`
    const [header, row] = await read(`${path}bounced`)
    expect(header).toBe('email,contact_id,email_id,type,count,bounce_type,clicked_links')
    expect(row).toMatch(new RegExp(`^bounced@simulator.test,${members['bounced@simulator.test']},[^,]+,bounced,,permanent,$`))
    expect(await read(`${path}sent`)).toHaveLength(3)
    expect(await statusOf(`${path}sent`, service.other.token)).toBe(404)
    expect(await statusOf(`/broadcasts/${UNKNOWN_ID}/recipients/export?type=sent`)).toBe(404)
  })
})

describe('the numbers', () => {
  it('are those of the same question in JSON, without a confirmation', async () => {
    const query = 'dimensions=domain&metrics=sent,delivered,bounced,delivery_rate'
    const { body } = await service.call('GET', `/emails/metrics?${query}`)
    const { data } = body as { data: Record<string, unknown>[] }
    expect(data.length).toBeGreaterThan(0)
    const columns = ['domain_name', 'sent', 'delivered', 'bounced', 'delivery_rate']
    const [header, ...rows] = await read(`/emails/metrics/export?${query}`)
    expect(header?.split(',')).toEqual(columns)
    expect(rows.map((row) => row.split(','))).toEqual(data.map((row) => columns.map((column) => String(row[column]))))
    expect(await read('/emails/metrics/export?metrics=sent')).toHaveLength(2)
    await service.database.execute('update sessions set confirmed_at = null where person_id = $1', [ada.id])
    expect((await callAs(service, ada, 'POST', '/downloads', { path: `/emails/metrics/export?${query}` })).status).toBe(201)
  })
})
