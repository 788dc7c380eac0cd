import { email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, startService, TOKEN } from './place.ts'
import { freePort, pause } from './processes.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { type Letter, sendLetters } from './smtp-load.ts'
import { atLeast, mean, microseconds, percentile, perSecond, type Row } from './table.ts'

const CONNECTIONS = 50
/** The sizes of each turn, and of the warm-up. */
const FULL = { seconds: 3, warmUpLetters: 6_000, warmUpSeconds: 4 }
const QUICK = { seconds: 1, warmUpLetters: 100, warmUpSeconds: 1 }
const BEHIND_MS = 1_500
const RATIO_MIN = 0.7

/** Takes turns, so that both meet the same machine. */
const TURNS = 4

type Measured = { count: number; perSecond: number; p50: number; p99: number; serviceUs: number; postgresUs: number }

/** Hands in the same small email over SMTP and by POST /emails. */
export async function measureSubmission(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_submission')
  const port = await freePort()
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api', SUBMISSION_PORT: String(port) })
  const sizes = place.isQuick ? QUICK : FULL
  let handedIn = 0

  async function post(seconds: number) {
    const { answered, ...load } = await generateLoad({ url: `${service.url}/emails`, connections: CONNECTIONS, body: email(0), seconds })
    return { count: answered, ...load }
  }

  async function handIn(count: number) {
    const letters = submittedLetters(count)
    handedIn += count
    const startedAt = performance.now()
    const durations = await sendLetters(port, letters, { connections: CONNECTIONS, apiKey: TOKEN })
    const perSecond = (count * 1_000) / (performance.now() - startedAt)
    return { count, perSecond, p50: percentile(durations, 0.5), p99: percentile(durations, 0.99) }
  }

  async function measured(work: () => Promise<Omit<Measured, 'serviceUs' | 'postgresUs'>>): Promise<Measured> {
    const cpuMs = () => ({ service: processCpuMs(service.child.pid ?? 0), postgres: postgresCpuMs(place.dataDir) })
    const before = cpuMs()
    const load = await work()
    // The request log, which is written later, is part of it.
    await pause(BEHIND_MS)
    const after = cpuMs()
    const each = (of: 'service' | 'postgres') => ((after[of] - before[of]) * 1_000) / load.count
    return { ...load, serviceUs: each('service'), postgresUs: each('postgres') }
  }

  try {
    await handIn(sizes.warmUpLetters)
    await post(sizes.warmUpSeconds)
    const [posts, letters]: [Measured[], Measured[]] = [[], []]
    for (let turn = 0; turn < TURNS; turn += 1) {
      const posted = await measured(() => post(sizes.seconds))
      posts.push(posted)
      // As many, so that both have the same part of what the service does besides.
      letters.push(await measured(() => handIn(posted.count)))
    }
    const stored = await countRows(databaseUrl, 'submitted_messages')
    if (stored !== handedIn) throw new Error(`${stored} messages are stored, of ${handedIn}`)
    return rowsOf(meansOf(posts), meansOf(letters))
  } finally {
    await service.stop()
    await dropDatabase(place, 'bench_submission')
  }
}

function meansOf(all: Measured[]): Measured {
  const of = (name: keyof Measured) => mean(all.map((one) => one[name]))
  return {
    count: of('count'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    serviceUs: of('serviceUs'),
    postgresUs: of('postgresUs'),
  }
}

function rowsOf(posts: Measured, letters: Measured): Row[] {
  const ratio = letters.perSecond / posts.perSecond
  const wanted = atLeast(ratio, RATIO_MIN, `ratio at least ${RATIO_MIN}`)
  const { p50, p99 } = letters
  return [
    { what: 'submission: POST /emails', result: perSecond(posts.perSecond), p50: posts.p50, p99: posts.p99 },
    { what: 'submission: the same over SMTP, until its 250', result: perSecond(letters.perSecond), p50, p99, ratio, wanted },
    { what: 'submission: processor time of the service for one POST', result: microseconds(posts.serviceUs) },
    {
      what: 'submission: the same for one over SMTP',
      result: microseconds(letters.serviceUs),
      ratio: letters.serviceUs / posts.serviceUs,
    },
    { what: 'submission: processor time of PostgreSQL for one POST', result: microseconds(posts.postgresUs) },
    {
      what: 'submission: the same for one over SMTP',
      result: microseconds(letters.postgresUs),
      ratio: letters.postgresUs / posts.postgresUs,
    },
  ]
}

/** The small email as a client of SMTP writes it. */
export const submittedLetters = (count: number): Letter[] =>
  Array.from({ length: count }, (_one, index) => {
    const { from, to, subject, html, text } = email(index)
    const lines = [
      ...[`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, 'MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=b', ''],
      ...['--b', 'Content-Type: text/plain; charset=utf-8', '', ...text.split('\n')],
      ...['--b', 'Content-Type: text/html; charset=utf-8', '', html, '--b--', ''],
    ]
    return { to, raw: lines.join('\r\n') }
  })
