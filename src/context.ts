// What compose hands to every floor above repositories. Types only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { RecordLookup } from './gateways/dns/record-lookup.ts'
import type { BlobStore } from './gateways/files/blob-store.ts'
import type { DiskSpace } from './gateways/files/disk-space.ts'
import type { StoreMark } from './gateways/files/store-mark.ts'
import type { MessageFilter } from './gateways/received/message-filter.ts'
import type { ReceivedReader } from './gateways/received/received-reader.ts'
import type { ReportReader } from './gateways/report-reader.ts'
import type { DirectDelivery } from './gateways/smtp/direct-delivery.ts'
import type { MxDirectory, MxSet } from './gateways/smtp/mx-directory.ts'
import type { SmtpRelay } from './gateways/smtp/smtp-relay.ts'
import type { SubmissionReader } from './gateways/submission/submission-reader.ts'
import type { TextWork } from './gateways/text-work.ts'
import type { ClientDocuments } from './gateways/web/client-documents.ts'
import type { IdentityProvider } from './gateways/web/identity-provider.ts'
import type { RemoteFiles } from './gateways/web/remote-files.ts'
import type { WebhookEndpoints } from './gateways/web/webhook-endpoints.ts'
import type { WebhookRequests } from './gateways/web/webhook-requests.ts'
import type { AddressHash } from './lib/audience/address-hashes.ts'
import type { MergeValues } from './lib/audience/merge-fields.ts'
import type { Clock } from './lib/clock.ts'
import type { DeliverabilityReport } from './lib/deliverability/findings.ts'
import type { Failure } from './lib/failure.ts'
import type { RequestCount } from './lib/limits/request-counts.ts'
import type { SharedRoom } from './lib/limits/shared-room.ts'
import type { Metrics } from './lib/metrics.ts'
import type { LinkPurpose } from './lib/signing/data-keys.ts'
import type { DkimAlgorithm } from './lib/signing/key-pairs.ts'
import type { Links } from './lib/signing/links.ts'
import type { ReturnPathTokens } from './lib/signing/return-path-tokens.ts'
import type { TrackingTokens } from './lib/signing/tracking-tokens.ts'
import type { WebhookSecretBox } from './lib/signing/webhook-secrets.ts'
import type { Tracing } from './lib/tracing.ts'
import type { DestinationLimit } from './mail/destination-limits.ts'
import type { BodyHashes } from './mail/dkim/body-hashes.ts'
import type { DkimSigner } from './mail/dkim/signature-fields.ts'
import type { RenderedContact } from './mail/rendering/contact-placeholders.ts'
import type { ReadContents } from './mail/rendering/read-contents.ts'
import type { TrackedAct } from './mail/tracking/act-window.ts'
import type { BroadcastRow } from './repositories/broadcasts/broadcasts.ts'
import type { NewDkimKey } from './repositories/domains/dkim-keys.ts'
import type { Repositories } from './repositories/repositories.ts'
import type { CountedSegments } from './repositories/segments/segment-members.ts'
import type { KeyHolder } from './repositories/team/api-keys.ts'
import type { TemplateContent } from './repositories/templates/template-rows.ts'
import type { WebhookContent } from './repositories/webhooks/webhook-contents.ts'
import type { FeedRow } from './repositories/webhooks/webhook-feed.ts'

export type SenderIdentity = {
  /** Only keys whose record was seen. */
  signers: readonly DkimSigner[]
  /** Where bounces return; null unless the team has verified it. */
  returnPathHost: string | null
  /** Mail is sent over TLS, or not at all. */
  requiresTls: boolean
  /** Null if nothing is tracked. */
  tracking: MailTracking | null
}

/** Opens and clicks, until they are recorded. */
export type TrackedActs = {
  /** Returns at once. It is recorded some seconds later, or lost and counted if too much is waiting. */
  add(act: TrackedAct): void
  /** Records everything that waits now. */
  flush(): Promise<void>
}

/** What is tracked in the mail of a sender. */
export type MailTracking = {
  /** Base of its links, without a slash at the end. */
  baseUrl: string
  /** Whose settings ask for it; null if the operator's do. */
  domainId: string | null
  opens: boolean
  clicks: boolean
}

