// The contacts of a broadcast by what became of their mail, for acts over many of them; in SQL, because a batch of emails is judged at once.
import { type Database, statement } from '../../../db/database.ts'
import type { RecipientGroup } from '../../audience/jobs/contact-jobs.schema.ts'
import type { RecipientSelection, SelectedBatch } from '../../audience/jobs/selected-contacts.repository.ts'
import { DELIVERED } from './broadcast-recipients.repository.ts'

export const recipientSelection = ({ tables }: Pick<Database, 'tables'>): RecipientSelection => ({
  async exists(teamId, broadcastId) {
    return (await tables.broadcast.count({ where: { teamId, id: broadcastId } })) > 0
  },

  async next(execute, { teamId, broadcastId, recipients }, { after, upTo, emailsMax }) {
    const [row] = await execute<{ ids: string[]; through: string | null }>(STATEMENTS[recipients], [
      teamId,
      broadcastId,
      after,
      upTo,
      emailsMax,
      ...(recipients === 'delivered' || recipients.startsWith('not_') ? [DELIVERED.lastEvents] : []),
    ])
    return row && row.through !== null ? ({ ids: row.ids, through: row.through } satisfies SelectedBatch) : null
  },
})

const hasAct = (type: string): string =>
  `exists (select from broadcast_acts a where a.broadcast_id = $2 and a.type = '${type}' and a.email_id = e.id offset 0)`

/** The list of recipients decides it in the same way. */
const IS_DELIVERED = `((e.state = '${DELIVERED.state}' and e.last_event = any($6::text[])) or ${hasAct('delivered')})`

const CONDITIONS: Record<RecipientGroup, string> = {
  delivered: IS_DELIVERED,
  opened: hasAct('opened'),
  // A person who followed a link has read it, even if no image told of that.
  not_opened: `${IS_DELIVERED} and not ${hasAct('opened')} and not ${hasAct('clicked')} and not ${hasAct('bounced')}`,
  clicked: hasAct('clicked'),
  not_clicked: `${IS_DELIVERED} and not ${hasAct('clicked')} and not ${hasAct('bounced')}`,
  bounced: hasAct('bounced'),
  complained: hasAct('complained'),
  unsubscribed: hasAct('unsubscribed'),
  suppressed: hasAct('suppressed'),
  failed: hasAct('failed'),
}

// The broadcast as a range instead of an equality, because only emails_broadcast_idx has that order (see broadcast-recipients.repository.ts).
const select = (condition: string): string => `
with looked_at as materialized (
  select s.id, s.contact_id, s.state, s.last_event from emails s
   where s.broadcast_id is not null and (s.broadcast_id, s.id) > ($2::uuid, $3::uuid) and (s.broadcast_id, s.id) <= ($2::uuid, $4::uuid) and s.team_id = $1
   order by s.broadcast_id, s.id limit $5
)
select (select id from looked_at order by id desc limit 1) as through,
  array(select e.contact_id from looked_at e where e.contact_id is not null and ${condition} order by e.id) as ids`

const STATEMENTS = Object.fromEntries(
  Object.entries(CONDITIONS).map(([group, condition]) => [group, statement(`recipients ${group}`, select(condition))]),
) as Record<RecipientGroup, ReturnType<typeof statement>>
