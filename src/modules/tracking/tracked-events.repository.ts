// Opens and clicks of tracked mail; in SQL, because many are recorded at once. Crosses teams: a link names its recipient, not the team.

import { type Database, type Execute, statement } from '../../db/database.ts'
import { createId, idBound } from '../../lib/ids.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import { advanceRecipients, markFirstEvents } from '../emails/recipient-states.repository.ts'

/** What a link names. */
export type TrackedRecipient = { emailId: string; recipientId: string; domainId: string | null }

export type TrackedFacts = {
  teamId: string
  address: string
  /** Null if it is not known. */
  deliveredAt: Date | null
}

export type NewTrackedEvent = {
  kind: 'open' | 'click'
  teamId: string
  emailId: string
  recipientId: string
  /** The recipient's address. */
  address: string
  at: Date
  /** The name of the rule that takes it for the work of a program; null for people. */
  machineRule: string | null
  /** Where the link led; empty for an open. */
  target: string
  /** The link of a broadcast that leads each recipient to another target, with its placeholders. */
  writtenLink: string | null
  userAgent: string
  /** Null if it is not stored. */
  ipAddress: string | null
}

/** An attempt takes less time than this. */
const ATTEMPT_MS_MAX = 10 * 60 * 1000

export function trackedEventRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /**
     * What is known of the recipients, by their ids. Left out are those whose email is not kept any longer, or whose domain was deleted.
     *
     * @param since when the first of their events came
     */
    async factsAcrossTeams(named: TrackedRecipient[], since: Date): Promise<Map<string, TrackedFacts>> {
      const recipients = await execute<{ id: string; teamId: string; address: string }>(RECIPIENTS, [
        named.map(({ emailId }) => emailId),
        named.map(({ recipientId }) => recipientId),
        named.map(({ domainId }) => domainId),
      ])
      if (recipients.length === 0) return new Map()
      const delivered = await execute<{ recipientId: string; deliveredAt: Date }>(DELIVERED, [
        [...new Set(named.map(({ emailId }) => emailId))],
        idBound(Math.max(0, since.getTime() - ATTEMPT_MS_MAX)),
      ])
      const times = new Map(delivered.map(({ recipientId, deliveredAt }) => [recipientId, deliveredAt]))
      return new Map(recipients.map(({ id, ...recipient }) => [id, { ...recipient, deliveredAt: times.get(id) ?? null }]))
    },

    /** Writes the notifications, and moves states that may change. The first event of a person on an email is the one that counts as unique. */
    async recordAcrossTeams(events: NewTrackedEvent[], now: Date): Promise<void> {
      await transaction((inside) => record(inside, events, now), { plans: 'by index' })
    },
  }
}

async function record(inside: Execute, events: NewTrackedEvent[], now: Date): Promise<void> {
  const emailIds = [...new Set(events.map(({ emailId }) => emailId))]
  // Who is first is decided under the lock.
  const emails = await inside<{ id: string; isOpened: boolean; isClicked: boolean }>(LOCK_SEEN, [emailIds])
  const seen = {
    open: new Set(emails.filter(({ isOpened }) => isOpened).map(({ id }) => id)),
    click: new Set(emails.filter(({ isClicked }) => isClicked).map(({ id }) => id)),
  }
  const firsts = { open: new Map<string, Date>(), click: new Map<string, Date>() }
  const changes = events.map((event) => {
    const isFirst = event.machineRule === null && !seen[event.kind].has(event.emailId)
    if (isFirst) {
      seen[event.kind].add(event.emailId)
      firsts[event.kind].set(event.emailId, event.at)
    }
    const { teamId, emailId, recipientId } = event
    const to = event.kind === 'open' ? ('opened' as const) : ('clicked' as const)
    return {
      teamId,
      emailId,
      recipientId,
      to,
      notifications: [toNotification(event, isFirst)],
      always: true,
      isMachine: event.machineRule !== null,
    }
  })
  await advanceRecipients(inside, changes, now, { areLocked: true })
  const marked = [...new Set([...firsts.open.keys(), ...firsts.click.keys()])]
  await markFirstEvents(
    inside,
    marked.map((id) => ({ id, openedAt: firsts.open.get(id) ?? null, clickedAt: firsts.click.get(id) ?? null })),
  )
}

function toNotification(
  { kind, teamId, emailId, address, at, machineRule, target, writtenLink, userAgent, ipAddress }: NewTrackedEvent,
  isFirst: boolean,
): NewNotification {
  const facts = { id: createId(), teamId, subjectId: emailId }
  const first = isFirst && { firstOf: 'email' as const }
  const doer = { is_machine: machineRule !== null, ...(machineRule !== null && { machine_rule: machineRule }) }
  if (kind === 'open') return { ...facts, type: 'email.opened', data: { to: [address], detail: doer, ...first } }
  const click = { ...(ipAddress !== null && { ipAddress }), link: target, timestamp: at.toISOString(), userAgent }
  const written = writtenLink !== null && { writtenLink }
  return { ...facts, type: 'email.clicked', data: { to: [address], detail: { click, ...doer }, ...first, ...written } }
}

const RECIPIENTS = statement(
  'tracked recipients',
  `
select distinct r.id, r.team_id as "teamId", r.address from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as n(email_id, id, domain_id)
join recipients r on r.id = n.id and r.email_id = n.email_id
where n.domain_id is null or exists (select from domains d where d.id = n.domain_id and d.team_id = r.team_id)`,
)

// The bound lets PostgreSQL read only the partitions of the last days.
const DELIVERED = statement(
  'tracked deliveries',
  `
select recipient_id as "recipientId", max(ended_at) as "deliveredAt" from attempts
where email_id = any($1::uuid[]) and id >= $2 and outcome = 'delivered' group by recipient_id`,
)

// Locks as LOCK_EMAILS does. What it reads of a row is what the transaction before it has left.
const LOCK_SEEN = statement(
  'lock tracked emails',
  `
select id, opened_at is not null as "isOpened", clicked_at is not null as "isClicked" from emails
where id = any($1::uuid[]) order by id for update`,
)