/** An email as it is stored: content and headers are those of its broadcast, if it is a part of one. */
export type EmailOfBroadcast = ShownEmailOfBroadcast & { from: string; headers: Record<string, string> }

/** `address`: to which it is sent, and for which its links are. `emailId`: null if it is not sent. */
export type BroadcastToPreview = {
  teamId: string
  emailId: string | null
  broadcast: Pick<BroadcastRow, 'id' | 'from' | 'topicId' | 'subject' | 'html' | 'text' | 'previewText' | 'properties'>
  contact: RenderedContact
  address: string
}

export type PreviewOfBroadcast = {
  subject: string
  html: string | null
  text: string | null
  previewText: string | null
  mail: { html: string | null; text: string | null; headers: Record<string, string> }
}

export type ShownEmailOfBroadcast = {
  id: string
  teamId: string
  to: string[]
  html: string | null
  text: string | null
  broadcastId: string | null
  mergeValues: MergeValues | null
}

/** By the id of the version, with what else an email takes from it. */
export type TemplateContents = ReadContents<Pick<TemplateContent, 'from' | 'replyTo' | 'variables'>>

/** What happened for webhooks, in an order in which nothing that is committed late is skipped. */
export type WebhookFeedReader = {
  /**
   * @param request `after`: a position, `now`, or null for the beginning of what is kept
   * @throws Failure if `after` is no position or is too old, or too many readers of the team wait or do not read their answers
   */
  read(
    /** `gone`: aborted once the answer was written, or the client has gone. */
    reader: { teamId: string; webhookId: string; gone: AbortSignal },
    request: { after: string | null; limit: number; waitMs: number },
  ): Promise<FeedPage>
  /** Readers that wait get their answers. */
  end(): void
}

/** `next`: the position after its events. The content is null if the message is gone. */
export type FeedPage = { events: { row: FeedRow; content: WebhookContent | null }[]; next: string; hasMore: boolean }

/** What a program asks a person for. */
export type ConsentRequest = {
  uid: string
  /** `isDocument`: it is known by the host of its `client_id`. */
  client: { clientId: string; name: string; uri: string | null; logoUri: string | null; isDocument: boolean }
  redirectUri: string
  scopes: string[]
  resource: string | null
  /** The program wants the person to be asked, whatever they decided before. */
  mustAsk: boolean
}

/** `grantId`: access that the team gave before, in place of a new grant. */
export type ConsentDecision = 'refused' | { teamId: string; grantId?: string }

export type AuthorizationServer = {
  /** Answers a request at one of the addresses of the protocol. */
  handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void>
  /** What the browser of a request is asked for; null if it was decided, has expired, or another browser asked. */
  requestOf(request: IncomingMessage, response: ServerResponse): Promise<ConsentRequest | null>
  /** Returns where the browser goes then; null if it was decided already, `full` if the team has too many grants. */
  decide(
    request: IncomingMessage,
    response: ServerResponse,
    asked: ConsentRequest,
    decision: ConsentDecision,
  ): Promise<{ location: string } | null | 'full'>
  /** The team and the grant of an access token; null unless it may be used now. */
  recognize(token: string): Promise<KeyHolder | null>
}

/** Who a key belongs to, and how often it is tried, for all roads together. */
export type KeyRecognition = {
  /** Returns a Failure of the kind `invalidApiKey` for an unknown key, which the caller counts, or `rateLimited`. */
  recognize(address: string, token: string): Promise<KeyHolder | Failure>
  /** Counts a failed credential of a client address; null if nothing is limited. */
  countFailure(address: string): RequestCount | null
  /** Counts a request of a team; null if nothing is limited. */
  countRequest(teamId: string): RequestCount | null
  /** Counts bytes that a team sends. Returns a Failure of the kind `rateLimited` while there are too many. */
  countBytes(teamId: string, bytes: number): Failure | null
}

