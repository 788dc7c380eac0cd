import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { invalid, missing, outcome } from '../../../support/builders/answers.ts'
import { addMembers, createBroadcast, emailsOf, NO_COUNTS, readBroadcast } from '../../../support/builders/broadcasts.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend
let id: string
let contacts: Record<string, string>

const HTML = '<p><a href="https://shop.example.com/">Shop</a></p>'
const PEOPLE = ['opened', 'clicked', 'bounced', 'complained', 'suppressed', 'delivered', 'delivered+2']
const addressOf = (who: string) => `${who}@simulator.test`

/** The recipients of a type, without the places of their rows. */
async function listed(type: string, query = ''): Promise<unknown[]> {
  const { body } = await service.call('GET', `/broadcasts/${id}/recipients?type=${type}${query}`)
  return (body as { data: { id: string }[] }).data.map(({ id: place, ...row }) => {
    expect(place).toMatch(/^[\w-]{22}$/)
    return row
  })
}
const row = (who: string, more: Record<string, unknown> = {}) => ({ contact_id: contacts[addressOf(who)], email: addressOf(who), ...more })

/** The page where the recipient unsubscribes. */
async function unsubscribePathOf(address: string): Promise<string> {
  const { repositories, withBroadcastContent } = service.service.context
  const email = (await emailsOf(service, id)).find(({ to }) => to === address)
  const loaded = (await repositories.outgoingEmails.load([email?.id ?? ''])).get(email?.id ?? '')
  if (!loaded) throw new Error('The email is not there')
  const { headers } = await withBroadcastContent(loaded)
  return new URL(headers['List-Unsubscribe']?.slice(1, -1) ?? '').pathname
}

const tracking = { PUBLIC_URL: 'https://api.example.net', TRACKING_HOST: 'track.example.net', TRACKING_DEFAULT: 'opens,clicks' }
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture', ...tracking } }))
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  const segmentId = await addSegment(service)
  contacts = await addMembers(service, segmentId, Object.fromEntries(PEOPLE.map((who) => [addressOf(who), {}])))
  id = await createBroadcast(service, { segment_id: segmentId, html: HTML, send: true })
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent' }))
  await until(async () => expect((await readBroadcast(service, id)).counts).toMatchObject({ delivered: 5, opened: 2, clicked: 1 }))
})

