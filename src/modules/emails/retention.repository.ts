// Removes finished emails with everything that belongs to them, in small batches; in SQL, because a batch is locked first. Crosses teams:
// for workers.

import type { Database, Execute } from '../../db/database.ts'
import { idBound } from '../../lib/ids.ts'
import type { RemovedRows } from '../../lib/purge.ts'
import { OPEN_DELIVERIES } from './recipient-states.repository.ts'

/** Emails that one statement removes: few enough not to block other transactions. */
const BATCH_MAX = 200

type RemovedEmail = { id: string; broadcastId: string | null }

/** Removes what later modules know of emails that are gone, in the transaction that has removed them. */
export type ForgetEmails = (inside: Execute, emails: RemovedEmail[]) => Promise<void>

export function retentionRepository({ transaction }: Pick<Database, 'transaction'>, { forgetEmails }: { forgetEmails: ForgetEmails }) {
  return {
    /** Removes emails whose last recipient became final before `before`. Never one that still has a delivery or is being fetched. */
    async removeEmailsAcrossTeams(before: Date): Promise<RemovedRows> {
      return transaction(async (inside) => {
        const emails = await inside<RemovedEmail>(
          `select e.id, e.broadcast_id as "broadcastId" from emails e where e.id < $1 and e.final_at < $2 and not e.is_fetching
              and not exists (${OPEN_DELIVERIES}) order by e.id limit ${BATCH_MAX} for update skip locked`,
          [idBound(before.getTime()), before],
        )
        const ids = emails.map(({ id }) => id)
        if (ids.length === 0) return { rows: 0, blobKeys: [] }
        const attachments = await inside<{ blobKey: string | null }>(
          'delete from attachments where email_id = any($1::uuid[]) returning blob_key as "blobKey"',
          [ids],
        )
        const messages = await inside<{ blobKey: string | null }>(
          'delete from submitted_messages where email_id = any($1::uuid[]) returning blob_key as "blobKey"',
          [ids],
        )
        await inside('delete from recipients where email_id = any($1::uuid[])', [ids])
        await inside('delete from emails where id = any($1::uuid[])', [ids])
        await forgetEmails(inside, emails)
        return { rows: ids.length, blobKeys: [...attachments, ...messages].flatMap(({ blobKey }) => blobKey ?? []) }
      })
    },
  }
}
