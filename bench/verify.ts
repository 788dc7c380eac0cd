import { createRecordLookup, type RecordLookup } from '../src/io/dns/record-lookup.ts'
import { compareRecordAnswer } from '../src/modules/domains/records/record-check.ts'
import { domainAt, MAIL_HOST, storeDueDomains, wantedOf } from './domains.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, startService } from './place.ts'
import { pause, run, stop, until } from './processes.ts'
import { atLeast, percentile, perSecond, type Row } from './table.ts'

const DOMAINS = 1_500
const QUICK_DOMAINS = 200
const WARM_UP = 100
/** Checks of domains at once. */
const AT_ONCE = 16
const CHECKS_PER_SECOND_MIN = 100
const START_MS_MAX = 30_000
const WORKER_MS_MAX = 120_000
const POLL_MS = 50

/** Checks domains against a resolver on this machine. */
export async function measureVerifying(place: Place): Promise<Row[]> {
  const count = place.isQuick ? QUICK_DOMAINS : DOMAINS
  const { address, child } = await startResolver(count)
  try {
    return [await measureAsking(address, count), await measureWorker(place, address, count)]
  } finally {
    await stop(child)
  }
}

/** Without storing what was found. */
async function measureAsking(address: string, count: number): Promise<Row> {
  const lookup = createRecordLookup({ dnsServers: [address] })
  await checkAll(lookup, WARM_UP)
  const startedAt = performance.now()
  const durations = await checkAll(lookup, count)
  const rate = (count * 1_000) / (performance.now() - startedAt)
  return {
    what: 'verify: domains of 6 records, asked and judged',
    result: perSecond(rate),
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
    wanted: isEnough(rate),
  }
}

/** A service takes domains that are all due, asks, and stores that each is verified now. */
async function measureWorker(place: Place, address: string, count: number): Promise<Row> {
  const databaseUrl = await createDatabase(place, 'bench_verify')
  const service = await startService({
    ...environmentOf(place, databaseUrl),
    DNS_SERVERS: address,
    MAIL_HOSTNAME: MAIL_HOST,
    TRACKING_HOST: MAIL_HOST,
    ALLOW_PRIVATE_NETWORKS: 'true',
  })
  try {
    await storeDueDomains(databaseUrl, count)
    const startedAt = performance.now()
    let verified = 0
    while (verified < count) {
      if (performance.now() - startedAt > WORKER_MS_MAX) throw new Error(`Only ${verified} of ${count} domains were verified`)
      await pause(POLL_MS)
      verified = await countRows(databaseUrl, `domains where status = 'verified'`)
    }
    const rate = (count * 1_000) / (performance.now() - startedAt)
    return { what: 'verify: by a worker, from due to stored as verified', result: perSecond(rate), wanted: isEnough(rate) }
  } finally {
    await service.stop()
    await dropDatabase(place, 'bench_verify')
  }
}

const isEnough = (rate: number) => atLeast(rate, CHECKS_PER_SECOND_MIN, `at least ${CHECKS_PER_SECOND_MIN}/s`)

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
    wantedOf(domain).map(async (wanted) => compareRecordAnswer(wanted, await lookup.ask(wanted.host, wanted.type)).verdict),
  )
  if (!verdicts.every((verdict) => verdict === 'right')) throw new Error(`${domain} was judged ${verdicts.join(', ')}`)
}
