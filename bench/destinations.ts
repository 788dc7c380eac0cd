import { createServer, type Socket } from 'node:net'
import { type DnsRecords, startDnsServer } from '../test/support/servers/dns-server.ts'
import { fillBacklog } from './backlog.ts'
import { email } from './email.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, memoryRow, type Place, startService } from './place.ts'
import { until } from './processes.ts'
import { type Sink, startOwnSink } from './sink.ts'
import { atLeast, mean, perSecond, type Row } from './table.ts'

const FULL = { good: 900, hanging: 50, refusing: 50, emailsEach: 20 }
const QUICK = { good: 90, hanging: 5, refusing: 5, emailsEach: 10 }
const WARM_UP_EACH = 2
const SHARE_MIN = 0.8
const LIMIT_MS = 120_000

/** Each destination has its own host. Several hosts share an address, because traffic stays within 127.0.0.x. */
const GOOD_ADDRESSES = Array.from({ length: 90 }, (_, index) => `127.0.0.${10 + index}`)
/** Takes connections and says nothing. */
const HANGING_ADDRESS = '127.0.0.120'
/** No server listens there. */
const REFUSING_ADDRESS = '127.0.0.121'

type Kind = 'good' | 'hanging' | 'refusing'
const KINDS: Kind[] = ['good', 'hanging', 'refusing']
type Sizes = typeof FULL

/** Sends straight to many servers, some of which hang or refuse, and compares what the others get with what they get alone. */
export async function measureDestinations(place: Place): Promise<Row[]> {
  const sizes = place.isQuick ? QUICK : FULL
  const sink = await startOwnSink(GOOD_ADDRESSES)
  const hanging = await startHangingServer(sink.port)
  const dns = await startDnsServer(zoneOf(sizes))
  const withBad = { place, sizes, sink, dnsServer: dns.address, kinds: KINDS }
  const first = await measure(withBad)
  const alone = await measure({ ...withBad, kinds: ['good'] })
  const again = await measure(withBad)
  await Promise.all([dns.close(), hanging.close(), sink.close()])

  const rate = mean([first.rate, again.rate])
  const bad = `${sizes.hanging} hang, ${sizes.refusing} refuse`
  return [
    { what: `destinations: ${sizes.good} good ones while ${bad}`, result: perSecond(first.rate) },
    {
      what: 'destinations: the good ones alone',
      result: perSecond(alone.rate),
      ratio: rate / alone.rate,
      wanted: atLeast(rate / alone.rate, SHARE_MIN, `ratio at least ${SHARE_MIN}`),
    },
    { what: `destinations: ${bad} again`, result: perSecond(again.rate) },
    memoryRow('destinations', [first.memory, alone.memory, again.memory]),
  ]
}

type Measurement = { place: Place; sizes: Sizes; sink: Sink; dnsServer: string; kinds: Kind[] }

async function measure({ place, sizes, sink, dnsServer, kinds }: Measurement): Promise<{ rate: number; memory: number }> {
  const databaseUrl = await createDatabase(place, 'bench_destinations')
  const environment = {
    ...environmentOf(place, databaseUrl),
    DELIVERY: 'direct',
    SENDER_POLICY: 'any',
    MAIL_HOSTNAME: 'mail.bench.test',
    PUBLIC_URL: 'https://bench.test',
    DNS_SERVERS: dnsServer,
    ALLOW_PRIVATE_NETWORKS: 'true',
  }
  const service = await startService(environment, 'bench/direct-service.ts', [String(sink.port)])

  /** One after another, as mail to many people arrives: all destinations take turns. */
  const fill = (domains: string[], each: number) =>
    fillBacklog({
      databaseUrl,
      count: domains.length * each,
      emailAt: (index) => email(index, `customer${index}@${domains[index % domains.length]}`),
      delivery: 'direct',
    })
  const good = domainsOf(sizes, ['good'])
  async function arrive(before: number, count: number): Promise<void> {
    await until(
      async () => sink.count() - before >= count && (await countRows(databaseUrl, `deliveries where destination like 'good%'`)) === 0,
      () => `Only ${sink.count() - before} of ${count} emails to good destinations were delivered within ${LIMIT_MS / 1_000} s`,
      LIMIT_MS,
    )
    if (sink.count() - before !== count) throw new Error(`${count} emails went to good destinations, but ${sink.count() - before} arrived`)
  }

  const beforeWarmUp = sink.count()
  await (await fill(good, WARM_UP_EACH)).release()
  await arrive(beforeWarmUp, good.length * WARM_UP_EACH)

  const from = sink.count()
  const backlog = await fill(domainsOf(sizes, kinds), sizes.emailsEach)
  await service.rest()
  await backlog.release()
  await arrive(from, good.length * sizes.emailsEach)
  const memory = service.memory.peakAboveRest()
  const lost = (domainsOf(sizes, kinds).length - good.length) * sizes.emailsEach - (await countRows(databaseUrl, 'deliveries'))
  if (lost !== 0) throw new Error(`${lost} emails to bad destinations are not in the queue any more`)
  await service.stop()
  await dropDatabase(place, 'bench_destinations')
  return { rate: sink.rateSince(from), memory }
}

const domainsOf = (sizes: Sizes, kinds: Kind[]): string[] =>
  kinds.flatMap((kind) => Array.from({ length: sizes[kind] }, (_, index) => `${kind}${index}.test`))

function zoneOf(sizes: Sizes): Record<string, DnsRecords> {
  const addressOf = { hanging: () => HANGING_ADDRESS, refusing: () => REFUSING_ADDRESS, good: goodAddress }
  return Object.fromEntries(
    KINDS.flatMap((kind) =>
      domainsOf(sizes, [kind]).flatMap((domain, index): [string, DnsRecords][] => [
        [domain, { MX: [[10, `mx.${domain}`]] }],
        [`mx.${domain}`, { A: [addressOf[kind](index)] }],
      ]),
    ),
  )
}

const goodAddress = (index: number): string => GOOD_ADDRESSES[index % GOOD_ADDRESSES.length] ?? ''

async function startHangingServer(port: number): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, HANGING_ADDRESS, done))
  return {
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
