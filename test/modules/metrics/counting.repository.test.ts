// What was counted must always be what the events say, whatever commits when.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { append } from '../../../src/db/outbox.ts'
import { createId, LOWEST_ID } from '../../../src/lib/ids.ts'
import type { NewNotification } from '../../../src/lib/notifications.ts'
import { toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import { ADD_UP } from '../../../src/modules/metrics/count-changes.repository.ts'
import { addUpCounts } from '../../../src/modules/metrics/metrics.worker.ts'
import { sweepEmailCounts } from '../../../src/server/sweeps.ts'
import { bounce, happen } from '../../support/builders/emails.ts'
import { claimAndBegin, outcome, sendEmail } from '../../support/builders/engine.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const DAY_MS = 86_400_000

const service = shared(() => startTestService())
beforeEach(() => service.database.execute('truncate email_counts, email_count_changes, notifications, emails, deliveries'))

const repositories = () => service.service.context.repositories
const addUp = () => repositories().countChanges.addUpAcrossTeams()
const today = () => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)
/** A test may run over midnight. */
const differences = async () => {
  const days = [new Date(today().getTime() - DAY_MS), today()]
  return (await Promise.all(days.map((day) => repositories().recounts.compareDayAcrossTeams(day)))).flatMap((one) => one.differences)
}
const sums = async (table: 'email_counts' | 'email_count_changes') => {
  const [row] =
    table === 'email_counts'
      ? await service.database.execute<{ sent: number }>('select coalesce(sum(sent), 0)::int as sent from email_counts')
      : await service.database.execute<{ sent: number }>(
          "select coalesce(sum(count), 0)::int as sent from email_count_changes where metric = 'sent'",
        )
  return row?.sent
}

const sent = (emailId: string): NewNotification => ({
  id: createId(),
  teamId: service.teamId,
  type: 'email.sent',
  subjectId: emailId,
  data: { to: ['to@example.org'] },
})

describe('counting', () => {
  it('counts what commits late, and nothing twice', async () => {
    const { database } = service
    const emailId = await sendEmail(service)
    const late = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const slow = database.transaction(async (inside) => {
      await append(inside, [sent(emailId)], new Date())
      written.resolve()
      await late.promise
    })
    await written.promise
    await append(database.execute, [sent(emailId), sent(emailId)], new Date())
    await addUp()
    expect(await sums('email_counts')).toBe(2)
    late.resolve()
    await slow
    expect(await sums('email_count_changes')).toBe(1)
    expect(await differences()).toEqual([])
    await addUp()
    await addUp()
    expect(await sums('email_counts')).toBe(3)
    expect(await sums('email_count_changes')).toBe(0)
    expect(await differences()).toEqual([])
  })

  it('counts nothing of a transaction that is rolled back', async () => {
    const emailId = await sendEmail(service)
    const failing = service.database.transaction(async (inside) => {
      await append(inside, [sent(emailId)], new Date())
      throw new Error('rolled back by the test')
    })
    await expect(failing).rejects.toThrow('rolled back by the test')
    expect(await sums('email_count_changes')).toBe(0)
  })

  it('counts each event once while many write and several add up', async () => {
    const emailIds = await Promise.all([0, 1, 2].map(() => sendEmail(service)))
    let isWriting = true
    onTestFinished(() => {
      isWriting = false
    })
    const writers = emailIds.map(async (emailId) => {
      for (let round = 0; round < 30; round += 1) await append(service.database.execute, [sent(emailId), sent(emailId)], new Date())
    })
    const adders = [0, 1].map(async () => {
      while (isWriting) await addUp()
    })
    for (let looks = 0; looks < 5; looks += 1) expect(await differences()).toEqual([])
    await Promise.all(writers)
    isWriting = false
    await Promise.all(adders)
    await addUp()
    expect(await sums('email_counts')).toBe(180)
    expect(await differences()).toEqual([])
  })

  it('counts what the engine does: accepted, sent and its outcome, by the domain of the sender', async () => {
    await sendEmail(service, { from: 'Acme <hello@MAIL.Example.com>', to: ['a@example.org', 'b@example.org'] })
    const workerId = createId()
    const begun = await claimAndBegin(service, workerId, new Date(Date.now() + 1_000))
    const kinds = ['delivered', 'bounced'] as const
    await repositories().deliveries.settle(
      workerId,
      begun.map(({ delivery, attemptId }, index) =>
        toSettlement(delivery, attemptId, outcome(kinds[index] ?? 'delayed', { enhancedCode: '5.1.1' }), {
          now: new Date(),
          random: () => 0.5,
        }),
      ),
      new Date(),
    )
    await addUp()
    const [row] = await service.database.execute(
      'select domain, sum(received)::int as received, sum(sent)::int as sent, sum(delivered)::int as delivered, sum(bounced_permanent)::int as bounced from email_counts group by 1',
    )
    expect(row).toEqual({ domain: 'mail.example.com', received: 1, sent: 2, delivered: 1, bounced: 1 })
    expect(await differences()).toEqual([])
  })

  it('tells the process that adds up what it has added', async () => {
    const emailId = await sendEmail(service)
    await append(service.database.execute, [sent(emailId), sent(emailId)], new Date())
    const added = await addUp()
    expect(added?.isFull).toBe(false)
    expect(added?.totals.sort((a, b) => a.counter.localeCompare(b.counter))).toEqual([
      { counter: 'received', count: 1 },
      { counter: 'sent', count: 2 },
    ])
  })
})

