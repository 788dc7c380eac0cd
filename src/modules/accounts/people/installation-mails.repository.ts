// Mail of the installation: what waits to be sent, sealed, and how much was sent to whom within an hour. It belongs to no team; in SQL, because a worker takes its turn with others.
import type { Database, Execute } from '../../../db/database.ts'
import { type Clock, HOUR_MS } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'

export type SealedContent = { content: Uint8Array<ArrayBuffer>; keyVersion: number }

export type NewInstallationMail = {
  /** Both count for one kind of mail. */
  recipientDigest: string
  /** Null: no client asked for it. */
  clientDigest: string | null
  expiresAt: Date
}

/** What is sent of a mail that was counted. `linkDigest`: of what may be the token of its link. */
export type FilledInstallationMail = { id: string; linkDigest: string | null; sealed: SealedContent }

/** `attempts` counts the one that is begun. */
export type ClaimedInstallationMail = SealedContent & { id: string; attempts: number; createdAt: Date; expiresAt: Date }

/** What became of an attempt. `again`: it is tried at that time. `isCounted`: false for an attempt that this process stopped. */
export type InstallationMailOutcome = 'delivered' | 'given up' | { again: Date; isCounted: boolean }

/**
 * An hour, to one address. Each kind has its own, so that no one keeps another kind away from a person: `link`: anyone asks for them, who knows the address;
 * `code`: a person who is signed in does; `notice`: what happens causes them, and one that is missing may be the one that tells of a theft.
 */
export const MAILS_PER_ADDRESS = { link: 5, code: 5, invitation: 5, notice: 20 }
export type InstallationMailKind = keyof typeof MAILS_PER_ADDRESS
/** An hour, asked for by one client address, of each kind. */
export const MAILS_PER_CLIENT = 20

export function installationMailRepository(
  { tables, records, execute }: Pick<Database, 'tables' | 'records' | 'execute'>,
  { clock }: { clock: Clock },
) {
  return {
    /** Counts a mail, and returns its id. `nextAt`: the address, or the client, has had as many as it may, until then. */
    count(kind: InstallationMailKind, mail: NewInstallationMail): Promise<{ id: string } | { nextAt: Date }> {
      const { recipientDigest, clientDigest } = mail
      return records(async ({ tables: inside, execute: executeInside }) => {
        const now = clock.now()
        const nextAtOf = async (digest: { recipientDigest: string } | { clientDigest: string }, limit: number): Promise<Date | null> => {
          const last = await inside.installationMail.findFirst({
            where: { ...digest, createdAt: { gt: new Date(now.getTime() - HOUR_MS) } },
            select: { createdAt: true },
            orderBy: { createdAt: 'desc' },
            skip: limit - 1,
          })
          return last && new Date(last.createdAt.getTime() + HOUR_MS)
        }
        // Always in this order, so that no two wait for each other.
        await lockCount(executeInside, `address ${recipientDigest}`)
        if (clientDigest !== null) await lockCount(executeInside, `client ${clientDigest}`)
        const nextAt =
          (await nextAtOf({ recipientDigest }, MAILS_PER_ADDRESS[kind])) ??
          (clientDigest === null ? null : await nextAtOf({ clientDigest }, MAILS_PER_CLIENT))
        if (nextAt !== null) return { nextAt }
        const id = createId(clock)
        await inside.installationMail.create({
          data: { ...mail, id, content: null, keyVersion: null, linkDigest: null, attempts: 0, dueAt: now, createdAt: now },
          select: { id: true },
        })
        return { id }
      })
    },

    /** Gives a mail that was counted what is sent. */
    async fill({ id, linkDigest, sealed }: FilledInstallationMail): Promise<void> {
      const known = linkDigest !== null && (await execute(`select 1 ${LINK}`, [linkDigest])).length > 0
      await tables.installationMail.updateMany({ where: { id }, data: { ...sealed, linkDigest: known ? linkDigest : null } })
    },

    /** Begins an attempt at mails that are due. Until `claimedUntil`, no other process tries them. */
    claim(now: Date, { claimedUntil, limit }: { claimedUntil: Date; limit: number }): Promise<ClaimedInstallationMail[]> {
      return execute<ClaimedInstallationMail>(CLAIM, [now, claimedUntil, limit])
    },

    /** Does nothing if another attempt has begun meanwhile, or the content is gone. */
    async settle({ id, attempts }: Pick<ClaimedInstallationMail, 'id' | 'attempts'>, outcome: InstallationMailOutcome): Promise<void> {
      const ended = { content: null, keyVersion: null }
      const data =
        outcome === 'delivered'
          ? { ...ended, deliveredAt: clock.now() }
          : outcome === 'given up'
            ? ended
            : { dueAt: outcome.again, attempts: outcome.isCounted ? attempts : attempts - 1 }
      // What was delivered counts as that, even if another attempt has begun meanwhile.
      const where = outcome === 'delivered' ? { id } : { id, attempts, content: { not: null } }
      await tables.installationMail.updateMany({ where, data })
    },

    async wasOneDelivered(): Promise<boolean> {
      return (await tables.installationMail.findFirst({ where: { deliveredAt: { not: null } }, select: { id: true } })) !== null
    },

    /** Removes the content of mails whose link has ended. Returns how many. */
    async removeEndedContents(now: Date): Promise<number> {
      return (await execute(REMOVE_ENDED, [now])).length
    },

    /** Forgets mails that count no longer, but the last that was delivered: that mail leaves is remembered. */
    async removeCounted(now: Date): Promise<number> {
      return (await execute(REMOVE_COUNTED, [new Date(now.getTime() - HOUR_MS)])).length
    },
  }
}

/** Two that count at once must not both take the last place. */
const lockCount = (execute: Execute, whose: string) =>
  execute('select pg_advisory_xact_lock(hashtextextended($1, 0))::text', [`installation mail of ${whose}`])

/** A link that is open. Using or revoking it removes its row. */
const LINK = 'from (select digest from sign_in_links union all select digest from invitations) link where link.digest = $1'

const CLAIM = `
update installation_mails set attempts = attempts + 1, due_at = $2
 where id = any(array(
   select id from installation_mails where content is not null and due_at <= $1 and expires_at > $1
    order by due_at limit $3 for update skip locked))
returning id, content, key_version as "keyVersion", attempts, created_at as "createdAt", expires_at as "expiresAt"`

const REMOVE_ENDED = `
update installation_mails m set content = null, key_version = null
 where content is not null and (expires_at <= $1 or link_digest is not null
   and not exists (select from sign_in_links where digest = m.link_digest) and not exists (select from invitations where digest = m.link_digest))
returning id`

const REMOVE_COUNTED = `
delete from installation_mails
 where id = any(array(
   select id from installation_mails where created_at <= $1 and content is null
      and id is distinct from (select id from installation_mails where delivered_at is not null order by delivered_at desc limit 1)
    order by created_at limit 1000))
returning id`
