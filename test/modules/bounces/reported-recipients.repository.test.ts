// Whom a report may be about is found by indexes, however much mail an address got.
import { beforeAll, describe, expect, it } from 'vitest'
import { createId, idBound } from '../../../src/lib/ids.ts'
import { ANSWERED } from '../../../src/modules/bounces/pending-reports.repository.ts'
import { BY_SENDING } from '../../../src/modules/bounces/reported-recipients.repository.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** More than the rows of one address that are read. */
const EMAILS = 1_500
const OTHER_ADDRESSES = 20_000
/** One of every thirty emails is from the sender that is looked for. */
const SENDER = { sender: 'news@example.com', address: 'many@example.org' }

const startMs = Date.now() - EMAILS

/** The id of the email, and of its recipient, with this number. */
const numbered = (n: number) => `${idBound(startMs + n).slice(0, 13)}-7000-8000-000000000000`

const service = shared(() => startTestService())
beforeAll(async () => {
  const numbers = Array.from({ length: EMAILS }, (_, index) => index)
  await service.database.execute(
    `with sent as (
       insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select id, $1, gen_random_uuid(), 'queued', 'delivered', 'example.com', case when n % 30 = 0 then 'News <news@example.com>' else 'a@example.com' end, '{}', 'x', now()
         from unnest($2::uuid[], $3::int[]) as s(id, n) returning id)
     insert into recipients (id, team_id, email_id, address, state)
     select id, $1, id, 'Many@example.org', 'delivered' from sent order by random()`,
    [service.teamId, numbers.map(numbered), numbers],
  )
  await service.database.execute(
    `insert into recipients (id, team_id, email_id, address, state)
     select gen_random_uuid(), $1, gen_random_uuid(), 'other-' || n || '@example.org', 'delivered' from generate_series(1, $2::int) n`,
    [service.teamId, OTHER_ADDRESSES],
  )
})

const newestFor = async (since: Date) => {
  const { reportedRecipients } = service.service.context.repositories
  return (await reportedRecipients.ofSendingsAcrossTeams([SENDER], since)).map(({ id }) => id)
}

describe('mail from a sender to an address', () => {
  it('is the newest, though the address got more than is read', async () => {
    const newest = Array.from({ length: 20 }, (_, index) => numbered(EMAILS - 30 - 30 * index))
    expect(await newestFor(new Date(startMs))).toEqual(newest)
  })

  it('is found whichever team sent it', async () => {
    const address = 'shared@example.org'
    const teams = Array.from({ length: 5 }, () => createId())
    await service.database.execute(
      `with sent as (
         insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
         select id, team, gen_random_uuid(), 'queued', 'delivered', 'example.com', 'news@example.com', '{}', 'x', now() from unnest($1::uuid[], $2::uuid[]) as s(id, team) returning id, team_id)
       insert into recipients (id, team_id, email_id, address, state) select id, team_id, id, $3, 'delivered' from sent`,
      [[5, 2, 4, 1, 3].map((n) => numbered(EMAILS + n)), teams, address],
    )
    const { reportedRecipients } = service.service.context.repositories
    const found = await reportedRecipients.ofSendingsAcrossTeams([{ ...SENDER, address }], new Date(startMs))
    expect(found.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1].map((n) => numbered(EMAILS + n)))
  })

  it('is not looked for before the time that is given', async () => {
    expect(await newestFor(new Date(startMs + EMAILS - 60))).toEqual([numbered(EMAILS - 30), numbered(EMAILS - 60)])
  })

  it.each(['before', 'after'])('is found by the index of addresses in its order, %s statistics are there', async (when) => {
    await service.database.execute(when === 'after' ? 'analyze emails, recipients' : 'select')
    const plan = await planOf(BY_SENDING.text, [[SENDER.sender], [SENDER.address], idBound(startMs)])
    expect(plan).toContain('"Index Name": "recipients_address_idx"')
    expect(plan).not.toContain('"Node Type": "Seq Scan"')
  })
})

describe('what a recipient answered', () => {
  it('is looked for in the days since the email was accepted', async () => {
    await service.database.execute(ANSWERED, [[createId()], idBound(startMs - DAY_MS)])
    const partitions = (plan: string) => new Set([...plan.matchAll(/"Relation Name": "(notifications\w*)"/g)].map(([, name]) => name)).size
    const all = partitions(await planOf(ANSWERED.text, [[createId()], idBound(0)]))
    const some = partitions(await planOf(ANSWERED.text, [[createId()], idBound(startMs + DAY_MS)]))
    expect(some).toBeLessThan(all)
  })
})

const planOf = async (sql: string, values: unknown[]) =>
  JSON.stringify(await service.database.execute(`explain (format json) ${sql}`, values), null, 1)
