import { afterEach, beforeEach, expect } from 'vitest'
import type { DirectOpeningTimeouts } from '../../../src/io/smtp/client/direct-connection.ts'
import { createDirectDelivery, type DirectDeliveryOptions } from '../../../src/io/smtp/client/direct-delivery.ts'
import { createMtaSts, createMtaStsMemory } from '../../../src/io/smtp/client/mta-sts.ts'
import { createMxDirectory, type MxDirectory } from '../../../src/io/smtp/client/mx-directory.ts'
import { createMailDns } from '../../../src/io/smtp/client/mx-dns.ts'
import type { SmtpOutcome } from '../../../src/io/smtp/client/smtp-outcome.ts'
import type { DirectDelivery, DirectTransaction } from '../../../src/io/smtp/client/smtp-sending.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { until } from '../clocks/until.ts'
import { freePort } from '../processes/processes.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from './dns-server.ts'
import { type SinkMessage, type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts'

export const MESSAGE = Buffer.from('Subject: Hello\r\n\r\nHello\r\n')

/** first.test at 127.0.0.1 is tried before second.test at 127.0.0.2. */
export const TWO_HOSTS: Record<string, DnsRecords> = {
  'example.test': {
    MX: [
      [10, 'first.test'],
      [20, 'second.test'],
    ],
  },
  'first.test': { A: ['127.0.0.1'] },
  'second.test': { A: ['127.0.0.2'] },
}

/** Each address has so long for each step, the last one longer. */
export const openingWithin = (hurriedMs: number, patientMs = hurriedMs): DirectOpeningTimeouts => ({
  hurried: { connectMs: 10_000, replyMs: hurriedMs, readyMs: 4 * hurriedMs },
  patient: { connectMs: 10_000, replyMs: patientMs, readyMs: 4 * patientMs },
  allMs: 60_000,
})

/** A direct delivery with its own DNS and mail servers for each test of the file. */
export function useDirectDelivery() {
  let dns: DnsServer
  let delivery: DirectDelivery
  let directory: MxDirectory
  /** All servers listen on the same port, each on its own address, as on the internet. */
  let port: number
  let sinks: SmtpSink[]

  beforeEach(() => {
    port = 0
    sinks = []
  })

  afterEach(async () => {
    await delivery.close(0)
    await Promise.all([dns.close(), ...sinks.map((sink) => sink.close())])
  })

  async function startSink(address: string, options: SmtpSinkOptions = {}): Promise<SmtpSink> {
    // Free on all of these addresses: a port that the system chooses for one may be taken at another.
    port ||= await freePort()
    const sink = await startSmtpSink({ ...options, address, port })
    sinks.push(sink)
    return sink
  }

  return {
    startSink,
    dns: () => dns,
    delivery: () => delivery,
    directory: () => directory,

    /** At 127.0.0.1, 127.0.0.2, and so on. */
    async startSinks(count: number, options: SmtpSinkOptions = {}): Promise<SmtpSink[]> {
      const started: SmtpSink[] = []
      for (let index = 1; index <= count; index++) started.push(await startSink(`127.0.0.${index}`, options))
      return started
    },

    /** After the mail servers, whose port it takes over. */
    async start(zone: Record<string, DnsRecords>, options: Partial<DirectDeliveryOptions> = {}): Promise<void> {
      port = options.port ?? port
      dns = await startDnsServer(zone)
      const mailDns = createMailDns({ dnsServers: [dns.address], clock: systemClock, timeoutMs: 2_000, tries: 3 })
      directory = createMxDirectory({ dnsServers: [], dns: mailDns })
      const guard = options.guard ?? { allowPrivateNetworks: true }
      delivery = createDirectDelivery({
        helloName: 'mail.sender.test',
        guard,
        limitsOf: () => ({ connectionsMax: 5, messagesPerConnectionMax: 50 }),
        mtaSts: createMtaSts({ dns: mailDns, guard, cache: createMtaStsMemory() }),
        port,
        ...options,
      })
    },

    /** As a worker does: finds where the domain's mail goes, and sends it there. */
    async send(to: string, more: Partial<DirectTransaction> = {}): Promise<SmtpOutcome> {
      const domain = to.slice(to.indexOf('@') + 1)
      const lookup = await directory.lookUp(domain)
      if ('failure' in lookup) throw new Error(lookup.failure.text)
      const envelope = { from: 'from@sender.test', to }
      return delivery.send({ domain, set: lookup.set, envelope, message: MESSAGE, mayContinue: () => true, ...more })
    },
  }
}

export const recipients = ({ messages }: SmtpSink) => messages.map(({ to }) => to[0])

/** Servers that answer the final dot only when released. Counts how many messages they hold at once. */
export function hold() {
  const gate = Promise.withResolvers<void>()
  const holding = new Set<SinkMessage>()
  let most = 0
  const options: SmtpSinkOptions = {
    async beforeReply(message) {
      holding.add(message)
      most = Math.max(most, holding.size)
      await gate.promise
      holding.delete(message)
    },
  }
  return {
    options,
    reached: (count: number) => until(() => expect(holding.size).toBe(count)),
    release: () => gate.resolve(),
    most: () => most,
  }
}
