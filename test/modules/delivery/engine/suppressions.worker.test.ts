import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Execute } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { actOnReports } from '../../../../src/modules/bounces/reports.worker.ts'
import { addSuppressions } from '../../../../src/modules/suppressions/suppression-changes.repository.ts'
import { suppressedAddressRepository } from '../../../../src/modules/suppressions/suppressions.repository.ts'
import type { SuppressionOrigin } from '../../../../src/modules/suppressions/suppressions.schema.ts'
import { attemptsOf, deliveriesOf, sendEmail, stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { storeInboundMessage } from '../../../support/builders/received-emails.ts'
import { deliveryReport } from '../../../support/builders/returned-mail.ts'
import { chooseTopic, createTopic } from '../../../support/builders/topics.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const clock = createShiftingClock()

const service = shared(() => startRelayService({ clock }))
beforeAll(() => {
  service.startWorker()
})
beforeEach(async () => {
  await service.database.execute('truncate suppressions')
})
afterEach(() => {
  service.sink.messages.length = 0
  delete service.sinkOptions.onRecipient
})

const settled = (id: string) => until(async () => expect(await deliveriesOf(service, id)).toEqual([]))

/** The recipients whose mail reached the mail server. */
const reached = () => service.sink.messages.flatMap(({ to }) => to).toSorted()

const suppress = (email: string, { origin = 'bounce', teamId = service.teamId }: { origin?: SuppressionOrigin; teamId?: string } = {}) =>
  service.database.transaction((inside) => addSuppressions(inside, [{ teamId, email, origin, sourceId: null }], clock.now()))

const listed = () =>
  service.database.execute('select team_id as "teamId", email, origin, source_id as "sourceId" from suppressions order by email')

/** What the timeline of an email says of recipients that were not tried. */
async function skipped(id: string): Promise<unknown[]> {
  const { body } = await service.call('GET', `/emails/${id}/events`)
  const { data } = body as { data: { type: string; to: string[]; detail: unknown }[] }
  return data.filter(({ type }) => type === 'email.suppressed').map(({ to, detail }) => ({ to, detail }))
}

const skip = (to: string, reason: string, message: string) => ({
  to: [to],
  detail: { suppressed: { message, type: 'OnAccountSuppressionList', reason, diagnosticCode: [] } },
})

describe('mail to an address on the suppression list', () => {
  it.each([
    ['bounce', 'previous_bounce', 'The address is on the suppression list: an earlier email to it bounced.'],
    ['complaint', 'previous_complaint', 'The address is on the suppression list: an earlier email to it was reported as spam.'],
    ['manual', 'manual', 'The address is on the suppression list: your team added it.'],
  ] as const)('is not tried, and says why: %s', async (origin, reason, message) => {
    await suppress('gone@example.org', { origin })
    const id = await sendEmail(service, { to: 'gone@example.org' })
    await settled(id)
    expect(await stateOf(service, id)).toEqual({ state: 'queued', lastEvent: 'suppressed', recipients: ['suppressed'] })
    expect(await skipped(id)).toEqual([skip('gone@example.org', reason, message)])
    expect(await attemptsOf(service, id)).toEqual([])
    expect(reached()).toEqual([])
  })

  it('reaches its other recipients, in to, cc and bcc alike, whatever the case of their letters', async () => {
    for (const email of ['gone1@example.org', 'gone2@example.org', 'gone3@xn--mnchen-3ya.example']) await suppress(email)
    const id = await sendEmail(service, {
      to: ['to@example.org', 'Gone1@Example.org'],
      cc: ['cc@example.org', '"gone2"@EXAMPLE.ORG'],
      bcc: ['bcc@example.org', 'GONE3@münchen.example'],
    })
    await settled(id)
    expect(reached()).toEqual(['bcc@example.org', 'cc@example.org', 'to@example.org'])
    expect((await stateOf(service, id)).lastEvent).toBe('delivered')
    expect((await skipped(id)).length).toBe(3)
  })

  it('is judged at its time if it is scheduled: what was added or removed before counts', async () => {
    await suppress('returned@example.org')
    const id = await sendEmail(service, {
      to: ['added@example.org', 'returned@example.org'],
      scheduled_at: new Date(clock.now().getTime() + 60_000).toISOString(),
    })
    await service.database.execute('truncate suppressions')
    await suppress('added@example.org')
    clock.shift(61_000)
    await settled(id)
    expect(reached()).toEqual(['returned@example.org'])
  })

  it('is sent if only another team has suppressed the address', async () => {
    await suppress('shared@example.org', { teamId: service.other.teamId })
    await settled(await sendEmail(service, { to: 'shared@example.org' }))
    expect(reached()).toEqual(['shared@example.org'])
  })

  it('that was sent once is retried: only the first attempt is judged', async () => {
    service.sinkOptions.onRecipient = () => ({ code: 450, text: '4.2.1 Busy' })
    const id = await sendEmail(service, { to: 'busy@example.org' })
    await untilEvent(service, id, 'delivery_delayed')
    delete service.sinkOptions.onRecipient
    await suppress('busy@example.org')
    clock.shift(5 * 60_000)
    await settled(id)
    expect(reached()).toEqual(['busy@example.org'])
  })

  it('is suppressed rather than failed when its topic is not wanted either', async () => {
    const topic = await createTopic(service, { default_subscription: 'opt_in' })
    await service.call('POST', '/contacts', { body: { email: 'both@example.org' } })
    await chooseTopic(service, 'both@example.org', topic, 'opt_out')
    await suppress('both@example.org')
    const id = await sendEmail(service, { to: 'both@example.org', topic_id: topic })
    await settled(id)
    expect((await stateOf(service, id)).recipients).toEqual(['suppressed'])
  })

  it('is nevertheless sent to a simulator address', async () => {
    await suppress('delivered@simulator.test')
    const id = await sendEmail(service, { to: 'delivered@simulator.test' })
    await untilEvent(service, id, 'delivered')
  })
})

describe('an address', () => {
  it('is suppressed in the transaction of a permanent bounce, so that the next email is not tried', async () => {
    service.sinkOptions.onRecipient = () => ({ code: 550, text: '5.1.1 User unknown' })
    const first = await sendEmail(service, { to: 'Nobody@example.org' })
    await settled(first)
    expect(await listed()).toEqual([{ teamId: service.teamId, email: 'nobody@example.org', origin: 'bounce', sourceId: first }])

    const second = await sendEmail(service, { to: 'nobody@example.org' })
    await settled(second)
    expect((await stateOf(service, second)).recipients).toEqual(['suppressed'])
    expect(await attemptsOf(service, second)).toEqual([])

    const told = await service.database.execute<{ type: string; data: { email: string; source_id: string } }>(
      `select type, data from notifications where type like 'suppression.%' and data->>'email' = 'nobody@example.org'`,
    )
    expect(told).toMatchObject([{ type: 'suppression.added', data: { email: 'nobody@example.org', origin: 'bounce', source_id: first } }])
  })

  it('that was taken from the list after its server refused it is not put there again by a report for the same mail', async () => {
    service.sinkOptions.onRecipient = () => ({ code: 550, text: '5.1.1 User unknown' })
    const id = await sendEmail(service, { to: 'refused@example.org' })
    await settled(id)
    expect((await service.call('DELETE', '/suppressions/refused@example.org')).status).toBe(200)
    const [recipient] = await service.database.execute<{ id: string }>('select id from recipients where email_id = $1', [id])
    const content = deliveryReport([{ address: 'refused@example.org' }])
    await storeInboundMessage(service, { recipientId: recipient?.id ?? '', content })
    await actOnReports(service.service.context)
    // The worker may have taken it first.
    await until(async () =>
      expect(await service.database.execute('select state, verdict from inbound_messages')).toEqual([{ state: 'done', verdict: 'bounce' }]),
    )
    expect(await listed()).toEqual([])
  })

  it.each([
    ['a full mailbox', 552, '5.2.2 Mailbox full'],
    ['content', 554, '5.7.1 Message rejected as spam'],
    ['a policy', 550, '5.7.26 This mail is unauthenticated: DMARC'],
    ['a blocklist', 550, '5.7.1 Service unavailable; client host blocked using zen.spamhaus.org'],
    ['its size', 552, '5.3.4 Message too big'],
  ])('is not suppressed because of %s', async (_what, code, text) => {
    service.sinkOptions.onRecipient = () => ({ code, text })
    const id = await sendEmail(service, { to: 'someone@example.org' })
    await settled(id)
    expect((await stateOf(service, id)).recipients).toEqual(['bounced'])
    expect(await listed()).toEqual([])
  })

  it('of the simulator is never suppressed', async () => {
    const id = await sendEmail(service, { to: ['bounced@simulator.test', 'complained@simulator.test', 'suppressed@simulator.test'] })
    await settled(id)
    expect(await listed()).toEqual([])
  })
})

it('looks all recipients up by the index, in a list of any length', async () => {
  await service.database.execute(
    `insert into suppressions (id, team_id, email, origin, created_at)
     select uuidv7(), $1, 'person' || n || '@example.org', 'bounce', now() from generate_series(1, 20000) n`,
    [service.teamId],
  )
  const recipients = Array.from({ length: 200 }, (_, index) => ({
    id: createId(),
    teamId: service.teamId,
    email: `person${index * 7}@example.org`,
  }))
  // Counted within one transaction, without the reads of other connections.
  await service.database.transaction(async (execute) => {
    const before = await rowsRead(execute)
    expect((await suppressedAddressRepository({ execute }).findAcrossTeams(recipients)).size).toBe(199)
    const after = await rowsRead(execute)
    expect({ byIndex: after.byIndex - before.byIndex, bySequence: after.bySequence }).toEqual({
      byIndex: 199,
      bySequence: before.bySequence,
    })
  })
})

async function rowsRead(execute: Execute): Promise<{ byIndex: number; bySequence: number }> {
  const [row] = await execute<{ byIndex: number; bySequence: number }>(
    `select idx_tup_fetch::int as "byIndex", seq_tup_read::int as "bySequence" from pg_stat_xact_user_tables where relname = 'suppressions'`,
  )
  if (!row) throw new Error('There are no statistics')
  return row
}
