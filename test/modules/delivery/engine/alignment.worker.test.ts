// DMARC (RFC 7489, section 3.1), as a server that gets our mail judges it by the records of the domain in the DNS.
import { Resolver } from 'node:dns/promises'
import { authenticate } from 'mailauth'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { createBodyHashes } from '../../../../src/mail/dkim/body-hash.ts'
import { composeSignedMessage } from '../../../../src/mail/dkim/signed-message.ts'
import type { MimeMessage } from '../../../../src/mail/mime-build.ts'
import { CORPUS, largeAttachment, MINIMAL } from '../../../mail/dkim/corpus.ts'
import { publishDomain } from '../../../support/builders/domains.ts'
import { sendEmail, untilEvent } from '../../../support/builders/engine.ts'
import { type DnsServer, startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { type SinkMessage, type SmtpSink, startSmtpSink } from '../../../support/servers/smtp-sink.ts'

/** Mail arrives from loopback here. The receiver is told the address that the operator sends from. */
const SENDING_IP = '192.0.2.1'
const NAME = 'acme.example'
const SUBDOMAIN = 'news.xn--bcher-kva.example'

let sink: SmtpSink
let dns: DnsServer

beforeAll(async () => {
  sink = await startSmtpSink({ tls: 'starttls', address: '127.0.0.1' })
  dns = await startDnsServer({ 'example.org': { MX: [[10, 'mx.example.org']] }, 'mx.example.org': { A: ['127.0.0.1'] } })
})
afterAll(() => Promise.all([sink.close(), dns.close()]))
const service = shared(() =>
  startTestService({
    directPort: sink.port,
    environment: {
      ROLES: 'api,worker',
      DELIVERY: 'direct',
      MAIL_HOSTNAME: 'mail.posthaste.example',
      PUBLIC_URL: 'https://mail.posthaste.example',
      SENDING_IPS: SENDING_IP,
      DNS_SERVERS: dns.address,
    },
  }),
)
beforeAll(async () => {
  await publishDomain(service, dns, { name: NAME })
  await publishDomain(service, dns, { name: SUBDOMAIN, root: 'xn--bcher-kva.example' })
})

afterEach(() => {
  sink.messages.length = 0
})

/** What a receiver finds about the last message. */
async function verdictOf({ raw, from: sender }: SinkMessage, ip = SENDING_IP) {
  const resolver = new Resolver()
  resolver.setServers([dns.address])
  const { spf, dkim, dmarc } = await authenticate(Buffer.from(raw, 'latin1'), {
    ip,
    helo: 'mail.posthaste.example',
    sender,
    async resolver(name, type) {
      if (type !== 'TXT') throw new Error(`No record of the domain is of the type ${type}`)
      return resolver.resolveTxt(name)
    },
  })
  return {
    spf: spf ? [spf.status.result, spf.domain] : null,
    dkim: dkim.results.map(({ status, algo, signingDomain }) => [status.result, algo, signingDomain]),
    dmarc: dmarc ? [dmarc.status.result, dmarc.alignment.spf.result, dmarc.alignment.dkim.result] : null,
  }
}

const passed = (domain: string) => ({
  spf: ['pass', `send.${domain}`],
  dkim: [
    ['pass', 'rsa-sha256', domain],
    ['pass', 'ed25519-sha256', domain],
  ],
})
const aligned = (domain: string) => ({ ...passed(domain), dmarc: ['pass', `send.${domain}`, domain] })
const ALIGNED = aligned(NAME)

async function receive(change: Partial<MimeMessage>): Promise<SinkMessage> {
  const { senderIdentityOf, returnPathTokens, gateways } = service.service.context
  const { signers, returnPathHost } = await senderIdentityOf(service.teamId, NAME)
  const from = { name: change.from?.name ?? null, address: `from@${NAME}` }
  const message = await composeSignedMessage({ ...MINIMAL, ...change, from }, { signers, bodyKey: 'body', bodyHashes: createBodyHashes() })
  const found = await gateways.direct?.directory.lookUp('example.org')
  if (!found || 'failure' in found) throw new Error('The servers of example.org were not found')
  const envelope = { from: `${returnPathTokens.create(createId())}@${returnPathHost}`, to: 'to@example.org' }
  const transaction = { domain: 'example.org', set: found.set, envelope, message, mayContinue: () => true }
  expect(await gateways.direct?.delivery.send(transaction)).toMatchObject({ kind: 'delivered' })
  const [received] = sink.messages
  if (!received) throw new Error('The message has not arrived')
  return received
}

describe('DMARC is aligned by SPF and by both signatures', () => {
  it.each(CORPUS)('for a message with %s', async (_what, change) => {
    expect(await verdictOf(await receive(change))).toEqual(ALIGNED)
  })

  it('for a message of 40 MB', async () => {
    expect(await verdictOf(await receive({ attachments: [largeAttachment()] }))).toEqual(ALIGNED)
  })

  it.each([
    [NAME, `Acme <hello@${NAME}>`],
    [SUBDOMAIN, 'Bücher <hello@news.bücher.example>'],
  ])('for an email from %s', async (domain, from) => {
    const id = await sendEmail(service, { from, html: '<p>Grüße</p>' })
    await untilEvent(service, id, 'delivered')
    expect(await Promise.all(sink.messages.map((message) => verdictOf(message)))).toEqual([aligned(domain)])
  })
})

it('mail from an address that the records do not name is aligned by its signatures alone', async () => {
  const verdict = await verdictOf(await receive({}), '198.51.100.1')
  expect(verdict).toEqual({ ...ALIGNED, spf: ['softfail', `send.${NAME}`], dmarc: ['pass', undefined, NAME] })
})

it('mail that was changed on its way is aligned by SPF alone', async () => {
  const { raw, ...received } = await receive({})
  const verdict = await verdictOf({ ...received, raw: raw.replace('Subject: Hello', 'Subject: Pay') })
  expect([verdict.spf, verdict.dkim.map(([result]) => result), verdict.dmarc]).toEqual([
    ALIGNED.spf,
    ['fail', 'fail'],
    ['pass', `send.${NAME}`, undefined],
  ])
})
