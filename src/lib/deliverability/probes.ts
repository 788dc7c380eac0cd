// The questions that a check of this installation asks of the world, and their answers. None of them fails, and each ends in a bounded time.
import type { LookupType, RecordAnswer } from '../domains/domain-records.ts'

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
