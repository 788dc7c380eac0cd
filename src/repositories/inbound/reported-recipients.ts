// The recipients that reports may be about; in SQL, because those of a batch of reports are searched at once. Crosses teams: a report names no team.

import { idBound } from '../../lib/ids.ts'
import type { RecipientState } from '../../mail/email-states.ts'
import { isTo } from '../addressed.ts'
import { type Database, statement } from '../database.ts'
import { isRead } from '../engine/later-states.ts'

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

/** The newest mail to one address that is read, because an address may have got any amount of it. */
const ROWS_OF_ADDRESS_MAX = 1_000
/** Of these, the newest from the sender that are looked at. */
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

/** Null unless the Message-ID may be one of ours: these begin with the id of the email. */
export const emailIdOf = (messageId: string): string | null => EMAIL_ID.exec(messageId)?.[1] ?? null

const EMAIL_ID = /^<([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})@/

const columnsOf = (
  email: string,
) => `r.id, r.team_id as "teamId", r.email_id as "emailId", r.address, r.state, (${isRead(email)}) as "isRead",
  ${email}."from",
  ${email}.message_id as "messageId", greatest(${email}.created_at, ${email}.scheduled_at) as "dueAt"`

const BY_ID = statement(
  'reported recipients',
  `select ${columnsOf('e')} from recipients r join emails e on e.id = r.email_id where r.id = any($1::uuid[])`,
)

const BY_MESSAGE = statement(
  'recipients of reported messages',
  `select ${columnsOf('e')} from emails e join recipients r on r.email_id = e.id where e.id = any($1::uuid[]) and e.message_id = any($2::text[]) order by r.id`,
)

/**
 * The sender is looked for in the text that was given, which may have a name too.
 *
 * @internal for tests: its plan.
 */
export const BY_SENDING = statement(
  'recipients of reported sendings',
  `
select ${columnsOf('r')}, s.sender from unnest($1::text[], $2::text[]) as s(sender, address) cross join lateral (
  select sent.*, e.opened_at, e.clicked_at, e."from", e.message_id, e.created_at, e.scheduled_at from (
    select * from recipients where ${isTo('s.address')} and id >= $3::uuid order by id desc limit ${ROWS_OF_ADDRESS_MAX}
  ) sent join emails e on e.id = sent.email_id where position(s.sender in lower(e."from")) > 0 order by sent.id desc limit ${NEWEST_OF_ADDRESS_MAX}
) r order by r.id desc`,
)
