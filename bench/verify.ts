import { createRecordLookup, type RecordLookup } from '../src/gateways/dns/record-lookup.ts'
import { judgeAnswer } from '../src/mail/domains/record-check.ts'
import { domainAt, wantedOf } from './domains.ts'
import type { Place } from './place.ts'
import { run, stop, until } from './processes.ts'
import { atLeast, percentile, perSecond, type Row } from './table.ts'

const DOMAINS = 5_000
const QUICK_DOMAINS = 200
const WARM_UP = 100
/** Checks of domains at once. */
const AT_ONCE = 16
const CHECKS_PER_SECOND_MIN = 100
const START_MS_MAX = 30_000

/** Checks domains of six records each against a resolver on this machine, without storing what was found. */
export async function measureVerifying({ isQuick }: Place): Promise<Row[]> {
  const count = isQuick ? QUICK_DOMAINS : DOMAINS
  const { address, child } = await startResolver(count)
  const lookup = createRecordLookup({ dnsServers: [address] })
  await checkAll(lookup, WARM_UP)
  const startedAt = performance.now()
  const durations = await checkAll(lookup, count)
  const rate = (count * 1_000) / (performance.now() - startedAt)
  await stop(child)
  return [
    {
      what: 'verify: domains of 6 records, asked and judged',
      result: perSecond(rate),
      p50: percentile(durations, 0.5),
      p99: percentile(durations, 0.99),
      wanted: atLeast(rate, CHECKS_PER_SECOND_MIN, `at least ${CHECKS_PER_SECOND_MIN}/s`),
    },
  ]
}

async function startResolver(count: number) {
  const child = run('bench/dns-process.ts', [String(count)], { hasMessages: true })
  let address = ''
  child.once('message', (message) => {
    address = String(message)
  })
  await until(
    () => address !== '',
    () => 'The resolver did not start',
    START_MS_MAX,
  )
  return { address, child }
}

/** How long each check took. */
async function checkAll(lookup: RecordLookup, count: number): Promise<number[]> {
  const durations: number[] = []
  let next = 0
  async function checkInTurn(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      const startedAt = performance.now()
      await check(lookup, domainAt(index))
      durations.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, checkInTurn))
  return durations
}

async function check(lookup: RecordLookup, domain: string): Promise<void> {
  const verdicts = await Promise.all(
    wantedOf(domain).map(async (wanted) => judgeAnswer(wanted, await lookup.ask(wanted.host, wanted.type)).verdict),
  )
  if (!verdicts.every((verdict) => verdict === 'right')) throw new Error(`${domain} was judged ${verdicts.join(', ')}`)
}