export type Context = {
  config: Config
  /** For what is large, of requests and of received mail: one room, because either can take all the memory that there is. */
  largeContent: SharedRoom
  /** Base of every link that the service creates, without a slash at the end. */
  publicUrl: string
  clock: Clock
  log: FastifyBaseLogger
  metrics: Metrics
  /** Null unless traces are exported. */
  tracing: Tracing | null
  repositories: Repositories
  gateways: {
    blobs: BlobStore
    /** Says whose these are. */
    storeMark: StoreMark
    /** What clients say about themselves at the address that is their `client_id`. */
    clientDocuments: ClientDocuments
    diskSpace: DiskSpace
    /** What the DNS says of the domains of teams. */
    domainDns: RecordLookup
    /** Null unless one is configured. */
    identityProvider: IdentityProvider | null
    remoteFiles: RemoteFiles
    webhookEndpoints: WebhookEndpoints
    /** Reads what came back, in a thread of its own. */
    reports: ReportReader
    /** Reads received emails, in a thread of its own. */
    received: ReceivedReader
    /** Reads messages that were handed in over SMTP, large ones in a thread. */
    submissions: SubmissionReader
    /** Works on long texts in threads. */
    texts: TextWork
    /** The filter of the operator for received emails; null if there is none. */
    filter: MessageFilter | null
    webhookRequests: WebhookRequests
    /** Null unless mail is sent to a relay. */
    relay: SmtpRelay | null
    /** Null unless mail is sent straight to the recipients' servers. */
    direct: { directory: MxDirectory; delivery: DirectDelivery; limitOf: (set: MxSet) => DestinationLimit } | null
  }
  authorizationServer: AuthorizationServer
  keyRecognition: KeyRecognition
  /** How many contacts a team and its segments have. It remembers its counts for a while. */
  segmentMetrics: (teamId: string) => Promise<CountedSegments>
  /** What the templates say that were sent last, read once for all emails. */
  templateContents: TemplateContents
  links: Links<LinkPurpose>
  /** Represents an address that opted out, because the address itself may not be stored. */
  hashAddress: AddressHash
  /** What this domain (a lower-case A-label) says about mail from it: nothing if the team does not have it. */
  senderIdentityOf: (teamId: string, fromDomain: string) => Promise<SenderIdentity>
  /** Gives an email of a broadcast its content and headers, which are made from those of the broadcast. Other emails are returned unchanged. */
  withBroadcastContent: <Email extends EmailOfBroadcast>(email: Email) => Promise<Email>
  /** Gives the content to people who look at the email: hidden parts are left out, and so is a text that was not given. */
  asBroadcastEmail: <Email extends ShownEmailOfBroadcast>(email: Email) => Promise<Email>
  /** A broadcast as a contact would get it. `mail`: what its email would have. */
  previewOf: (broadcast: BroadcastToPreview) => Promise<PreviewOfBroadcast>
  returnPathTokens: ReturnPathTokens
  trackingTokens: TrackingTokens
  webhookSecrets: WebhookSecretBox
  webhookFeed: WebhookFeedReader
  /** What the readers of tracked mail do. */
  trackedActs: TrackedActs
  /** Keyed by the ids of the emails that are being sent. */
  bodyHashes: BodyHashes
  /** A new key for the mail of a domain, to be stored. */
  makeDkimKey: (algorithm: DkimAlgorithm, teamId: string) => Promise<NewDkimKey>
  /**
   * Called after a commit that created work: messages, `broadcasts`, whose emails are to be made, or what `automations` are told. Workers of this process
   * look at once, and those of others soon.
   */
  wakeWorkers: (work?: 'broadcasts' | 'automations') => void
  /**
   * What a load balancer needs to know: for each part `ok`, or what is wrong. `queue` only while it is held after a restore, `storage` only with a bucket.
   * `schema`: the last migration of the tables, which may be newer than this program.
   */
  readiness: () => Promise<{ isReady: boolean; checks: Record<string, string>; schema: string | null }>
  /** Whether a newer version has changed the tables so that this process cannot work with them, and ends. */
  newerTables: {
    /** What the last look found. */
    areThere(): boolean
    look(): Promise<boolean>
  }
  /** Whether the service will stop in a moment: it still takes requests, and asks for no more of them. */
  isDraining: () => boolean
  /** What an operator needs to know: whether mail of this installation arrives. At most a minute old. */
  deliverability: () => Promise<DeliverabilityReport>
}
