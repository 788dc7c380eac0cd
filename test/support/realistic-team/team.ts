// What all parts of the realistic team use: the service that is filled, its time, and chance that repeats.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import type { MemberRole } from '../../../src/lib/member-roles.ts'
import { OWN_PAGE, type SignedInPerson, signInPerson } from '../clients/people.ts'
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

/** Whole days are a little more, so that not all that people did was at the same minute. */
export function ago({ now }: Pick<Team, 'now'>, { days = 0, hours = 0 }: { days?: number; hours?: number }): Date {
  const minutes = Number.isInteger(days) ? (days * 37) % 53 : 0
  return new Date(now.getTime() - days * DAY_MS - hours * HOUR_MS - minutes * MINUTE_MS)
}

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
  const answer = await at(time, async () => {
    if (by === undefined) return service.call(method, path, { body, headers: { 'user-agent': PROGRAM } })
    const { cookie } = await signInStaff(service, by)
    return service.call(method, path, { body, token: null, headers: { ...OWN_PAGE, cookie, 'user-agent': BROWSER } })
  })
  if (answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer.text}`)
  return (answer.body as { id?: string } | undefined)?.id ?? ''
}

const PROGRAM = 'larkspur-shop/3.2.0'
const BROWSER = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0'

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
