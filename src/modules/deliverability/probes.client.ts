// Reads the certificate of a web server and the headers of an answer. Whether the certificate is trusted is part of what it reads.
import { request } from 'node:https'
import { TLSSocket } from 'node:tls'
import type { Config } from '../../config/config.ts'
import { askServers, chooseServers, createRecordLookup, type ResolverOptions, withResolver } from '../../io/dns/record-lookup.ts'
import { isAllowedHost } from '../../io/outbound-guard.ts'
import { createMtaSts, createMtaStsMemory } from '../../io/smtp/client/mta-sts.ts'
import { createMailDns } from '../../io/smtp/client/mx-dns.ts'
import { createSmtpRelay } from '../../io/smtp/client/relay.ts'
import { openSmtpSession, type SmtpTimeouts } from '../../io/smtp/client/smtp-session.ts'
import { systemClock } from '../../lib/clock.ts'
import type { LookupType, RecordAnswer } from '../../mail/record-types.ts'

// The questions that a check of this installation asks of the world, and their answers. None of them fails, and each ends in a bounded time.

export type Probes = {
  lookUp(host: string, type: LookupType): Promise<RecordAnswer>
  /** Each resolver by itself. */
  askResolvers(host: string): Promise<ResolverAnswer[]>
  /** What the SPF record of a host says of mail from an address. */
  evaluateSpf(question: SpfQuestion): Promise<SpfAnswer>
  /** Connects as for sending, and quits. */
  greet(server: MailServer): Promise<Greeting>
  /** Reads the certificate and the headers of a web server. */
  openHttps(server: WebServer): Promise<HttpsAnswer>
  /** The MTA-STS policy of a mail server, as others fetch it. */
  fetchMtaSts(host: string): Promise<MtaStsPolicyAnswer>
  /** Logs in and quits. Null unless mail goes to a relay. */
  checkRelay: (() => Promise<RelayAnswer>) | null
}

export type ResolverAnswer = { server: string; answer: RecordAnswer }

/** `record`: in place of the one that the host publishes. */
export type SpfQuestion = { host: string; address: string; record?: string }

/** `result` is a word of RFC 7208, section 2.6. */
export type SpfAnswer = { address: string; result: string; comment: string }

export type MailServer = { host: string; address: string }

export type Greeting = MailServer &
  (
    | { kind: 'ready'; tls: string | null }
    /** The server answered, and takes no mail. `code` is null if it did not say so in words of SMTP. */
    | { kind: 'refused'; code: number | null; text: string }
    | { kind: 'unreached'; text: string }
  )

/** `isOurs`: it may be at any address; others are asked at public ones only. */
export type WebServer = { host: string; port: number; addresses: readonly string[]; isOurs: boolean }

export type HttpsAnswer =
  /** `fault`: the code of what is wrong with the certificate, such as `CERT_HAS_EXPIRED`. `date`: that of the answer, if there was one. */
  { kind: 'answered'; fault: string | null; validTo: Date | null; date: Date | null } | { kind: 'unreached'; reason: string }

export type RelayAnswer = { isUsable: true; tls: string | null } | { isUsable: false; isReached: boolean; reason: string }

/** `isServed`: there is one, and it has another mode than `none`. */
export type MtaStsPolicyAnswer = { isServed: boolean; allowsHost: boolean }

// What an SPF record permits, evaluated as a receiver does, includes and redirections followed.

export type SpfEvaluationOptions = ResolverOptions & {
  /** No question is asked after this time. */
  evaluationMsMax: number
}

