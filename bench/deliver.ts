import { once } from 'node:events'
import MailComposer from 'nodemailer/lib/mail-composer'
import { systemClock } from '../src/lib/clock.ts'
import type { DkimAlgorithm } from '../src/lib/crypto/keys.ts'
import { composeMessage } from '../src/mail/mime-build.ts'
import { fillBacklog } from './backlog.ts'
import { measureBareSigning } from './bare-signing.ts'
import { type BenchEmail, CONNECTIONS, email, largeEmail } from './email.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, memoryRow, type Place, type Service, startService } from './place.ts'
import { run, until, untilEnded } from './processes.ts'
import { type Sink, startCountingSink } from './sink.ts'
import { atLeast, mean, perSecond, type Row } from './table.ts'

const LIMIT_MS = 180_000
/** The message that we compose and the one from nodemailer must have the same size, except for ids, dates and boundaries. */
const SIZE_DIFFERENCE_MAX = 0.03
const OUR_BOUNDARY_LENGTH = 32

type Kind = {
  name: string
  size: 'small' | 'large'
  emailAt: (index: number) => BenchEmail
  warmUp: number
  count: number
  wanted: number
  /** What signing leaves of the rate. Null if it is only shown. */
  wantedSigned: { rsa: number; both: number } | null
}

const SMALL: Kind = {
  name: 'deliver',
  size: 'small',
  emailAt: email,
  warmUp: 5_000,
  count: 20_000,
  wanted: 0.5,
  wantedSigned: { rsa: 0.7, both: 0.6 },
}
const LARGE: Kind = {
  name: 'deliver 100 KB',
  size: 'large',
  emailAt: largeEmail,
  warmUp: 300,
  count: 1_500,
  wanted: 0.6,
  wantedSigned: null,
}
const QUICK_SHARE = 0.1
const BARE_SIGNING_SECONDS = 2

/** A backlog through the whole of Posthaste and the same messages through nodemailer's own pool, to the same mail server. */
export async function measureDelivering(place: Place): Promise<Row[]> {
  const rows: Row[] = []
  for (const kind of [SMALL, LARGE]) rows.push(...(await measureKind(place, place.isQuick ? smaller(kind) : kind)))
  rows.push({ what: 'deliver: bare RSA signatures', result: perSecond(await measureBareSigning(BARE_SIGNING_SECONDS)) })
  return rows
}

type Prepare = (databaseUrl: string, service: Pick<Service, 'url'>) => Promise<unknown>

/** The rate of small emails, after something was changed in the database. */
export async function measureSmall(place: Place, sink: Sink, prepare?: Prepare, environment?: Record<string, string>): Promise<number> {
  return (await measureOwn(place, place.isQuick ? smaller(SMALL) : SMALL, sink, [], prepare, environment)).rate
}

const smaller = (kind: Kind): Kind => ({ ...kind, warmUp: kind.warmUp * QUICK_SHARE, count: kind.count * QUICK_SHARE })

async function measureKind(place: Place, kind: Kind): Promise<Row[]> {
  await checkSize(kind)
  const sink = await startCountingSink()
  const first = await measureOwn(place, kind, sink)
  const pool = await measurePool(kind, sink)
  const rsa = await measureOwn(place, kind, sink, ['rsa-sha256'])
  const both = await measureOwn(place, kind, sink, ['rsa-sha256', 'ed25519-sha256'])
  const again = await measureOwn(place, kind, sink)
  await sink.close()
  const rate = mean([first.rate, again.rate])
  return [
    { what: `${kind.name}: a backlog of ${kind.count.toLocaleString('en')}`, result: perSecond(first.rate) },
    {
      what: `${kind.name}: nodemailer's pool of ${CONNECTIONS}`,
      result: perSecond(pool),
      ratio: rate / pool,
      wanted: atLeast(rate / pool, kind.wanted, `ratio at least ${kind.wanted}`),
    },
    { what: `${kind.name}: again`, result: perSecond(again.rate) },
    { what: `${kind.name}: mean`, result: perSecond(rate) },
    signedRow(`${kind.name}: signed with RSA`, rsa.rate, rate, kind.wantedSigned?.rsa),
    signedRow(`${kind.name}: signed with RSA and Ed25519`, both.rate, rate, kind.wantedSigned?.both),
    memoryRow(kind.name, [first.memory, again.memory]),
    memoryRow(`${kind.name}, signed`, [rsa.memory, both.memory]),
  ]
}

