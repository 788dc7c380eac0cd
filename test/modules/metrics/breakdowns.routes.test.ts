import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { BREAKDOWN_EMAILS_MAX } from '../../../src/modules/metrics/breakdowns.repository.ts'
import { signInAs } from '../../support/clients/console.ts'
import { OWN_PAGE } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const BROADCAST = createId()
const service = shared(() => startTestService())

type Row = {
  name: string
  value: string | null
  recipients: number
  delivered: number
  bounced: number
  opened: number
  bounce_rate: number
}
type Breakdown = { emails: number; is_complete: boolean; data: Row[] }

async function addEmail(
  address: string,
  state: string,
  { tags = '[]', broadcastId = null as string | null, at = '2001-02-03T00:00:00Z' } = {},
) {
  await service.database.execute(
    `with sent as (
       insert into emails (id, team_id, state, last_event, from_domain, "from", "to", subject, tags, broadcast_id, created_at)
       values (uuidv7_at($5::timestamptz, (random() * 1000000)::int), $1, 'queued', $3, 'example.com', 'a@example.com', array[$2], 'x', $4::jsonb, $6::uuid, $5) returning id)
     insert into recipients (id, team_id, email_id, address, state) select gen_random_uuid(), $1, id, $2, $3 from sent`,
    [service.teamId, address, state, tags, at, broadcastId],
  )
}

const read = async (query: string): Promise<Breakdown> =>
  (await service.call('GET', `/emails/metrics/breakdown?${query}`)).body as Breakdown

beforeAll(async () => {
  const news = '[{"name":"kind","value":"news"}]'
  for (const [address, state] of [
    ['a@gmail.com', 'opened'],
    ['B@GMAIL.com', 'bounced'],
    ['c@googlemail.com', 'delivered'],
    ['d@hotmail.co.uk', 'clicked'],
    ['e@notgmail.com', 'complained'],
    ['f@yahoo.fr', 'sent'],
    ['g@me.com', 'suppressed'],
  ] as const)
    await addEmail(address, state, { tags: news })
  await addEmail('h@gmail.com', 'delivered', {
    tags: '[{"name":"kind","value":"receipt"}]',
    broadcastId: BROADCAST,
    at: '2001-03-03T00:00:00Z',
  })
})

describe('a breakdown', () => {
  it('counts by the provider of the mailbox, the largest first', async () => {
    const { emails, is_complete: isComplete, data } = await read('by=provider')
    expect({ emails, isComplete }).toEqual({ emails: 8, isComplete: true })
    expect(data.map(({ name, recipients }) => [name, recipients])).toEqual([
      ['gmail', 4],
      ['icloud', 1],
      ['other', 1],
      ['outlook', 1],
      ['yahoo', 1],
    ])
    expect(data[0]).toMatchObject({ value: null, delivered: 3, bounced: 1, opened: 1, bounce_rate: 25 })
  })

  it('counts by tag, and of one broadcast, and of a time', async () => {
    expect((await read('by=tag')).data.map(({ name, value, recipients }) => [name, value, recipients])).toEqual([
      ['kind', 'news', 7],
      ['kind', 'receipt', 1],
    ])
    expect((await read(`by=provider&broadcast_id=${BROADCAST}`)).data).toMatchObject([{ name: 'gmail', recipients: 1 }])
    expect(await read('by=provider&start_date=2001-03-01&end_date=2001-04-01')).toMatchObject({ emails: 1 })
    expect(await read('by=provider&end_date=2001-03-01')).toMatchObject({ emails: 7 })
  })

  it('shows tags only to who reads emails', async () => {
    const cookie = await signInAs(service.service.context, service.teamId, 'viewer')
    const ask = (by: string) => service.call('GET', `/emails/metrics/breakdown?by=${by}`, { token: null, headers: { cookie, ...OWN_PAGE } })
    expect([(await ask('provider')).status, (await ask('tag')).status]).toEqual([200, 403])
  })

  it('is nothing to another team, also with the id of the broadcast', async () => {
    const { body } = await service.call('GET', `/emails/metrics/breakdown?by=provider&broadcast_id=${BROADCAST}`, {
      token: service.other.token,
    })
    expect(body).toMatchObject({ emails: 0, data: [] })
  })

  it('looks at the newest emails, and says so', async () => {
    await service.database.execute(
      `insert into emails (id, team_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select uuidv7_at('2002-02-03T00:00:00Z'::timestamptz, n), $1, 'queued', 'queued', 'example.com', 'a@example.com', '{}', 'x', now() from generate_series(1, ${BREAKDOWN_EMAILS_MAX}) n`,
      [service.teamId],
    )
    expect(await read('by=provider&start_date=2001-03-02')).toMatchObject({ emails: BREAKDOWN_EMAILS_MAX, is_complete: false })
  })
})