describe('GET /broadcasts/:broadcast_id/recipients', () => {
  it('lists who was reached, the last one first', async () => {
    expect(await listed('sent')).toEqual(['delivered+2', 'delivered', 'complained', 'bounced', 'clicked', 'opened'].map((who) => row(who)))
    expect(await listed('delivered')).toEqual(['delivered+2', 'delivered', 'complained', 'clicked', 'opened'].map((who) => row(who)))
    expect(await listed('complained')).toEqual([row('complained')])
    expect(await listed('suppressed')).toEqual([row('suppressed')])
  })

  it('says how often, how, and which links', async () => {
    const clicked = row('clicked', { count: 1, clicked_links: [{ url: 'https://simulator.test/', clicks: 1 }] })
    expect(await listed('opened')).toEqual([row('clicked', { count: 1 }), row('opened', { count: 1 })])
    expect(await listed('clicked')).toEqual([clicked])
    expect(await listed('bounced')).toEqual([row('bounced', { bounce_type: 'permanent' })])
    expect(await listed('bounced', '&bounce_type=permanent')).toHaveLength(1)
    expect(await listed('bounced', '&bounce_type=transient')).toEqual([])
    const { data } = await resend.broadcasts.recipients(id, { type: 'clicked' })
    expect(data).toEqual({ object: 'list', has_more: false, data: [{ id: expect.stringMatching(/^[\w-]{22}$/), ...clicked }] })
  })

  it('finds a part of an address', async () => {
    expect(await listed('sent', '&email=%2B2@SIMULATOR')).toEqual([row('delivered+2')])
    expect(await listed('opened', '&email=opened@')).toEqual([row('opened', { count: 1 })])
    expect(await listed('sent', '&email=%25')).toEqual([])
  })

  it('pages in both directions', async () => {
    const read = async (query: string) =>
      (await service.call('GET', `/broadcasts/${id}/recipients?type=sent&${query}`)).body as { has_more: boolean; data: { id: string }[] }
    const { data: all } = await read('')
    expect(await read('limit=2')).toEqual({ object: 'list', has_more: true, data: all.slice(0, 2) })
    expect(await read(`limit=2&after=${all[3]?.id}`)).toEqual({ object: 'list', has_more: false, data: all.slice(4) })
    expect(await read(`limit=2&before=${all[3]?.id}`)).toEqual({ object: 'list', has_more: true, data: all.slice(1, 3) })
  })

  it('lists who unsubscribed by a link of it, once', async () => {
    const path = await unsubscribePathOf(addressOf('delivered'))
    for (let time = 0; time < 2; time += 1)
      await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      })
    expect(await listed('unsubscribed')).toEqual([row('delivered')])
    expect((await readBroadcast(service, id)).counts).toEqual({
      ...NO_COUNTS,
      ...{ recipients: 7, sent: 6, delivered: 5, opened: 2, clicked: 1, bounced: 1, complained: 1, suppressed: 1, unsubscribed: 1 },
    })
  })

  it('lists to whom something happened, as it counts, whatever happened later', async () => {
    const segmentId = await addSegment(service)
    const [back, late] = ['delivered+back@simulator.test', 'delivered+late@simulator.test']
    await addMembers(service, segmentId, { [back]: {}, [late]: {} })
    const own = await createBroadcast(service, { segment_id: segmentId, html: HTML, send: true })
    await until(async () => expect(await readBroadcast(service, own)).toMatchObject({ status: 'sent', counts: { delivered: 2 } }))
    // Reports arrive later.
    const report = (address: string, event: string, data: object) =>
      service.database.execute(
        `with changed as (update emails set last_event = $3 where broadcast_id = $1 and "to" = array[$2] returning id, team_id)
         insert into notifications (id, team_id, type, subject_id, data, created_at) select uuidv7_at(now(), 1), team_id, 'email.' || $3, id, $4, now() from changed`,
        [own, address, event, JSON.stringify({ to: [address], ...data })],
      )
    await report(back, 'bounced', { detail: { bounce: { type: 'Permanent' } } })
    await report(late, 'failed', {})
    const emails = async (type: string) => {
      const { body } = await service.call('GET', `/broadcasts/${own}/recipients?type=${type}`)
      return (body as { data: { email: string }[] }).data.map(({ email }) => email)
    }
    const lists = { sent: [late, back], delivered: [back], bounced: [back], failed: [late], canceled: [] }
    expect(Object.fromEntries(await Promise.all(Object.keys(lists).map(async (type) => [type, await emails(type)])))).toEqual(lists)
  })

  it('lists a link that is different for each recipient as the one that was written', async () => {
    const segmentId = await addSegment(service)
    const people = { 'delivered+a@simulator.test': { first_name: 'Ada & Co' }, 'delivered+b@simulator.test': {} }
    await addMembers(service, segmentId, people)
    const written = 'https://shop.example.com/?u={{{EMAIL}}}&n={{{FIRST_NAME|you}}}'
    const html = `<a href="${written.replace('&', '&amp;')}">Yours</a><a href="https://shop.example.com/">Shop</a>`
    const own = await createBroadcast(service, { segment_id: segmentId, html, send: true })
    await until(async () => expect(await readBroadcast(service, own)).toMatchObject({ status: 'sent', counts: { delivered: 2 } }))
    const { trackedEvents } = service.service.context
    const targets = [
      'https://shop.example.com/?u=delivered+a@simulator.test&n=Ada & Co',
      'https://shop.example.com/?u=delivered+b@simulator.test&n=you',
    ]
    for (const [index, { id: emailId }] of (await emailsOf(service, own)).entries()) {
      const [recipient] = await service.database.execute<{ id: string }>('select id from recipients where email_id = $1', [emailId])
      const click = { kind: 'click' as const, emailId, recipientId: recipient?.id ?? '', domainId: null, method: 'GET' as const }
      const reader = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', address: '192.0.2.7' }
      for (const target of [targets[index] ?? '', 'https://shop.example.com/'])
        trackedEvents.add({ ...click, ...reader, target, at: new Date(Date.now() + 60_000) })
    }
    await trackedEvents.flush()
    const { body } = await service.call('GET', `/broadcasts/${own}/clicked-links`)
    expect(body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ url: written, clicks: 2, unique_clicks: 2 }),
        expect.objectContaining({ url: 'https://shop.example.com/', clicks: 2, unique_clicks: 2 }),
      ]),
    })
    expect((body as { data: unknown[] }).data).toHaveLength(2)
    const events = await service.database.execute<{ link: string }>(
      `select data #>> '{detail,click,link}' as link from notifications where type = 'email.clicked' and data ? 'writtenLink' order by link`,
    )
    expect(events.map(({ link }) => link)).toEqual(targets)
  })

  it.each<[string, string, string]>([
    ['no type', '', 'Missing `type` parameter.'],
    ['another type', '?type=queued', expect.stringMatching(/^The `type` parameter must be one of: `sent`, /)],
    [
      'a bounce type of opens',
      '?type=opened&bounce_type=permanent',
      'The `bounce_type` parameter is only for the `type` parameter `bounced`.',
    ],
    ['a place that is none', '?type=sent&after=nowhere', 'The `after` parameter must be the id of a row of this list.'],
    [
      'both directions',
      '?type=sent&after=AZOlwn1OexqcPy5dimtMEA&before=AZOlwn1OexqcPy5dimtMEA',
      'Give either `after` or `before`, not both.',
    ],
  ])('refuses %s', async (_what, query, message) => {
    expect(outcome(await service.call('GET', `/broadcasts/${id}/recipients${query}`))).toEqual(invalid(message))
  })

  it('answers 404 for a broadcast that is not there, or of another team', async () => {
    expect(outcome(await service.call('GET', `/broadcasts/${UNKNOWN_ID}/recipients?type=sent`))).toEqual(missing('Broadcast'))
    const { token } = service.other
    expect(outcome(await service.call('GET', `/broadcasts/${id}/recipients?type=sent`, { token }))).toEqual(missing('Broadcast'))
    expect(outcome(await service.call('GET', `/broadcasts/${id}/clicked-links`, { token }))).toEqual(missing('Broadcast'))
  })
})