/** Never fails. */
export async function evaluateSpf({ host, address, record }: SpfQuestion, options: SpfEvaluationOptions): Promise<SpfAnswer> {
  const { evaluationMsMax, ...resolving } = options

  /** The types of the library leave out that MX records are objects. */
  function resolve(name: string, type: string): Promise<string[]>
  async function resolve(name: string, type: string): Promise<unknown> {
    if (record !== undefined && name === host && type === 'TXT') return [[record]]
    return withResolver(resolving, (resolver) => askServers(resolver, (each) => each.resolve(name, type)))
  }

  try {
    // Loaded when the first record is evaluated, so that every start is quicker.
    const { spf } = await import('mailauth/lib/spf/index.js')
    const sender = `postmaster@${host}`
    const { status } = await spf({
      sender,
      helo: host,
      ip: address,
      mta: host,
      maxElapsedTime: evaluationMsMax,
      strict: true,
      resolver: resolve,
    })
    return { address, result: status.result, comment: status.comment ?? '' }
  } catch (error) {
    return { address, result: 'temperror', comment: error instanceof Error ? error.message : String(error) }
  }
}

// Connects to a mail server as for sending, and quits before any mail.

export type MailPortProbeOptions = {
  helloName: string
  guard: { allowPrivateNetworks: boolean }
  /** 25, except in tests. */
  port: number
  timeouts: SmtpTimeouts
}

/** Never fails. */
export async function greetMailServer({ host, address }: MailServer, options: MailPortProbeOptions): Promise<Greeting> {
  const { helloName, guard, port, timeouts } = options
  if (!isAllowedHost(address, guard)) return { host, address, kind: 'unreached', text: `${host} is not at a public address` }
  const target = { host, address, port, implicitTls: false, requireTls: false, verifyCertificate: false, credentials: null }
  const opened = await openSmtpSession(target, { helloName, timeouts })
  if ('session' in opened) {
    const { tls } = opened.session
    opened.session.quit()
    return { host, address, kind: 'ready', tls }
  }
  const { stage, code, text } = opened.failure
  return stage === 'connect' ? { host, address, kind: 'unreached', text } : { host, address, kind: 'refused', code, text }
}

export type HttpsProbeOptions = {
  /** For each address, whatever the server does. */
  timeoutMs: number
  /** The authorities that are trusted; those of the system if absent. */
  ca?: string
  /** Applies to servers that are not ours. */
  guard: { allowPrivateNetworks: boolean }
}

/** A host with many addresses answers at its first ones, or not at all. */
const ADDRESSES_TRIED_MAX = 2

const HEADER_BYTES_MAX = 16 * 1024

/** Never fails. */
export async function openHttps({ host, port, addresses, isOurs }: WebServer, options: HttpsProbeOptions): Promise<HttpsAnswer> {
  const allowed = addresses.filter((address) => isOurs || isAllowedHost(address, options.guard))
  let answer: HttpsAnswer = { kind: 'unreached', reason: 'it has no public address' }
  for (const address of allowed.slice(0, ADDRESSES_TRIED_MAX)) {
    answer = await openAt(address, { host, port }, options)
    if (answer.kind === 'answered') return answer
  }
  return answer
}