const signedRow = (what: string, rate: number, unsignedRate: number, wanted: number | undefined): Row => ({
  what,
  result: perSecond(rate),
  ratio: rate / unsignedRate,
  ...(wanted !== undefined && { wanted: atLeast(rate / unsignedRate, wanted, `ratio at least ${wanted}`) }),
})

/** @param algorithms that all mail is signed with */
async function measureOwn(
  place: Place,
  { warmUp, count, emailAt }: Kind,
  sink: Sink,
  algorithms: DkimAlgorithm[] = [],
  prepare: Prepare = async () => {},
  more: Record<string, string> = {},
): Promise<{ rate: number; memory: number }> {
  const databaseUrl = await createDatabase(place, 'bench_deliver')
  const environment = {
    ...environmentOf(place, databaseUrl),
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
    ...more,
  }
  const service = await (algorithms.length === 0
    ? startService(environment)
    : startService(environment, 'bench/signed-service.ts', algorithms))
  await prepare(databaseUrl, service)
  async function deliver(many: number): Promise<number> {
    const before = sink.count()
    const backlog = await fillBacklog({ databaseUrl, count: many, emailAt })
    await service.rest()
    await backlog.release()
    await until(
      async () => sink.count() - before >= many && (await countRows(databaseUrl, 'deliveries')) === 0,
      () => `Only ${sink.count() - before} of ${many} emails were delivered within ${LIMIT_MS / 1_000} s`,
      LIMIT_MS,
    )
    if (sink.count() - before !== many) throw new Error(`${many} emails were queued, but ${sink.count() - before} arrived`)
    return before
  }
  await deliver(warmUp)
  const from = await deliver(count)
  const delivered = await countRows(databaseUrl, `recipients where state = 'delivered'`)
  if (delivered !== warmUp + count) throw new Error(`${warmUp + count} emails were sent, but ${delivered} are noted as delivered`)
  const memory = service.memory.peakAboveRest()
  await service.stop()
  await dropDatabase(place, 'bench_deliver')
  return { rate: sink.rateSince(from), memory }
}

async function measurePool({ warmUp, count, size }: Kind, sink: Sink): Promise<number> {
  const before = sink.count()
  const arrived = (many: number) =>
    until(
      () => sink.count() - before >= many,
      () => `nodemailer sent ${sink.count() - before} of ${many} emails`,
      LIMIT_MS,
    )
  const pool = run('bench/nodemailer-pool.ts', [String(sink.port), String(warmUp), String(count), size], { hasMessages: true })
  const ended = untilEnded(pool)
  await Promise.race([once(pool, 'message'), ended])
  await arrived(warmUp)
  pool.send('go on')
  await ended
  await arrived(warmUp + count)
  return sink.rateSince(before + warmUp)
}

async function checkSize({ emailAt }: Kind): Promise<void> {
  const { from, to, subject, html, text } = emailAt(0)
  const baseBoundary = 'x'.repeat(OUR_BOUNDARY_LENGTH)
  const theirs = await new MailComposer({ from, to, subject, html, text, newline: 'win', baseBoundary }).compile().build()
  const ours = await composeMessage({
    messageId: '<00000000-0000-0000-0000-000000000000@example.com>',
    date: systemClock.now(),
    from: { name: 'Acme', address: 'hello@example.com' },
    to: [{ name: null, address: to }],
    cc: [],
    replyTo: [],
    subject,
    html,
    text,
    headers: [],
    attachments: [],
  })
  if (!Buffer.isBuffer(ours) || Math.abs(ours.length / theirs.length - 1) > SIZE_DIFFERENCE_MAX)
    throw new Error(`The same email is ${Buffer.isBuffer(ours) ? ours.length : 'a stream'} here and ${theirs.length} bytes in nodemailer`)
}
