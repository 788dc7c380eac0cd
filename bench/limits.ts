// What limits of teams cost where emails are accepted: a team without one beside others that have some, and one with limits of emails, in turns with a service on
// whose database no team has a limit. With --beside also another checkout, such as the version before limits, and a second service of this one, which says what
// differs by chance.
import { resolve } from 'node:path'
import { createId } from '../src/lib/ids.ts'
import { LIMIT_MAX } from '../src/modules/limits/limits.schema.ts'
import { type Costs, costsOf } from './cost-side.ts'
import { inTurn } from './costs.ts'
import { email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, query, type Service, settle, startService } from './place.ts'
import { atLeast, atMost, mean, microseconds, percentile, perSecond, type Row } from './table.ts'

const CONNECTIONS = 50
const FULL = { rounds: 9, seconds: 5, otherTeams: 1_000 }
const QUICK = { rounds: 1, seconds: 1, otherTeams: 10 }
const UNLIMITED_RATIO_MIN = 0.97
const LIMITED_RATIO_MIN = 0.9
const BESIDE_RATIO_MIN = 0.97
const BESIDE_COST_MAX = 1.03

type Side = { service: Service; databaseUrl: string; teamId: string; stop(): Promise<void> }
type SideName = 'here' | 'again' | 'others' | 'limited' | 'beside'

/** POST /emails alone: nothing is delivered meanwhile. */
export async function measureLimits(place: Place): Promise<Row[]> {
  const { rounds, seconds, otherTeams } = place.isQuick ? QUICK : FULL
  const names: SideName[] = ['here', 'again', 'others', 'limited', ...(place.besideFolder === undefined ? [] : (['beside'] as const))]
  const sides = new Map<SideName, Side>()
  for (const name of names) sides.set(name, await startSide(place, name, name === 'beside' ? place.besideFolder : ''))
  const found = new Map(names.map((name) => [name, [] as Costs[]]))
  try {
    await limitOthers(sideOf(sides, 'others'), otherTeams)
    await limit(sideOf(sides, 'limited'))
    // The first round is the warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const databaseUrls = [...sides.values()].map(({ databaseUrl }) => databaseUrl)
      await settle(place, databaseUrls)
      for (const name of inTurn(names, round) as SideName[]) {
        const costs = await measure(place, sideOf(sides, name), seconds)
        if (round > 0) found.get(name)?.push(costs)
      }
    }
    await checkCounters(sides)
  } finally {
    for (const side of sides.values()) await side.stop()
  }
  return rowsOf(found)
}

/** The rate is that of the requests alone, without the start of the generator. */
async function measure(place: Place, side: Side, seconds: number): Promise<Costs> {
  let rate = Number.NaN
  const costs = await costsOf(place, side, async () => {
    const load = await generateLoad({ url: `${side.service.url}/emails`, connections: CONNECTIONS, body: email(0), seconds })
    rate = load.perSecond
    return load.answered
  })
  return { ...costs, perSecond: rate }
}

async function startSide(place: Place, name: SideName, folder = ''): Promise<Side> {
  const database = `bench_limits_${name}`
  const databaseUrl = await createDatabase(place, database)
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' }, resolve(folder, 'posthaste.js'))
  const [team] = await query<{ id: string }>(databaseUrl, 'select id from teams order by id limit 1')
  return {
    ...{ service, databaseUrl, teamId: team?.id ?? '' },
    async stop() {
      await service.stop()
      await dropDatabase(place, database)
    },
  }
}

function sideOf(sides: ReadonlyMap<SideName, Side>, name: SideName): Side {
  const side = sides.get(name)
  if (!side) throw new Error(`There is no side ${name}`)
  return side
}

const LIMIT = `insert into team_limits (team_id, emails_per_day, emails_per_month, updated_at) values ($1, $2, $2, now())`

const limit = ({ databaseUrl, teamId }: Side): Promise<unknown> => query(databaseUrl, LIMIT, [teamId, LIMIT_MAX])

async function limitOthers({ databaseUrl }: Side, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = createId()
    await query(databaseUrl, 'insert into teams (id, name, created_at) values ($1, $2, now())', [id, `Team ${index}`])
    await query(databaseUrl, LIMIT, [id, LIMIT_MAX])
  }
}

/** A limit counts each email, and without one nothing is counted. */
async function checkCounters(sides: ReadonlyMap<SideName, Side>): Promise<void> {
  for (const name of ['here', 'others', 'limited'] as const) {
    const { databaseUrl, teamId } = sideOf(sides, name)
    const accepted = await countRows(databaseUrl, 'emails')
    const [row] = await query<{ reserved: number | null }>(
      databaseUrl,
      `select sum(reserved)::int as reserved from quota_periods where team_id = $1 and period = 'month'`,
      [teamId],
    )
    const reserved = row?.reserved ?? 0
    if (name === 'limited' ? reserved < accepted : reserved > 0)
      throw new Error(`${accepted} emails were accepted (${name}), and ${reserved} are counted`)
  }
}

function rowsOf(found: ReadonlyMap<SideName, Costs[]>): Row[] {
  const costsFor = (name: SideName) => found.get(name) ?? []
  const ratios = (name: SideName, of: keyof Costs, to: SideName = 'here') =>
    costsFor(name).map((one, round) => one[of] / (costsFor(to)[round]?.[of] ?? Number.NaN))
  const rate = (name: SideName) => perSecond(mean(costsFor(name).map((one) => one.perSecond)))
  const spread = (of: keyof Costs) => {
    const values = ratios('again', of)
    return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
  }
  const against = (what: string, name: SideName, min: number): Row => {
    const ratio = percentile(ratios(name, 'perSecond'), 0.5)
    return { what: `limits: ${what}`, result: rate(name), ratio, wanted: atLeast(ratio, min) }
  }
  const rows: Row[] = [
    { what: 'limits: POST /emails, no team has a limit', result: rate('here') },
    { what: 'limits: the same of two services', result: spread('perSecond'), ratio: percentile(ratios('again', 'perSecond'), 0.5) },
    against('no limit, beside teams that have some', 'others', UNLIMITED_RATIO_MIN),
    against('limits of a day and a month', 'limited', LIMITED_RATIO_MIN),
  ]
  if (!found.has('beside')) return rows
  const faster = percentile(ratios('here', 'perSecond', 'beside'), 0.5)
  const cost = percentile(ratios('here', 'bothUs', 'beside'), 0.5)
  const both = (name: SideName) => microseconds(mean(costsFor(name).map((one) => one.bothUs)))
  return [
    ...rows,
    {
      ...{ what: 'limits: the other checkout, the ratio to it', result: rate('beside'), ratio: faster },
      wanted: atLeast(faster, BESIDE_RATIO_MIN),
    },
    { what: 'limits: processor time of both for one', result: both('here') },
    {
      ...{ what: 'limits: that of the other checkout, the ratio to it', result: both('beside'), ratio: cost },
      wanted: atMost(cost, BESIDE_COST_MAX),
    },
    { what: 'limits: processor time of two services', result: spread('bothUs'), ratio: percentile(ratios('again', 'bothUs'), 0.5) },
  ]
}
