// Recipients of a broadcast as a segment: that each group is those of whom the lists and the numbers of the broadcast tell, and who is left of them.
import { beforeAll, expect, it } from 'vitest'
import { addMembers, createBroadcast, readBroadcast } from '../../../support/builders/broadcasts.ts'
import { readJob } from '../../../support/builders/contact-jobs.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { until } from '../../../support/clocks/until.ts'
import { forEvery } from '../../../support/for-every.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const PEOPLE = ['opened', 'clicked', 'bounced', 'complained', 'suppressed', 'delivered', 'delivered+2']
const addressOf = (who: string) => `${who}@simulator.test`
const tracking = { PUBLIC_URL: 'https://api.example.net', TRACKING_HOST: 'track.example.net', TRACKING_DEFAULT: 'opens,clicks' }
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture', ...tracking } }))

let id: string
beforeAll(async () => {
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, Object.fromEntries(PEOPLE.map((who) => [addressOf(who), {}])))
  const html = '<p><a href="https://shop.example.com/">Shop</a></p>'
  id = await createBroadcast(service, { segment_id: segmentId, html, send: true })
  await until(async () =>
    expect((await readBroadcast(service, id)).counts).toMatchObject({ delivered: 5, opened: 2, clicked: 1, complained: 1 }),
  )
})

const make = (body: object, broadcast = id, token = service.token) =>
  service.call('POST', `/broadcasts/${broadcast}/segments`, { body, token })

/** Who is in the segment once the job is over. */
async function membersAfter(body: object): Promise<string[]> {
  const answer = await make(body)
  expect(answer.status).toBe(201)
  const job = answer.body as { id: string; act: { segment_id: string } }
  await until(async () => expect(await readJob(service, job.id)).toMatchObject({ status: 'completed' }))
  const { body: list } = await service.call('GET', `/segments/${job.act.segment_id}/contacts`)
  return (list as { data: { email: string }[] }).data.map(({ email }) => email).sort()
}

it('takes the group that is named, as the lists of recipients tell of it', async () => {
  await forEvery<[recipients: string, who: string[]]>(
    [
      ['delivered', ['clicked', 'complained', 'delivered', 'delivered+2', 'opened']],
      ['opened', ['clicked', 'opened']],
      ['not_opened', ['complained', 'delivered', 'delivered+2']],
      ['clicked', ['clicked']],
      ['not_clicked', ['complained', 'delivered', 'delivered+2', 'opened']],
      ['bounced', ['bounced']],
      ['complained', ['complained']],
      ['suppressed', ['suppressed']],
      ['failed', []],
    ],
    async ([recipients, who]) => {
      expect(await membersAfter({ recipients, name: `Those: ${recipients}` })).toEqual(who.map(addressOf).sort())
      const contacts = { broadcast_id: id, recipients }
      expect((await service.call('POST', '/contacts/counts', { body: { contacts } })).body).toMatchObject({ contacts: who.length })
    },
  )
})

it('adds to a segment that exists, without those who are no longer contacts', async () => {
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, { 'old@example.com': {} })
  await service.call('DELETE', `/contacts/${addressOf('delivered+2')}`)
  const members = ['complained', 'delivered'].map(addressOf)
  expect(await membersAfter({ recipients: 'not_opened', segment_id: segmentId })).toEqual([...members, 'old@example.com'])
})

it('makes no segment for what it refuses', async () => {
  const { body } = await service.call('POST', '/segments', {
    body: { name: 'Filtered', filter: { field: 'unsubscribed', operator: 'equals', value: true } },
  })
  const { id: filtered } = body as { id: string }
  const before = (await service.call('GET', '/segments')).body
  expect(await make({ recipients: 'opened', segment_id: filtered })).toMatchObject({ status: 422 })
  expect(await make({ recipients: 'opened', segment_id: UNKNOWN_ID })).toMatchObject({ status: 422 })
  expect(await make({ recipients: 'opened', name: 'A', segment_id: UNKNOWN_ID })).toMatchObject({ status: 422 })
  expect(await make({ recipients: 'opened', name: 'A' }, UNKNOWN_ID)).toMatchObject({ status: 404 })
  expect(await make({ recipients: 'opened', name: 'A' }, id, service.other.token)).toMatchObject({ status: 404 })
  await service.database.execute(
    `insert into contact_jobs (id, team_id, status, selection, act, created_at, completed_at)
     select gen_random_uuid(), $1, 'queued', '{"kind": "all"}', '{"type": "unsubscribe"}', now(), null from generate_series(1, 100)`,
    [service.teamId],
  )
  expect(await make({ recipients: 'opened', name: 'A' })).toMatchObject({ status: 422 })
  expect((await service.call('GET', '/segments')).body).toEqual(before)
})
