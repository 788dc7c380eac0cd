// Events as teams define them; in SQL where every event that is sent asks.

import { stored } from '../../db/columns.ts'
import { type Database, type Execute, statement } from '../../db/database.ts'
import { isRefusedData, orTaken } from '../../db/database-errors.ts'
import { readPage } from '../../db/page.ts'
import { lockTeamWithin } from '../../db/transactions.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import { createGroupCommit } from '../../lib/group-commit.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { EVENT_LIMIT, type EventReference, type EventSchema } from './events.schema.ts'

export type EventRow = { id: string; name: string; schema: EventSchema | null; createdAt: Date; updatedAt: Date | null }

const select = { id: true, name: true, schema: true, createdAt: true, updatedAt: true } as const

export function eventRepository(
  { tables, records, execute }: Pick<Database, 'tables' | 'records' | 'execute'>,
  { clock }: { clock: Clock },
) {
  // A statement costs more than what it reads. Requests that arrive together share one.
  const schemas = createGroupCommit<Names, Map<string, EventSchema>>({
    commit: (asked) => readSchemas(execute, asked),
    isFaultOfOne: isRefusedData,
  })

  return {
    /** `taken`: another one has the name. @throws Failure if the team has as many as it may have */
    async create(teamId: string, { name, schema }: { name: string; schema: EventSchema | null }): Promise<{ id: string } | 'taken'> {
      return orTaken(() =>
        records(async ({ tables: inside, execute: executeInside }) => {
          await lockTeamWithin(executeInside, teamId, { limit: EVENT_LIMIT, count: () => inside.event.count({ where: { teamId } }) })
          const data = { id: createId(clock), teamId, name, schema: schema ?? Prisma.DbNull, createdAt: clock.now() }
          return inside.event.create({ data, select: { id: true } })
        }),
      )
    },

    async find(teamId: string, reference: EventReference): Promise<EventRow | null> {
      const row = await tables.event.findFirst({ where: { teamId, ...reference }, select })
      return row && toEventRow(row)
    },

    /** The schemas of those of the names that have one. */
    schemasOf: (teamId: string, names: string[]): Promise<Map<string, EventSchema>> =>
      schemas.submit({ teamId, names }, Buffer.byteLength(names.join())),

    list(teamId: string, request: PageRequest): Promise<Page<EventRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.event.findMany({ where: { teamId, ...where }, select, ...rest })).map(toEventRow),
      )
    },

    /** Null if the team has no such event. */
    async updateEvent(teamId: string, reference: EventReference, schema: EventSchema | null): Promise<{ id: string } | null> {
      const data = { schema: schema ?? Prisma.DbNull, updatedAt: clock.now() }
      const [changed] = await tables.event.updateManyAndReturn({ where: { teamId, ...reference }, data, select: { id: true } })
      return changed ?? null
    },

    /** Null if the team has no such event. */
    async deleteEvent(teamId: string, reference: EventReference): Promise<{ id: string } | null> {
      const found = await tables.event.findFirst({ where: { teamId, ...reference }, select: { id: true } })
      return found && (await tables.event.deleteMany({ where: { teamId, id: found.id } })).count > 0 ? found : null
    },
  }
}

type Names = { teamId: string; names: string[] }

async function readSchemas(execute: Execute, asked: Names[]): Promise<Map<string, EventSchema>[]> {
  const teamIds = asked.flatMap(({ teamId, names }) => names.map(() => teamId))
  const names = asked.flatMap((each) => each.names)
  const rows = await execute<{ teamId: string; name: string; schema: EventSchema }>(SCHEMAS, [teamIds, names])
  const ofTeams = Map.groupBy(rows, ({ teamId }) => teamId)
  return asked.map(({ teamId, names: ofRequest }) => {
    const ofTeam = new Map(ofTeams.get(teamId)?.map(({ name, schema }) => [name, schema]))
    return new Map(
      ofRequest.flatMap((name) => {
        const schema = ofTeam.get(name)
        return schema ? [[name, schema]] : []
      }),
    )
  })
}

const SCHEMAS = statement(
  'schemas-of-events',
  `
select e.team_id as "teamId", e.name, e.schema from (select distinct * from unnest($1::uuid[], $2::text[]) as u(team_id, name)) g
cross join lateral (select * from events e where e.team_id = g.team_id and e.name = g.name and e.schema is not null offset 0) e`,
)

const toEventRow = ({ schema, ...row }: Prisma.EventGetPayload<{ select: typeof select }>): EventRow => ({
  ...row,
  schema: stored<EventSchema | null>(schema),
})
