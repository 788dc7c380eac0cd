// Addresses that may become members. Accepting and revoking remove the row, so a link works once.

import { namePerson } from '../../../db/acts.ts'
import { oneOf } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { readPage } from '../../../db/page.ts'
import { lockTeam } from '../../../db/transactions.ts'
import { type Clock, DAY_MS } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import { MEMBER_ROLES, type MemberRole } from '../../../lib/member-roles.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { type EnsuredPerson, ensurePerson } from './persons.repository.ts'

export type InvitationRow = { id: string; email: string; role: MemberRole; invitedBy: string; createdAt: Date; expiresAt: Date }
export type NewInvitation = { email: string; role: MemberRole; digest: string; invitedBy: string }
/** An invitation as its link shows it. */
export type OpenInvitation = InvitationRow & { teamId: string; teamName: string }

export const INVITATION_MS = 7 * DAY_MS
/** That are open at once in a team. */
export const INVITATIONS_MAX = 100
/** Rows that one statement of a sweep removes. */
const SWEPT_AT_ONCE = 500

const columns = { id: true, email: true, role: true, invitedBy: true, createdAt: true, expiresAt: true } as const
const withTeam = { ...columns, teamId: true, team: { select: { name: true } } } as const

const toRow = <Row extends { role: string }>(row: Row): Omit<Row, 'role'> & { role: MemberRole } => ({
  ...row,
  role: oneOf(MEMBER_ROLES, row.role),
})

export function invitationRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  const isOpen = () => ({ expiresAt: { gt: clock.now() } })
  return {
    /** One that the address has already is replaced. `member`: the address belongs to one. `tooMany`: INVITATIONS_MAX are open. */
    create(teamId: string, { email, ...given }: NewInvitation): Promise<InvitationRow | 'member' | 'tooMany'> {
      return records(async ({ tables: inside, execute }) => {
        await lockTeam(execute, teamId)
        if (await inside.member.findFirst({ where: { teamId, person: { email } }, select: { personId: true } })) return 'member'
        await inside.invitation.deleteMany({ where: { teamId, OR: [{ email }, { expiresAt: { lte: clock.now() } }] } })
        if ((await inside.invitation.count({ where: { teamId } })) >= INVITATIONS_MAX) return 'tooMany'
        const createdAt = clock.now()
        const data = { ...given, id: createId(clock), teamId, email, createdAt, expiresAt: new Date(createdAt.getTime() + INVITATION_MS) }
        return toRow(await inside.invitation.create({ data, select: columns }))
      })
    },

    list(teamId: string, request: PageRequest): Promise<Page<InvitationRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.invitation.findMany({ where: { teamId, ...isOpen(), ...where }, select: columns, ...rest })).map(toRow),
      )
    },

    async find(teamId: string, id: string): Promise<InvitationRow | null> {
      const found = await tables.invitation.findFirst({ where: { teamId, id, ...isOpen() }, select: columns })
      return found && toRow(found)
    },

    /** Null if the team has no such open invitation. */
    async deleteInvitation(teamId: string, id: string): Promise<{ id: string } | null> {
      const { count } = await tables.invitation.deleteMany({ where: { teamId, id, ...isOpen() } })
      return count > 0 ? { id } : null
    },

    /** What a link opens. The check does not use it up. Crosses teams: the token is the credential. */
    async openAcrossTeams(digest: string): Promise<OpenInvitation | null> {
      const found = await tables.invitation.findFirst({ where: { digest, ...isOpen() }, select: withTeam })
      if (!found) return null
      const { team, ...row } = toRow(found)
      return { ...row, teamName: team.name }
    },

    /** Uses the link up: the person with the invited address becomes a member, and is made if there is none. */
    acceptAcrossTeams(digest: string, name: string): Promise<{ person: EnsuredPerson; teamId: string; role: MemberRole } | null> {
      return records(async (inside) => {
        const found = await inside.tables.invitation.findFirst({ where: { digest, ...isOpen() }, select: withTeam })
        if (!found) return null
        const { teamId, email, role } = toRow(found)
        await lockTeam(inside.execute, teamId)
        // If several requests accept it at once, the one that removes it wins.
        if ((await inside.tables.invitation.deleteMany({ where: { teamId, digest } })).count === 0) return null
        const person = await ensurePerson(inside, { email, name }, clock)
        namePerson(person.id)
        await inside.tables.member.createMany({
          data: [{ teamId, personId: person.id, role, isByGroups: false, createdAt: clock.now() }],
          skipDuplicates: true,
        })
        return { person, teamId, role }
      })
    },

    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      return (await tables.invitation.deleteMany({ where: { expiresAt: { lte: now } }, limit: SWEPT_AT_ONCE })).count
    },
  }
}
