// An export reads what belongs to one person, however much the others got, and no more of it than its limits.
import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { EXPORTED_EMAILS, EXPORTED_EVENTS } from '../../../src/modules/privacy/contact-exports.repository.ts'
import { EXPORT_EMAILS_MAX, EXPORT_EVENTS_MAX, EXPORT_RUNS_MAX } from '../../../src/modules/privacy/contact-exports.schema.ts'
import { createContact } from '../../support/builders/contacts.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const EMAILS = 30_000
/** How many emails the person with many has got. */
const TO_MANY = EXPORT_EMAILS_MAX + 1

const service = shared(() => startTestService())
beforeAll(async () => {
  await service.database.execute(
    `with sent as (
       insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, gen_random_uuid(), 'queued', 'queued', 'example.com', 'a@example.com', '{}', 'Email ' || n, now()
         from generate_series(1, $2::int) n returning id, substr(subject, 7)::int as n)
     insert into recipients (id, team_id, email_id, address, state)
     select gen_random_uuid(), $1, id,
       case when n % 29 = 0 and n <= 29 * $3::int then 'Many@example.com' when n in (7, 20000) then 'Few@Example.com' else 'other-' || n || '@example.com' end,
       'queued' from sent`,
    [service.teamId, EMAILS, TO_MANY],
  )
})

const read = async (email: string, limits = { emailsMax: EXPORT_EMAILS_MAX, eventsMax: EXPORT_EVENTS_MAX, runsMax: EXPORT_RUNS_MAX }) => {
  const { repositories, hashAddress } = service.service.context
  const found = await repositories.contactExports.read(service.teamId, { email }, (address) => hashAddress(service.teamId, address), limits)
  if (!found) throw new Error('The contact is not there')
  return found
}

describe('emails of an export', () => {
  it.each(['before', 'after'])('are found by the index of addresses, %s statistics are there', async (when) => {
    await service.database.execute(when === 'after' ? 'analyze emails, recipients' : 'select')
    for (const email of ['few@example.com', 'nobody@example.com', 'many@example.com']) {
      const rows = await service.database.execute<{ 'QUERY PLAN': Plan[] }>(`explain (analyze, buffers, format json) ${EXPORTED_EMAILS}`, [
        service.teamId,
        email,
        EXPORT_EMAILS_MAX + 1,
      ])
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
      const nodes = plan ? nodesOf(plan) : []
      expect(nodes.filter((node) => node['Relation Name'] === 'recipients').map((node) => node['Node Type'])).not.toContain('Seq Scan')
      expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toContain('recipients_address_idx')
    }
  })

  it('are the newest, and told to be more', async () => {
    await createContact(service, { email: 'many@example.com' })
    const { emails } = await read('many@example.com')
    const numbers = emails.rows.map(({ subject }) => Number(subject.slice('Email '.length)))
    expect({ count: numbers.length, hasMore: emails.hasMore }).toEqual({ count: EXPORT_EMAILS_MAX, hasMore: true })
    expect(numbers).toEqual(Array.from({ length: EXPORT_EMAILS_MAX }, (_, index) => 29 * (TO_MANY - index)))
    // Exactly as many as an export can hold do not count as more.
    expect((await read('many@example.com', { emailsMax: TO_MANY, eventsMax: 1, runsMax: EXPORT_RUNS_MAX })).emails.hasMore).toBe(false)
  })

  it('are those to the address in whatever case, newest first', async () => {
    await createContact(service, { email: 'few@example.com' })
    const { emails } = await read('few@example.com')
    expect(emails.rows.map(({ subject, address }) => [subject, address])).toEqual([
      ['Email 20000', 'Few@Example.com'],
      ['Email 7', 'Few@Example.com'],
    ])
  })
})

describe('events of an export', () => {
  beforeAll(() =>
    service.database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select id, $1, case when n % 9 = 0 then 'suppression.added' else 'contact.updated' end, gen_random_uuid(),
         jsonb_build_object('email', 'other-' || n || '@example.com'), now() from unnest($2::uuid[]) with ordinality as g(id, n)`,
      [service.teamId, Array.from({ length: 5_000 }, () => createId())],
    ),
  )

  it.each(['before', 'after'])('are found by the indexes of their subject and their address, %s statistics are there', async (when) => {
    await service.database.execute(when === 'after' ? 'analyze notifications' : 'select')
    const values = [service.teamId, service.teamId, 'few@example.com', EXPORT_EVENTS_MAX + 1]
    const rows = await service.database.execute<{ 'QUERY PLAN': Plan[] }>(`explain (format json) ${EXPORTED_EVENTS}`, values)
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
    const indexes = (plan ? nodesOf(plan) : []).flatMap((node) => node['Index Name'] ?? [])
    const found = new Set(indexes.map((name) => name.replace(/^notifications_\w*\d_/, '')))
    expect([...found].toSorted()).toEqual(['pkey', 'team_id_expr_id_idx'])
  })

  it('are the newest, and told to be more', async () => {
    const email = 'eventful@example.com'
    const id = await createContact(service, { email })
    for (const name of ['One', 'Two', 'Three']) await service.call('PATCH', `/contacts/${id}`, { body: { first_name: name } })
    const { events } = await read(email, { emailsMax: 1, eventsMax: 2, runsMax: EXPORT_RUNS_MAX })
    expect(events.rows.map(({ data }) => 'first_name' in data && data.first_name)).toEqual(['Three', 'Two'])
    expect(events.hasMore).toBe(true)
    expect((await read(email, { emailsMax: 1, eventsMax: 4, runsMax: EXPORT_RUNS_MAX })).events).toMatchObject({
      rows: { length: 4 },
      hasMore: false,
    })
  })
})

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; Plans?: PlanNode[] }
type Plan = { Plan: PlanNode }

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