describe('a recount', () => {
  it('says what differs, and corrects it while more is counted', async () => {
    const emailId = await sendEmail(service)
    await happen(service, emailId, [
      { type: 'email.sent', at: new Date() },
      { type: 'email.bounced', at: new Date(), data: bounce('Transient') },
    ])
    await addUp()
    await service.database.execute("update email_counts set sent = 5; update email_counts set domain = 'wrong.example'")
    await append(service.database.execute, [sent(emailId)], new Date())
    const wrong = [
      { counter: 'received', counted: 1, recounted: 1 },
      { counter: 'sent', counted: 6, recounted: 2 },
      { counter: 'bounced_transient', counted: 1, recounted: 1 },
    ]
    expect(await differences()).toEqual(wrong)
    await Promise.all([
      repositories().recounts.correctDayAcrossTeams(today()),
      append(service.database.execute, [sent(emailId)], new Date()),
    ])
    expect(await differences()).toEqual([])
    await addUp()
    expect(await differences()).toEqual([])
    expect(await sums('email_counts')).toBe(3)
    expect(await service.database.execute('select distinct domain from email_counts')).toEqual([{ domain: 'example.com' }])
  })

  it('leaves alone what it cannot know: events whose email was removed', async () => {
    const emailId = await sendEmail(service)
    await append(service.database.execute, [sent(emailId)], new Date())
    await addUp()
    await service.database.execute('delete from emails where id = $1', [emailId])
    const { eventsWithoutEmail } = await repositories().recounts.correctDayAcrossTeams(today())
    expect(eventsWithoutEmail).toBe(1)
    expect(await sums('email_counts')).toBe(1)
  })
})

it.each(['before', 'after'])('reads no more changes than it takes, however many wait, %s statistics are there', async (when) => {
  const { database } = service
  await database.execute(
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     select $1, email_count_bucket(now()), 'example.com', $2::uuid, 'sent', 1 from generate_series(1, 200000)`,
    [service.teamId, LOWEST_ID],
  )
  if (when === 'after') await database.execute('analyze email_count_changes')
  const rows = await database.execute<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (analyze, format json) ${ADD_UP}`, [10_000])
  const nodes = rows[0]?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? []
  const scans = nodes.filter((node) => node['Relation Name'] === 'email_count_changes' && node['Node Type'].includes('Scan'))
  expect(scans.length).toBeGreaterThan(0)
  expect(scans.filter((node) => node['Node Type'] === 'Seq Scan' || node['Actual Rows'] * node['Actual Loops'] > 10_000)).toEqual([])
})

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: PlanNode[] }
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

it('removes counts after their time, but never those of broadcasts', async () => {
  const [old, young] = [new Date(Date.now() - 401 * DAY_MS), new Date(Date.now() - 399 * DAY_MS)]
  await service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, sent)
     select $1, bucket, 'example.com', broadcast_id::uuid, 1 from unnest($2::timestamptz[]) as bucket,
       unnest(array['00000000-0000-0000-0000-000000000000', '0193a5c2-0000-7b1a-9c3f-2e5d8a6b4c10']) as broadcast_id`,
    [service.teamId, [old, young]],
  )
  await sweepEmailCounts(service.service.context)
  const left = await service.database.execute<{ bucket: Date; isOfBroadcast: boolean }>(
    `select bucket, broadcast_id <> '00000000-0000-0000-0000-000000000000' as "isOfBroadcast" from email_counts order by 1, 2`,
  )
  expect(left).toEqual([
    { bucket: old, isOfBroadcast: true },
    { bucket: young, isOfBroadcast: false },
    { bucket: young, isOfBroadcast: true },
  ])
})

it('shows operators what was added up', async () => {
  const emailId = await sendEmail(service)
  await append(service.database.execute, [sent(emailId), sent(emailId)], new Date())
  const { metrics } = service.service.context
  const before = await metrics.emailEvents.get()
  expect(before.values.filter(({ labels }) => labels.event === 'sent')).toEqual([])
  expect(await addUpCounts(service.service.context)).toBe(false)
  const { values } = await metrics.emailEvents.get()
  expect(values.find(({ labels }) => labels.event === 'sent')?.value).toBe(2)
})
