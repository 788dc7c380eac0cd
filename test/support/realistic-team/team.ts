// What all parts of the realistic team use: the service that is filled, its time, and chance that repeats.
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import type { MemberRole } from '../../../src/lib/member-roles.ts'
import { callAs, type SignedInPerson, signInPerson } from '../clients/people.ts'
import type { TestService } from '../servers/service.ts'
import { at } from './past.ts'

/** The days that are filled. */
export const DAYS = 90

export type Team = {
  service: TestService
  /** The end of what is filled. */
  now: Date
  random: () => number
  /** Ids of what other parts name, by what they are called here. */
  ids: Record<string, string>
}

export const ago = ({ now }: Pick<Team, 'now'>, { days = 0, hours = 0 }: { days?: number; hours?: number }): Date =>
  new Date(now.getTime() - days * DAY_MS - hours * HOUR_MS)

/** Who works in the shop. */
export const STAFF: readonly { name: string; email: string; role: MemberRole; daysAgo: number }[] = [
  { name: 'Nora Pine', email: 'nora@larkspur.example', role: 'owner', daysAgo: 90 },
  { name: 'Samuel Larkspur-Okonkwo', email: 'samuel@larkspur.example', role: 'owner', daysAgo: 90 },
  { name: 'Ingrid Vestergaard', email: 'ingrid@larkspur.example', role: 'admin', daysAgo: 81 },
  { name: 'Tomasz Wiśniewski', email: 'tomasz@larkspur.example', role: 'developer', daysAgo: 77 },
  { name: 'Hanna Bergström', email: 'hanna@larkspur.example', role: 'marketer', daysAgo: 60 },
  { name: '山本 葵', email: 'aoi@larkspur.example', role: 'support', daysAgo: 41 },
  { name: 'Priya Raman', email: 'priya@brightwater-accounting.example', role: 'viewer', daysAgo: 12 },
]
export const OWNER = 'Nora Pine'

/** A request at a time, by someone of the shop, or by the key of the shop's own program. Answers the id in the answer. */
export async function act(
  { service }: Pick<Team, 'service'>,
  [method, path]: readonly [method: 'POST' | 'PATCH' | 'DELETE' | 'GET', path: string],
  { body, by, time }: { body?: unknown; by?: string; time: Date },
): Promise<string> {
  const answer = await at(time, async () =>
    by === undefined ? service.call(method, path, { body }) : callAs(service, await signInStaff(service, by), method, path, body),
  )
  if (answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer.text}`)
  return (answer.body as { id?: string } | undefined)?.id ?? ''
}

/** They have confirmed that it is them. */
async function signInStaff(service: TestService, name: string): Promise<SignedInPerson> {
  const { email, role } = STAFF.find((one) => one.name === name) ?? { email: '', role: 'viewer' as const }
  const person = await signInPerson(service, name, { email, roles: { [service.teamId]: role } })
  await service.service.context.repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, new Date())
  return person
}

type Rows = readonly Record<string, unknown>[]
const ROWS_AT_ONCE = 1_000

/** Rows by the columns of a table; columns that the first row lacks have their defaults. */
export async function insertRows({ database }: Pick<TestService, 'database'>, table: string, rows: Rows): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
    .map((column) => `"${column}"`)
    .join(', ')
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await database.execute(`insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
      JSON.stringify(rows.slice(from, from + ROWS_AT_ONCE)),
    ])
}
