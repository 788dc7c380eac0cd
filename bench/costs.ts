// What one email costs from its request to its delivery, sent over HTTP or SMTP, and one that is received: processor time, write-ahead log, disk. With
// --beside in turns with another checkout, and with a second service of this one, which says what differs by chance.
import { type Costs, costsOf, type Side, sizesOf, startSide, WORKS } from './cost-side.ts'
import type { Place } from './place.ts'
import { startSenderDns } from './receiving.ts'
import { atLeast, atMost, mean, microseconds, percentile, perSecond, type Row } from './table.ts'

const ROUNDS = 3
const ROUNDS_BESIDE = 9
const QUICK_ROUNDS = 1
const RATE_RATIO_MIN = 0.95
const COST_RATIO_MAX = 1.03
const WAL_BYTES_MAX = 5 * 1024

/** The rounds of each side: this checkout, and with another one that, and this one again. */
type Rounds = { here: Costs[]; beside?: Costs[]; again?: Costs[] }

/** Done by one process, as fast as it goes. */
export async function measureCosts(place: Place): Promise<Row[]> {
  const { besideFolder, isQuick } = place
  const dns = await startSenderDns()
  const sides: Record<string, Side> = { here: await startSide(place, 'bench_costs', { dns }) }
  if (besideFolder !== undefined) {
    sides.beside = await startSide(place, 'bench_costs_beside', { dns, folder: besideFolder })
    sides.again = await startSide(place, 'bench_costs_again', { dns })
  }
  const rounds = isQuick ? QUICK_ROUNDS : besideFolder === undefined ? ROUNDS : ROUNDS_BESIDE
  const sizes = await sizesOf(place)
  const rows: Row[] = []
  try {
    for (const [what, work] of Object.entries(WORKS)) {
      const found = Object.fromEntries(Object.keys(sides).map((name) => [name, [] as Costs[]]))
      // The first round is the warm-up.
      for (let round = 0; round <= rounds; round += 1)
        for (const name of inTurn(Object.keys(sides), round)) {
          const side = sides[name] as Side
          const costs = await costsOf(place, side, () => work(side, sizes))
          if (round > 0) found[name]?.push(costs)
        }
      rows.push(...rowsOf(what, found as Rounds))
    }
    return rows
  } finally {
    for (const side of Object.values(sides)) await side.stop()
    await dns.close()
  }
}

/** Each follows each other one equally often. */
export function inTurn(names: string[], round: number): string[] {
  const first = round % names.length
  const turned = [...names.slice(first), ...names.slice(0, first)]
  return round % 2 === 0 ? turned : turned.toReversed()
}

type Line = {
  what: string
  of: keyof Costs
  text: (value: number) => string
  wanted?: (value: number) => NonNullable<Row['wanted']>
  ratioWanted?: (ratio: number) => NonNullable<Row['wanted']>
}

const bytes = (value: number) => `${Math.round(value).toLocaleString('en')} bytes`

const LINES: Line[] = [
  { what: 'a second', of: 'perSecond', text: perSecond, ratioWanted: (ratio) => atLeast(ratio, RATE_RATIO_MIN) },
  { what: 'processor time of the service for one', of: 'serviceUs', text: microseconds },
  { what: 'processor time of PostgreSQL for one', of: 'postgresUs', text: microseconds },
  { what: 'processor time of both for one', of: 'bothUs', text: microseconds, ratioWanted: (ratio) => atMost(ratio, COST_RATIO_MAX) },
]
const LINES_OF_DELIVERED: Line[] = [
  { what: 'write-ahead log of one', of: 'walBytes', text: bytes, wanted: (value) => atMost(value, WAL_BYTES_MAX, 'at most 5 KB') },
  { what: 'disk that one takes', of: 'diskBytes', text: bytes },
]

function rowsOf(work: string, { here, beside, again }: Rounds): Row[] {
  const lines = work === 'accepted and delivered' ? [...LINES, ...LINES_OF_DELIVERED] : LINES
  return lines.flatMap(({ what, of, text, wanted, ratioWanted }): Row[] => {
    const value = mean(here.map((one) => one[of]))
    const first: Row = { what: `costs: ${work}, ${what}`, result: text(value), ...(wanted && { wanted: wanted(value) }) }
    if (!beside || !again) return [first]
    const ratio = percentile(ratiosOf(of, here, beside), 0.5)
    const chance = ratiosOf(of, here, again)
    const spread = `${Math.min(...chance).toFixed(2)} to ${Math.max(...chance).toFixed(2)}`
    return [
      first,
      {
        what: 'costs: the other checkout, the median ratio to it',
        result: text(mean(beside.map((one) => one[of]))),
        ratio,
        ...(ratioWanted && { wanted: ratioWanted(ratio) }),
      },
      { what: 'costs: the same of two services of this checkout', result: spread, ratio: percentile(chance, 0.5) },
    ]
  })
}

/** The ratios, one for each pair of rounds. */
const ratiosOf = (of: keyof Costs, some: Costs[], others: Costs[]): number[] =>
  some.map((one, round) => one[of] / (others[round]?.[of] ?? Number.NaN))
