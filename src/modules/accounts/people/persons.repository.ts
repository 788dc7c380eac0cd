// People, the teams that they belong to, and how identity providers name them. A person is of no team: what crosses teams says so.

import { namePerson } from '../../../db/acts.ts'
import { oneOf } from '../../../db/columns.ts'
import type { Database, RecordTransaction } from '../../../db/database.ts'
import { readPage } from '../../../db/page.ts'
import { lockTeam } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import { MEMBER_ROLES, type MemberRole } from '../../../lib/member-roles.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { EndGrants } from '../api-keys.repository.ts'

export type PersonRow = { id: string; email: string; name: string; createdAt: Date }
/** `isNew`: no one had the address before. */
export type EnsuredPerson = PersonRow & { isNew: boolean }
export type MemberRow = { id: string; email: string; name: string; role: MemberRole; createdAt: Date }
export type Membership = { teamId: string; teamName: string; role: MemberRole }

/** A team has few owners. Of one with more, the oldest are told of something: each of them by a mail. */
export const OWNERS_MAX = 100

const personColumns = { id: true, email: true, name: true, createdAt: true } as const
type Inside = Pick<RecordTransaction, 'tables' | 'execute'>

export function personRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, endGrants, onGrantsEnded }: { clock: Clock; endGrants: EndGrants; onGrantsEnded: () => void },
) {
  const toMember = ({
    role,
    createdAt,
    person,
  }: {
    role: string
    createdAt: Date
    person: { id: string; email: string; name: string }
  }): MemberRow => ({ ...person, role: oneOf(MEMBER_ROLES, role), createdAt })
  /** With the access that the person allowed to programs; sessions of theirs that look at the team look at none then. Returns how many grants ended, or null. */
  async function endMembership(
    inside: Inside,
    where: { teamId: string; personId: string; isByGroups?: boolean; NOT?: { role: MemberRole } },
  ): Promise<number | null> {
    const { teamId, personId } = where
    if ((await inside.tables.member.deleteMany({ where })).count === 0) return null
    await inside.tables.session.updateMany({ where: { teamId, personId }, data: { teamId: null } })
    return endGrants(inside, { teamId, personId, at: clock.now() })
  }

  const memberColumns = { role: true, createdAt: true, person: { select: { id: true, email: true, name: true } } } as const

  return {
    /** @param email in lower case. */
    findByEmailAcrossTeams: (email: string): Promise<PersonRow | null> =>
      tables.person.findUnique({ where: { email }, select: personColumns }),

    findAcrossTeams: (id: string): Promise<PersonRow | null> => tables.person.findUnique({ where: { id }, select: personColumns }),

    /** The addresses of persons, by their ids. */
    async addressesAcrossTeams(ids: string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map()
      const rows = await tables.person.findMany({ where: { id: { in: ids } }, select: { id: true, email: true } })
      return new Map(rows.map(({ id, email }) => [id, email]))
    },

    /** The person with this address, who is made if there is none. */
    ensureAcrossTeams: (email: string, name: string): Promise<PersonRow> =>
      records(async (inside) => ensurePerson(inside, { email, name }, clock)),

    async renameAcrossTeams(id: string, name: string): Promise<boolean> {
      return (await tables.person.updateMany({ where: { id }, data: { name } })).count > 0
    },

    /** The person whom an identity provider knows by this subject. */
    async findByIdentityAcrossTeams({ issuer, subject }: { issuer: string; subject: string }): Promise<PersonRow | null> {
      const found = await tables.personIdentity.findUnique({
        where: { issuer_subject: { issuer, subject } },
        select: { person: { select: personColumns } },
      })
      return found?.person ?? null
    },

    async addIdentityAcrossTeams(personId: string, identity: { issuer: string; subject: string }): Promise<void> {
      await tables.personIdentity.createMany({ data: [{ ...identity, personId, createdAt: clock.now() }], skipDuplicates: true })
    },

    /** The teams of a person, the oldest membership first, without those that are deleted. */
    async teamsAcrossTeams(personId: string): Promise<Membership[]> {
      const rows = await tables.member.findMany({
        where: { personId, team: { deletedAt: null } },
        select: { teamId: true, role: true, team: { select: { name: true } } },
        orderBy: [{ createdAt: 'asc' }, { teamId: 'asc' }],
      })
      return rows.map(({ teamId, role, team }) => ({ teamId, teamName: team.name, role: oneOf(MEMBER_ROLES, role) }))
    },

    async roleIn(teamId: string, personId: string): Promise<MemberRole | null> {
      const found = await tables.member.findUnique({ where: { teamId_personId: { teamId, personId } }, select: { role: true } })
      return found && oneOf(MEMBER_ROLES, found.role)
    },

    async findMember(teamId: string, personId: string): Promise<MemberRow | null> {
      const found = await tables.member.findUnique({ where: { teamId_personId: { teamId, personId } }, select: memberColumns })
      return found && toMember(found)
    },

    /** Newest person first. */
    listMembers(teamId: string, request: PageRequest): Promise<Page<MemberRow>> {
      return readPage(request, async ({ where, orderBy, ...rest }) => {
        const rows = await tables.member.findMany({
          where: { teamId, ...(where.id !== undefined && { personId: where.id }) },
          select: memberColumns,
          orderBy: { personId: orderBy.id },
          ...rest,
        })
        return rows.map(toMember)
      })
    },

    /** The oldest person first, and so many at most. */
    ownersOf(teamId: string): Promise<PersonRow[]> {
      return tables.person.findMany({
        where: { members: { some: { teamId, role: 'owner' } } },
        select: personColumns,
        orderBy: { id: 'asc' },
        take: OWNERS_MAX,
      })
    },

    async hasOwner(teamId: string): Promise<boolean> {
      return (await tables.member.findFirst({ where: { teamId, role: 'owner' }, select: { personId: true } })) !== null
    },

    /** Whether no one can sign in yet. */
    async haveNoOwnersAcrossTeams(): Promise<boolean> {
      return (await tables.member.findFirst({ where: { role: 'owner' }, select: { personId: true } })) === null
    },

    /** Whether some team has none yet. */
    async lacksOwnerAcrossTeams(): Promise<boolean> {
      return (await tables.team.findFirst({ where: { members: { none: { role: 'owner' } } }, select: { id: true } })) !== null
    },

    /** Adds a member, or leaves the role of one who is there. */
    async addMember(teamId: string, personId: string, role: MemberRole): Promise<boolean> {
      const { count } = await tables.member.createMany({
        data: [{ teamId, personId, role, isByGroups: false, createdAt: clock.now() }],
        skipDuplicates: true,
      })
      return count > 0
    },

    /**
     * What the groups of the identity provider say at a sign-in: these memberships with these roles, and no others of their making. Owners, and those of an
     * invitation or with a role that was changed here, stay as they are. A team without an owner gets one.
     */
    async applyGroupsAcrossTeams(personId: string, wanted: readonly { teamId: string; role: MemberRole }[]): Promise<void> {
      const ending = { personId, isByGroups: true, NOT: { role: 'owner' } } as const
      const isWanted = new Set(wanted.map(({ teamId }) => teamId))
      const held = await tables.member.findMany({ where: ending, select: { teamId: true } })
      // Each team has its own transaction, because the audit log of each tells of it.
      for (const { teamId } of held.filter((each) => !isWanted.has(each.teamId))) {
        const ended = await records((inside) => endMembership(inside, { ...ending, teamId }))
        if (ended) onGrantsEnded()
      }
      for (const { teamId, role } of wanted)
        await records(async (inside) => {
          await lockTeam(inside.execute, teamId)
          // A team that is suspended or deleted gets no one.
          if ((await inside.tables.team.count({ where: { id: teamId, suspendedAt: null, deletedAt: null } })) === 0) return
          const hasOwner = (await inside.tables.member.count({ where: { teamId, role: 'owner' } })) > 0
          const given = hasOwner ? role : 'owner'
          const data = { teamId, personId, role: given, isByGroups: true, createdAt: clock.now() }
          if ((await inside.tables.member.createMany({ data: [data], skipDuplicates: true })).count > 0) return
          // A role that stays is not written, so the audit log has no row of it.
          await inside.tables.member.updateMany({ where: { ...ending, teamId, role: { not: given } }, data: { role: given } })
        })
    },

    /** The person becomes an owner, unless the team has one already. They are made if no one has the address. */
    becomeFirstOwner(teamId: string, { email, name }: { email: string; name: string }): Promise<EnsuredPerson | null> {
      return records(async (inside) => {
        await lockTeam(inside.execute, teamId)
        if (await inside.tables.member.findFirst({ where: { teamId, role: 'owner' }, select: { personId: true } })) return null
        const person = await ensurePerson(inside, { email, name }, clock)
        namePerson(person.id)
        const key = { teamId, personId: person.id }
        await inside.tables.member.upsert({
          where: { teamId_personId: key },
          create: { ...key, role: 'owner', isByGroups: false, createdAt: clock.now() },
          update: { role: 'owner', isByGroups: false },
          select: { personId: true },
        })
        return person
      })
    },

    /** `lastOwner`: the team would be left without one. Null if there is no such member. */
    changeRole(teamId: string, personId: string, role: MemberRole): Promise<MemberRow | 'lastOwner' | null> {
      return records(async (inside) => {
        await lockTeam(inside.execute, teamId)
        if (role !== 'owner' && (await isLastOwner(inside, teamId, personId))) return 'lastOwner'
        const [changed] = await inside.tables.member.updateManyAndReturn({
          where: { teamId, personId },
          data: { role, isByGroups: false },
          select: memberColumns,
        })
        return changed ? toMember(changed) : null
      })
    },

    /** Null if there is no such member. */
    async removeMember(teamId: string, personId: string): Promise<'removed' | 'lastOwner' | null> {
      const removed = await records(async (inside) => {
        await lockTeam(inside.execute, teamId)
        if (await isLastOwner(inside, teamId, personId)) return 'lastOwner'
        return endMembership(inside, { teamId, personId })
      })
      if (typeof removed !== 'number') return removed
      if (removed > 0) onGrantsEnded()
      return 'removed'
    },
  }
}

async function isLastOwner({ tables }: Pick<Inside, 'tables'>, teamId: string, personId: string): Promise<boolean> {
  const owners = await tables.member.findMany({ where: { teamId, role: 'owner' }, select: { personId: true }, take: 2 })
  return owners.length === 1 && owners[0]?.personId === personId
}

export async function ensurePerson(
  { tables }: Pick<Inside, 'tables'>,
  { email, name }: { email: string; name: string },
  clock: Clock,
): Promise<EnsuredPerson> {
  const data = [{ id: createId(clock), email, name, createdAt: clock.now() }]
  const { count } = await tables.person.createMany({ data, skipDuplicates: true })
  return { ...(await tables.person.findUniqueOrThrow({ where: { email }, select: personColumns })), isNew: count > 0 }
}