function openAt(
  address: string,
  { host, port }: Pick<WebServer, 'host' | 'port'>,
  { timeoutMs, ca }: HttpsProbeOptions,
): Promise<HttpsAnswer> {
  return new Promise((resolve) => {
    let seen: Omit<Extract<HttpsAnswer, { kind: 'answered' }>, 'date'> | null = null
    const asking = request({
      host: address,
      port,
      method: 'HEAD',
      path: '/',
      headers: { host, connection: 'close' },
      // An address is no name of a server (RFC 6066, section 3).
      ...(host !== address && { servername: host }),
      ...(ca !== undefined && { ca }),
      // An invalid certificate is an answer, too.
      rejectUnauthorized: false,
      agent: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const finish = (answer: HttpsAnswer) => {
      resolve(answer)
      asking.destroy()
    }
    asking.on('socket', (socket) => {
      if (!(socket instanceof TLSSocket)) return
      socket.once('secureConnect', () => {
        const { valid_to: validTo } = socket.getPeerCertificate()
        const fault = socket.authorized ? null : String(socket.authorizationError)
        seen = { kind: 'answered', fault, validTo: validTo === undefined ? null : new Date(validTo) }
      })
    })
    asking.on('response', ({ headers }) => finish(seen === null ? UNREAD : { ...seen, date: parseDate(headers.date) }))
    // Later ones find the answer given.
    asking.on('error', (error) =>
      finish(seen === null ? { kind: 'unreached', reason: describeProbeError(error, timeoutMs) } : { ...seen, date: null }),
    )
    asking.end()
  })
}

const UNREAD: HttpsAnswer = { kind: 'unreached', reason: 'its certificate could not be read' }

function parseDate(header: string | undefined): Date | null {
  const date = new Date(header ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}

const describeProbeError = (error: Error & { code?: string }, timeoutMs: number): string =>
  error.name === 'AbortError' || error.name === 'TimeoutError'
    ? `no answer within ${timeoutMs / 1_000} seconds`
    : (error.code ?? error.message)

// The questions that checks of this installation ask of the world, with their time limits: for the service and for `posthaste doctor`.

export type ProbeOptions = {
  /** The port of others' mail servers: 25, except in tests. */
  mailPort?: number
  /** How many times as long as usual an answer may be waited for: 1, except in tests, because many share a machine. */
  patience?: number
}

/** A check asks at most two of these one after the other, and has to end in some seconds. */
const DNS_TIMEOUT_MS = 1_500
const DNS_TRIES = 2
const DNS_MS_MAX = 4_000
const SPF_MS_MAX = 6_000
const HTTPS_MS = 3_000
const SMTP_CONNECT_MS = 4_000
const SMTP_REPLY_MS = 3_000
const RELAY_MS_MAX = 5_000

const MAIL_PORT = 25

export function createProbes(config: Config, { mailPort = MAIL_PORT, patience = 1 }: ProbeOptions = {}): Probes {
  const { dnsServers, smtpRelayUrl, mailHostname } = config
  const guard = { allowPrivateNetworks: config.allowPrivateNetworks }
  const resolving = { dnsServers, timeoutMs: DNS_TIMEOUT_MS * patience, tries: DNS_TRIES, timeMsMax: DNS_MS_MAX * patience }
  const replyMs = SMTP_REPLY_MS * patience
  const timeouts = { connectMs: SMTP_CONNECT_MS * patience, replyMs, finalReplyMs: replyMs, transactionMs: replyMs }
  const lookup = createRecordLookup(resolving)
  return {
    lookUp: (host, type) => lookup.ask(host, type),
    askResolvers: (host) =>
      Promise.all(chooseServers(dnsServers).map(async (server) => ({ server, answer: await lookUpAt(server, host) }))),
    evaluateSpf: (question) => evaluateSpf(question, { ...resolving, evaluationMsMax: SPF_MS_MAX * patience }),
    greet: (server) => greetMailServer(server, { helloName: mailHostname, guard, port: mailPort, timeouts }),
    openHttps: (server) => openHttps(server, { timeoutMs: HTTPS_MS * patience, guard }),
    async fetchMtaSts(host) {
      const dns = createMailDns({ ...resolving, clock: systemClock })
      const policy = await createMtaSts({ dns, guard, cache: createMtaStsMemory() }).policyOf(host)
      return { isServed: policy.mode !== 'none', allowsHost: policy.allows(host) }
    },
    checkRelay:
      config.delivery !== 'relay' || smtpRelayUrl === null
        ? null
        : async () => {
            const relay = createSmtpRelay({ url: smtpRelayUrl, helloName: mailHostname, connectionsMax: 1 })
            return relay.check(RELAY_MS_MAX * patience).finally(() => relay.close(0))
          },
  }

  function lookUpAt(server: string, host: string) {
    return createRecordLookup({ ...resolving, dnsServers: [server] }).ask(host, 'A')
  }
}
