// The recipients that reports may be about; in SQL, because those of a batch of reports are searched at once. Crosses teams: a report names no team.

import { type Database, statement } from '../../db/database.ts'
import { HIGHEST_ID, idBound } from '../../lib/ids.ts'
import { isOfTeamTo, isTo, NEWEST_OF_TEAM } from '../emails/email-searches.repository.ts'
import type { RecipientState } from '../emails/email-states.ts'
import { emailIdOf, MESSAGE_ID, messageIdSql } from '../emails/message-ids.ts'
import { isRead } from '../emails/recipient-states.repository.ts'

export type ReportedRecipientRow = {
  id: string
  teamId: string
  emailId: string
  address: string
  state: RecipientState
  /** A person has opened the email, or followed a link of it. */
  isRead: boolean
  /** The sender, as given. */
  from: string
  messageId: string
  /** When the mail was to leave. */
  dueAt: Date
}

/** What an envelope said, in lower case. */
export type Sending = { sender: string; address: string }

/** The newest mail of each team to one address, and of all, that is read, because an address may have got any amount of it. */
const ROWS_OF_ADDRESS_MAX = 1_000
/** The teams that have mailed one address. */
const TEAMS_OF_ADDRESS_MAX = 200
/** How many of the newest emails of the sender are looked at. */
const NEWEST_OF_ADDRESS_MAX = 20

export function reportedRecipientRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async findAcrossTeams(ids: string[]): Promise<ReportedRecipientRow[]> {
      return ids.length === 0 ? [] : execute<ReportedRecipientRow>(BY_ID, [ids])
    },

    /** All recipients of the emails with these Message-IDs. */
    async ofMessagesAcrossTeams(messageIds: string[]): Promise<ReportedRecipientRow[]> {
      const emailIds = messageIds.flatMap((messageId) => emailIdOf(messageId) ?? [])
      return emailIds.length === 0 ? [] : execute<ReportedRecipientRow>(BY_MESSAGE, [emailIds, messageIds])
    },

    /** The newest of each, of mail that was accepted after `since`. */
    async ofSendingsAcrossTeams(sendings: Sending[], since: Date): Promise<(ReportedRecipientRow & Sending)[]> {
      if (sendings.length === 0) return []
      return execute<ReportedRecipientRow & Sending>(BY_SENDING, [
        sendings.map(({ sender }) => sender),
        sendings.map(({ address }) => address),
        idBound(since.getTime()),
      ])
    },
  }
}

const recipientColumns = (
  email: string,
) => `r.id, r.team_id as "teamId", r.email_id as "emailId", r.address, r.state, (${isRead(email)}) as "isRead",
  ${email}."from",
  ${messageIdSql({ id: 'r.email_id', fromDomain: `${email}.from_domain` })} as "messageId", greatest(${email}.created_at, ${email}.scheduled_at) as "dueAt"`

const BY_ID = statement(
  'reported recipients',
  `select ${recipientColumns('e')} from recipients r join emails e on e.id = r.email_id where r.id = any($1::uuid[])`,
)

const BY_MESSAGE = statement(
  'recipients of reported messages',
  `select ${recipientColumns('e')} from emails e join recipients r on r.email_id = e.id where e.id = any($1::uuid[]) and ${MESSAGE_ID} = any($2::text[]) order by r.id`,
)

/**
 * The sender is looked for in the text that was given, which may have a name too. The index has the mail of each team in order, so the teams that
 * have mailed the address are found one after the other.
 *
 * @internal for tests: its plan.
 */
export const BY_SENDING = statement(
  'recipients of reported sendings',
  `
select ${recipientColumns('r')}, s.sender from unnest($1::text[], $2::text[]) as s(sender, address) cross join lateral (
  with recursive teams as (
    (select team_id, 1 as count from recipients where ${isTo('s.address')} order by team_id, id limit 1)
    union all
    select next.team_id, t.count + 1 from teams t cross join lateral (
      select team_id from recipients where ${isTo('s.address')} and team_id > t.team_id order by team_id, id limit 1
    ) next where t.count < ${TEAMS_OF_ADDRESS_MAX}
  )
  select sent.*, e.opened_at, e.clicked_at, e."from", e.from_domain, e.created_at, e.scheduled_at from (
    select newest.* from teams t cross join lateral (
      select * from recipients where ${isOfTeamTo({ team: 't.team_id', address: 's.address', from: '$3::uuid', before: `'${HIGHEST_ID}'` })}
       order by ${NEWEST_OF_TEAM} limit ${ROWS_OF_ADDRESS_MAX}
    ) newest order by newest.id desc limit ${ROWS_OF_ADDRESS_MAX}
  ) sent cross join lateral (select * from emails where id = sent.email_id offset 0) e where position(s.sender in lower(e."from")) > 0 order by sent.id desc limit ${NEWEST_OF_ADDRESS_MAX}
) r order by r.id desc`,
)