describe('GET /broadcasts/:broadcast_id/clicked-links', () => {
  it('ranks links by how often they were followed, page by page', async () => {
    const [first, second, third] = await emailsOf(service, id)
    const click = (email: string, url: string, count: number) =>
      service.database.execute(
        `insert into notifications (id, team_id, type, subject_id, data, created_at)
         select uuidv7(), $1, 'email.clicked', $2, jsonb_build_object('detail', jsonb_build_object('click', jsonb_build_object('link', $3::text))), now()
         from generate_series(1, $4::int)`,
        [service.teamId, email, url, count],
      )
    await click(first?.id ?? '', 'https://shop.example.com/a', 2)
    await click(second?.id ?? '', 'https://shop.example.com/a', 3)
    await click(third?.id ?? '', 'https://shop.example.com/b', 4)
    const place = expect.stringMatching(/^[\w-]{22}$/)
    const links = [
      { id: place, url: 'https://shop.example.com/a', clicks: 5, unique_clicks: 2 },
      { id: place, url: 'https://shop.example.com/b', clicks: 4, unique_clicks: 1 },
      { id: place, url: 'https://simulator.test/', clicks: 1, unique_clicks: 1 },
    ]
    const { data } = await resend.broadcasts.clickedLinks(id)
    expect(data).toEqual({ object: 'list', has_more: false, data: links })
    const read = async (query: string) => (await service.call('GET', `/broadcasts/${id}/clicked-links${query}`)).body
    const [, b, last] = data?.data ?? []
    expect(await read(`?limit=1&after=${b?.id}`)).toEqual({ object: 'list', has_more: false, data: links.slice(2) })
    expect(await read(`?limit=1&before=${last?.id}`)).toEqual({ object: 'list', has_more: true, data: links.slice(1, 2) })
    const { broadcastRecipients } = service.service.context.repositories
    const page = { limit: 10, after: null, before: null }
    expect((await broadcastRecipients.clickedLinks(service.teamId, id, page)).rows).toHaveLength(3)
    expect(await broadcastRecipients.clickedLinks(service.other.teamId, id, page)).toEqual({ rows: [], hasMore: false })
  })
})
