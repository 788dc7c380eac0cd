import { openDatabase } from '../src/db/database.ts'
import { createId } from '../src/lib/ids.ts'
import { dataKeyRepository } from '../src/modules/secrets/data-keys.repository.ts'
import { openDataKeys } from '../src/modules/secrets/data-keys.service.ts'
import { createTrackingTokens } from '../src/modules/tracking/tracking-tokens.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, memoryRow, type Place, query, startService } from './place.ts'
import { messageOf, run, until } from './processes.ts'
import { addSendingDomain } from './sending-domain.ts'
import { atLeast, atMost, percentile, perSecond, type Row } from './table.ts'

const FULL = { emails: 20_000, warmUp: 3, seconds: 10 }
const QUICK = { emails: 1_000, warmUp: 1, seconds: 2 }
const CLICKS_PER_SECOND = 3_000
const REACHED_MIN = 0.98
const P99_MS_MAX = 20
/** What was followed is held for two seconds, and then written in batches. */
const RECORDED_MS_MAX = 20_000
const SECRET_KEY = 'a-secret-key-of-the-benchmark-only'
/** The name that the process that follows the links uses. */
const HOST = '127.0.0.1'
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

export type FollowingRequest = { url: string; paths: string[]; perSecond: number; seconds: number; userAgent: string }
export type FollowingReport = {
  followed: number
  failed: number
  /** After the run-in, as the waits are. */
  perSecond: number
  waitsMs: number[]
  /** For how long the event loop of the load generator did not turn, a millisecond included: its own pauses are part of what it measures. */
  pausesMs: { p50: number; p99: number }
}

/** Links of many emails, followed at a fixed rate, while what was followed is recorded by the same process. */
export async function measureTracking(place: Place): Promise<Row[]> {
  const { emails, warmUp, seconds } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_tracking')
  const service = await startService({ ...environmentOf(place, databaseUrl), SECRET_KEY, ROLES: 'api' })
  const paths = await sendTrackedMail(databaseUrl, emails)
  const following = { url: service.url, paths, perSecond: CLICKS_PER_SECOND, userAgent: USER_AGENT }

  const before = await follow({ ...following, seconds: warmUp })
  await untilRecorded(databaseUrl, before.followed)
  await service.rest()
  const cpuBefore = await cpuSecondsOf(service.url)
  const measured = await follow({ ...following, seconds })
  const endMs = performance.now()
  await untilRecorded(databaseUrl, before.followed + measured.followed)
  const recordedMs = performance.now() - endMs
  const cpuUs = ((await cpuSecondsOf(service.url)) - cpuBefore) * 1e6
  await service.stop()
  await dropDatabase(place, 'bench_tracking')

  const p99 = percentile(measured.waitsMs, 0.99)
  const rate = measured.perSecond
  return [
    {
      what: `tracking: clicks, ${CLICKS_PER_SECOND.toLocaleString('en')} a second wanted`,
      result: perSecond(rate),
      wanted: atLeast(rate, CLICKS_PER_SECOND * REACHED_MIN, `at least ${Math.round(REACHED_MIN * 100)} % of it`),
    },
    {
      what: 'tracking: time to the answer',
      result: '',
      p50: percentile(measured.waitsMs, 0.5),
      p99,
      wanted: atMost(p99, P99_MS_MAX, `p99 under ${P99_MS_MAX} ms`),
    },
    { what: 'tracking: pauses of the load generator itself', result: '', ...measured.pausesMs },
    { what: 'tracking: CPU time of the service for a click', result: `${Math.round(cpuUs / measured.followed)} µs` },
    { what: 'tracking: all recorded after the last click', result: `${(recordedMs / 1_000).toFixed(1)} s` },
    memoryRow('tracking', [service.memory.peakAboveRest()]),
  ]
}

async function follow(request: FollowingRequest): Promise<FollowingReport> {
  const child = run('bench/follow-links-process.ts', [], { hasMessages: true })
  child.send(request)
  const report = await messageOf<FollowingReport>(child)
  if (report.failed > 0) throw new Error(`${report.failed} links did not lead on`)
  return report
}

/** The time that the service reports. */
async function cpuSecondsOf(url: string): Promise<number> {
  const series = await (await fetch(`${url}/metrics`)).text()
  return Number(/^posthaste_process_cpu_seconds_total (\S+)$/m.exec(series)?.[1])
}

const untilRecorded = (databaseUrl: string, count: number): Promise<void> =>
  until(
    async () => (await countRows(databaseUrl, `notifications where type = 'email.clicked'`)) === count,
    () => `Not all of ${count} clicks were recorded`,
    RECORDED_MS_MAX,
  )

/** Emails that were delivered a minute ago, each with one link, whose path is returned. */
async function sendTrackedMail(databaseUrl: string, count: number): Promise<string[]> {
  const { teamId, domainId } = await addSendingDomain((sql, values) => query(databaseUrl, sql, values))
  const emailIds = Array.from({ length: count }, () => createId())
  const recipientIds = emailIds.map(() => createId())
  await query(
    databaseUrl,
    `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", cc, bcc, reply_to, subject, html, content_bytes, created_at, final_at)
     select e.id, $2, $2, 'queued', 'delivered', 'example.com', 'Acme <hello@example.com>', array['customer@example.org'], '{}', '{}', '{}',
       'Your receipt', '<a href="https://shop.example.com/">Shop</a>', 1000, now() - interval '1 minute', now() - interval '1 minute'
     from unnest($1::uuid[]) as e(id)`,
    [emailIds, teamId],
  )
  await query(
    databaseUrl,
    `insert into recipients (id, team_id, email_id, address, state, attempt_count)
     select r.id, $3, r.email_id, 'customer@example.org', 'delivered', 1 from unnest($1::uuid[], $2::uuid[]) as r(id, email_id)`,
    [recipientIds, emailIds, teamId],
  )
  for (const table of ['emails', 'recipients']) await query(databaseUrl, `analyze ${table}`)
  const database = openDatabase({ databaseUrl, onError: () => {} })
  const dataKeys = await openDataKeys(dataKeyRepository(database), { secretKey: SECRET_KEY, secretKeyPrevious: null })
  await database.close()
  const tokens = createTrackingTokens(() => dataKeys.of('tracking'))
  return emailIds.map((emailId, index) => {
    const target = `https://shop.example.com/orders/${index}?utm_source=mail`
    return `/t/c/${tokens.create({ kind: 'click', emailId, recipientId: recipientIds[index] ?? '', domainId, target }, HOST)}`
  })
}
