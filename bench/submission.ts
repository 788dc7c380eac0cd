import { email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, startService, TOKEN } from './place.ts'
import { freePort } from './processes.ts'
import { type Letter, sendLetters } from './smtp-load.ts'
import { atLeast, percentile, perSecond, type Row } from './table.ts'

const CONNECTIONS = 50
const LETTERS = 20_000
const QUICK_LETTERS = 500
const WARM_UP = 2_000
const QUICK_WARM_UP = 100
const SECONDS = 8
const QUICK_SECONDS = 2
const RATIO_MIN = 0.7

/** Hands in the same small email over SMTP and by POST /emails. */
export async function measureSubmission(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_submission')
  const port = await freePort()
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api', SUBMISSION_PORT: String(port) })
  try {
    const load = { url: `${service.url}/emails`, connections: CONNECTIONS, body: email(0) }
    const hand = (count: number) => sendLetters(port, lettersOf(count), { connections: CONNECTIONS, apiKey: TOKEN })
    const warmUp = place.isQuick ? QUICK_WARM_UP : WARM_UP
    await hand(warmUp)
    await generateLoad({ ...load, seconds: place.isQuick ? 1 : 4 })

    const posted = await generateLoad({ ...load, seconds: place.isQuick ? QUICK_SECONDS : SECONDS })
    await service.rest()
    const count = place.isQuick ? QUICK_LETTERS : LETTERS
    const startedAt = performance.now()
    const durations = await hand(count)
    const rate = (count * 1_000) / (performance.now() - startedAt)
    const stored = await countRows(databaseUrl, 'submitted_messages')
    if (stored !== count + warmUp) throw new Error(`${stored} messages are stored, of ${count + warmUp}`)
    const ratio = rate / posted.perSecond
    return [
      { what: 'submission: POST /emails', result: perSecond(posted.perSecond), p50: posted.p50, p99: posted.p99 },
      {
        what: 'submission: the same over SMTP, until its 250',
        result: perSecond(rate),
        p50: percentile(durations, 0.5),
        p99: percentile(durations, 0.99),
        ratio,
        wanted: atLeast(ratio, RATIO_MIN, `ratio at least ${RATIO_MIN}`),
      },
    ]
  } finally {
    await service.stop()
    await dropDatabase(place, 'bench_submission')
  }
}

const lettersOf = (count: number): Letter[] =>
  Array.from({ length: count }, (_one, index) => {
    const { from, to, subject, html, text } = email(index)
    const lines = [
      ...[`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, 'MIME-Version: 1.0', 'Content-Type: multipart/alternative; boundary=b', ''],
      ...['--b', 'Content-Type: text/plain; charset=utf-8', '', ...text.split('\n')],
      ...['--b', 'Content-Type: text/html; charset=utf-8', '', html, '--b--', ''],
    ]
    return { to, raw: lines.join('\r\n') }
  })
