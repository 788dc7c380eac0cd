// Constructs the service on a database that open-database.ts has opened: repositories, gateways, and the parts that this process runs.
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import type { Context, MailTracking } from './context.ts'
import { partitionedTables } from './database/partitions/daily-partitions.ts'
import { maintainPartitions, missingPartitions } from './database/partitions/partitions.ts'
import { createProbes } from './deliverability.ts'
import { openBlobs } from './gateways/bucket/open-blobs.ts'
import { createRecordLookup } from './gateways/dns/record-lookup.ts'
import { openCertificateFiles } from './gateways/files/certificate-files.ts'
import { createDiskSpace, type DiskSpace } from './gateways/files/disk-space.ts'
import { createMessageFilter } from './gateways/received/message-filter.ts'
import { createReceivedReader } from './gateways/received/received-reader.ts'
import { createReportReader } from './gateways/report-reader.ts'
import { createDirectDelivery } from './gateways/smtp/direct-delivery.ts'
import { createMtaSts, createMtaStsMemory } from './gateways/smtp/mta-sts.ts'
import { createMxDirectory, type MxSet } from './gateways/smtp/mx-directory.ts'
import { createMailDns } from './gateways/smtp/mx-dns.ts'
import { createSmtpRelay } from './gateways/smtp/smtp-relay.ts'
import { createSubmissionReader } from './gateways/submission/submission-reader.ts'
import type { Telemetry, TelemetrySettings } from './gateways/telemetry/telemetry.ts'
import { createClientDocuments } from './gateways/web/client-documents.ts'
import { createIdentityProvider } from './gateways/web/identity-provider.ts'
import { createRemoteFiles } from './gateways/web/remote-files.ts'
import { createWebhookEndpoints } from './gateways/web/webhook-endpoints.ts'
import { createWebhookRequests } from './gateways/web/webhook-requests.ts'
import { createHealthListener } from './health-listener.ts'
import { boundHeapGrowth } from './heap-growth.ts'
import { createInboundServer } from './inbound/inbound-server.ts'
import type { InboundLimits } from './inbound/limits.ts'
import type { CertificateSource, SmtpServer } from './inbound/smtp-server.ts'
import { createSubmissionServer } from './inbound/submission/submission-server.ts'
import { createAddressHash } from './lib/audience/address-hashes.ts'
import { createCachedAnswer } from './lib/cached-answer.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { heldWords } from './lib/held-words.ts'
import { createMetrics, type Metrics, sampleDisk } from './lib/metrics.ts'
import { trackingUrlOf } from './lib/public-url.ts'
import { createRsaKeyPair, type KeyPair } from './lib/signing/key-pairs.ts'
import { createLinks } from './lib/signing/links.ts'
import { createReturnPathTokens } from './lib/signing/return-path-tokens.ts'
import { createSpareKeyPairs } from './lib/signing/spare-key-pairs.ts'
import { createTrackingTokens } from './lib/signing/tracking-tokens.ts'
import { createWebhookSecrets } from './lib/signing/webhook-secrets.ts'
import { createDestinationLimits } from './mail/destination-limits.ts'
import { createBodyHashes } from './mail/dkim/body-hashes.ts'
import { createReadContents } from './mail/rendering/read-contents.ts'
import { createAuthorizationServer } from './oauth/authorization-server.ts'
import type { OpenedDatabase } from './open-database.ts'
import { answerPage } from './pages/consent/answer-page.ts'
import { consentPath } from './pages/shell/sections.ts'
import { createLog, type Log } from './process-log.ts'
import { openDatabase } from './repositories/database.ts'
import { createWaking } from './repositories/engine/waking.ts'
import { createRepositories } from './repositories/repositories.ts'
import { secretKeyOf } from './secret-key.ts'
import { createBroadcastContents } from './services/broadcast-contents.ts'
import { checkDeliverability } from './services/check-deliverability.ts'
import { createSenderIdentitySearch } from './services/find-sender-identity.ts'
import { createDkimKeyMaker } from './services/make-dkim-key.ts'
import { openDataKeys } from './services/open-data-keys.ts'
import { createWebhookFeed } from './services/read-webhook-feed.ts'
import { createKeyRecognition } from './services/recognize-keys.ts'
import { createTrackedActs } from './services/record-tracked-acts.ts'
import { createSegmentMetrics } from './services/segment-metrics.ts'
import { unsubscribeUrl } from './services/unsubscribe-links.ts'
import { claimStorage } from './storage-owner.ts'
import { createTrackingListener, type TrackingListener } from './tracking-listener.ts'
import { followDataKeys } from './workers/follow-data-keys.ts'
import { startWorker, type Worker } from './workers/worker.ts'

export type Service = {
  context: Context
  /** The HTTP application, not listening yet; null if this process does not have the role `api`. */
  app: FastifyInstance | null
  /** Answers /health and /metrics, not listening yet; null unless it is configured and this process does not have the role `api`. */
  health: FastifyInstance | null
  worker: Worker | null
  /** The SMTP server, not listening yet; null if this process does not have the role `inbound`. */
  inbound: SmtpServer | null
  /** Where mail is handed in over SMTP, not listening yet; null unless it is configured and this process has the role `api`. */
  submission: SmtpServer | null
  /** Answers tracked links over TLS, not listening yet; null unless it is configured and this process has the role `api`. */
  tracking: TrackingListener | null
  /** Ends in good order: no new requests, running work is finished or released, buffers are written, the database last. */
  close(): Promise<void>
}

export type ComposeOptions = {
  publicUrl: string
  clock?: Clock
  /** The port of the recipients' servers: 25, except in tests. */
  directPort?: number
  /** Free space on the disk of a folder; asked of the system, except in tests. */
  freeBytesOf?: (folder: string) => Promise<number>
  /** RSA key pairs that are kept ready for new domains, if this process serves the API. */
  spareKeyPairs?: number
  createKeyPair?: () => Promise<KeyPair>
  /** What peers of the SMTP server may do, where tests change it. */
  inboundLimits?: Partial<InboundLimits>
  /** What clients that hand in mail may do, where tests change it. */
  submissionLimits?: Partial<InboundLimits>
}

/** A check connects to other people's servers. */
const DELIVERABILITY_KEPT_MS = 60_000

/** Anyone may ask for the health, and every look is a request to the store. */
const STORAGE_KEPT_MS = 5_000

/** The number of domains that can be registered at once. Making a pair takes up to a second. */
const SPARE_KEY_PAIRS = 4

export async function compose(
  config: Config,
  opened: OpenedDatabase,
  log: Log,
  {
    publicUrl,
    clock = systemClock,
    directPort,
    freeBytesOf,
    spareKeyPairs = SPARE_KEY_PAIRS,
    createKeyPair = createRsaKeyPair,
    inboundLimits,
    submissionLimits,
  }: ComposeOptions,
): Promise<Service> {
  boundHeapGrowth()
  const { database } = opened
  const metrics = createMetrics()
  const repositories = createRepositories(database, {
    clock,
    installation: config.installation,
    onLost(what, count, reason) {
      if (what === 'request logs') metrics.requestLogsLost.inc(count)
      log.error({ err: reason, count }, `${what} lost`)
    },
    onUnreadable: (unreadable) => log.error(unreadable, 'data of a notification not readable'),
  })
  const secretKey = await secretKeyOf(config, repositories.dataKeys)
  const dataKeys = await openDataKeys(repositories.dataKeys, { secretKey, secretKeyPrevious: config.secretKeyPrevious })
  const direct = config.delivery === 'direct' ? createDirect(config, { clock, log, port: directPort }) : null
  const relay = config.smtpRelayUrl === null || config.delivery !== 'relay' ? null : createRelay(config, config.smtpRelayUrl, clock)
  const waking = createWaking(database)
  const keyPairs = createSpareKeyPairs({
    spares: config.roles.includes('api') ? spareKeyPairs : 0,
    create: createKeyPair,
    onFailure: (error) => log.error({ err: error }, 'key pair not made'),
  })
  const diskSpace = createDiskSpace({
    folders: config.databaseUrl === null ? [config.blobFolder, config.dataDir] : [config.blobFolder],
    clock,
    ...(freeBytesOf && { freeBytesOf }),
    onCrossing({ isLow, freeBytes }) {
      if (isLow) log.warn({ freeBytes }, 'disk almost full, new emails are refused')
      else log.info({ freeBytes }, 'disk has room again')
    },
  })
  const telemetry = config.telemetry && (await openTelemetry(config.telemetry, { log, metrics, diskSpace }))
  const trackingUrl = (host: string) => trackingUrlOf(host, { publicUrl, tls: config.tracking.tls })
  const domainDns = createRecordLookup({ dnsServers: config.dnsServers })
  const links = createLinks(dataKeys.of, clock)
  const hashAddress = createAddressHash(dataKeys.of('opt-out').keys)
  const broadcastContents = createBroadcastContents({
    repositories,
    clock,
    unsubscribeUrlOf: (recipient) => unsubscribeUrl({ links, publicUrl, hashAddress }, recipient),
    viewUrlOf: (emailId) => `${publicUrl}/share/${links.sign('share', { emailId }, null)}`,
  })
  const clientDocuments = createClientDocuments({ allowPrivateNetworks: config.allowPrivateNetworks })
  let worker: Worker | null = null
  const { blobs, mark, answers } = await openBlobs(config, { clock, isChecked: true })
  await claimStorage({ mark, blobs }, repositories.storageOwner)
  const storageAnswers = answers && createCachedAnswer(answers, { lifetimeMs: STORAGE_KEPT_MS, clock })
  const context: Context = {
    config,
    publicUrl,
    clock,
    log,
    metrics,
    tracing: telemetry?.tracing ?? null,
    repositories,
    gateways: {
      blobs,
      storeMark: mark,
      clientDocuments,
      diskSpace,
      domainDns,
      identityProvider: config.oidc && createIdentityProvider(config.oidc),
      remoteFiles: createRemoteFiles({ allowPrivateNetworks: config.allowPrivateNetworks }),
      webhookEndpoints: createWebhookEndpoints({ allowPrivateNetworks: config.allowPrivateNetworks, dns: domainDns }),
      reports: createReportReader(),
      received: createReceivedReader(
        { blobFolder: config.blobFolder, bucket: config.bucket, dnsServers: config.dnsServers, mailHostname: config.mailHostname },
        { onLoss: ({ error, ...loss }) => log.error({ err: error, ...loss }, 'thread that reads received messages ended') },
      ),
      submissions: createSubmissionReader({
        blobs,
        blobFolder: config.blobFolder,
        bucket: config.bucket,
        onLoss: ({ error, ...loss }) => log.error({ err: error, ...loss }, 'thread that reads messages that were handed in ended'),
      }),
      filter:
        config.inboundFilterUrl === null
          ? null
          : createMessageFilter({
              url: new URL(config.inboundFilterUrl),
              onFailure: (error) => log.warn({ err: error }, 'received email not checked: the filter did not answer'),
            }),
      webhookRequests: createWebhookRequests({ allowPrivateNetworks: config.allowPrivateNetworks, now: clock.now }),
      relay,
      direct,
    },
    authorizationServer: createAuthorizationServer(
      { repositories, clock, publicUrl, log, documents: clientDocuments },
      { versionsOf: () => dataKeys.of('oauth'), consentPath, answerPage },
    ),
    keyRecognition: createKeyRecognition({ repositories, config, clock }),
    segmentMetrics: createSegmentMetrics({ repositories, clock }),
    templateContents: createReadContents(),
    links,
    hashAddress,
    withBroadcastContent: broadcastContents.forMail,
    asBroadcastEmail: broadcastContents.forReaders,
    previewOf: broadcastContents.preview,
    senderIdentityOf: createSenderIdentitySearch({
      sendingDomains: repositories.sendingDomains,
      dkimKeys: repositories.dkimKeys,
      versionsOf: () => dataKeys.of('dkim'),
      trackingUrlOf: trackingUrl,
      defaultTracking: defaultTracking(config, trackingUrl),
      clock,
      log,
    }),
    returnPathTokens: createReturnPathTokens(() => dataKeys.of('return-path')),
    trackingTokens: createTrackingTokens(() => dataKeys.of('tracking')),
    webhookSecrets: createWebhookSecrets(() => dataKeys.of('webhook')),
    webhookFeed: createWebhookFeed({ repositories, clock, config }),
    trackedActs: createTrackedActs({
      repository: repositories.trackedActs,
      storesAddresses: config.tracking.storesAddresses,
      clock,
      linksAsWritten: broadcastContents.linksAsWritten,
      onRecorded(acts) {
        for (const { kind, machineRule } of acts) metrics.trackedActs.inc({ kind, by: machineRule === null ? 'person' : 'machine' })
      },
      onLeftOut: (count, reason) => metrics.trackedActsLeftOut.inc({ reason }, count),
      onLost(count, reason) {
        metrics.trackedActsLost.inc(count)
        log.error({ err: reason, count }, 'opens and clicks lost')
      },
    }),
    bodyHashes: createBodyHashes(),
    makeDkimKey: createDkimKeyMaker({ takeRsaKeyPair: keyPairs.take, versionsOf: () => dataKeys.of('dkim'), clock }),
    wakeWorkers(work) {
      worker?.wake(work === 'broadcasts' ? 'all' : work)
      waking.notifyOthers()
    },
    async readiness() {
      const disk = await diskSpace.isLow().then(
        (isLow) => (isLow ? 'almost full' : 'ok'),
        () => 'cannot be looked at',
      )
      if (!(await repositories.health.answers())) return { isReady: false, checks: { database: 'does not answer', disk }, schema: null }
      const missing = await missingPartitions(database.pool, partitionedTables, clock.now())
      const heldSince = await repositories.queuePauses.heldSinceBackupAcrossTeams()
      const checks = { database: 'ok', disk, ...(worker && { worker: worker.isRunning() ? 'ok' : 'has no lease' }) }
      return {
        isReady: Object.values(checks).every((check) => check === 'ok'),
        schema: await repositories.health.schema(),
        // The first row of a day makes the missing partition. Operators should look at the workers, but requests need not go elsewhere.
        checks: {
          ...checks,
          partitions: missing.length === 0 ? 'ok' : `made when needed: ${missing.join(', ')}`,
          // Other processes would ask the same store, and emails without files need none.
          ...(storageAnswers && { storage: (await storageAnswers()) ? 'ok' : 'does not answer' }),
          // What is accepted is kept, so requests need not go elsewhere.
          ...(heldSince && { queue: heldWords(heldSince) }),
        },
      }
    },
    deliverability: createCachedAnswer(
      () =>
        checkDeliverability({
          config,
          probes: createProbes(config, directPort === undefined ? {} : { mailPort: directPort }),
          repositories,
          clock,
        }),
      { lifetimeMs: DELIVERABILITY_KEPT_MS, clock },
    ),
  }

  const app = config.roles.includes('api') ? await buildApp(context) : null
  const tracking = app && (await trackingListenerOf(app, config, log))
  const health = app === null && config.healthPort !== null ? await createHealthListener(context) : null
  if (config.roles.includes('worker')) {
    worker = startWorker(context, {
      pool: database.pool,
      async maintainPartitions({ dropsOld }) {
        const retentionDays = dropsOld ? config.logRetentionDays : null
        const { created, dropped } = await maintainPartitions(database.pool, { tables: partitionedTables, now: clock.now(), retentionDays })
        if (created.length + dropped.length > 0) log.info({ created, dropped }, 'partitions maintained')
      },
    })
    waking.listen((work) => worker?.wake(work))
  }

  const takesSubmissions = app !== null && (config.submissionPort !== null || config.submissionsPort !== null)
  const receives = config.roles.includes('inbound')
  const certificate = receives || takesSubmissions ? await certificateOf(config, { clock, log }) : null
  const inbound =
    certificate && receives ? createInboundServer(context, { certificate, ...(inboundLimits && { limits: inboundLimits }) }) : null
  const submission =
    certificate && takesSubmissions
      ? createSubmissionServer(context, { certificate, ...(submissionLimits && { limits: submissionLimits }) })
      : null

  const followingKeys = followDataKeys(dataKeys, { log })

  return {
    context,
    app,
    health,
    worker,
    inbound,
    submission,
    tracking,
    async close() {
      context.webhookFeed.end()
      await Promise.all([
        app && closeApp(app),
        health && closeApp(health),
        tracking?.close(),
        worker?.stop(),
        inbound?.close(),
        submission?.close(),
        relay?.close(),
        direct?.delivery.close(),
      ])
      await Promise.all([waking.close(), followingKeys.stop(), keyPairs.stop(), certificate?.stop()])
      await Promise.allSettled([
        context.trackedActs.flush(),
        repositories.requestLogs.flush(),
        repositories.apiKeys.flush(),
        clientDocuments.close(),
        context.gateways.remoteFiles.close(),
        context.gateways.reports.close(),
        context.gateways.received.close(),
        context.gateways.submissions.close(),
        context.gateways.webhookRequests.close(),
        telemetry?.close(),
      ])
      await opened.close()
    },
  }
}

/** Loaded only where it is wanted: without it, nothing of OpenTelemetry's takes memory or time. */
async function openTelemetry(
  settings: TelemetrySettings,
  { log, metrics, diskSpace }: { log: Log; metrics: Metrics; diskSpace: DiskSpace },
): Promise<Telemetry> {
  const { createTelemetry } = await import('./gateways/telemetry/telemetry.ts')
  return createTelemetry(settings, {
    async readSeries() {
      await sampleDisk(metrics, diskSpace)
      return metrics.registry.getMetricsAsJSON()
    },
    onLost: (signal, reason, count) => metrics.telemetryLost.inc({ signal, reason }, count),
    onProblem: (problem, { error, ...facts }) => log.warn({ ...(error !== undefined && { err: error }), ...facts }, problem),
    onRecovery: (recovery) => log.info(recovery),
  })
}

async function trackingListenerOf(app: FastifyInstance, { tracking: { tls } }: Config, log: Log): Promise<TrackingListener | null> {
  if (tls === null) return null
  const certificate = await openCertificateFiles({
    ...tls,
    variables: { cert: 'TRACKING_TLS_CERT', key: 'TRACKING_TLS_KEY' },
    onProblem: (error) => log.warn({ err: error }, 'certificate of the tracking hosts not replaced: its files do not fit together'),
  })
  return createTrackingListener(app.routing, certificate)
}

function defaultTracking({ tracking, installation }: Config, urlOf: (host: string) => string): MailTracking | null {
  const { opens, clicks } = tracking.byDefault
  return opens || clicks ? { baseUrl: urlOf(installation.trackingHost), domainId: null, opens, clicks } : null
}

/** Requests that take longer than this are cut off, so that the rest of the service has its time to stop. */
const LAST_REQUESTS_MS = 5_000

async function closeApp(app: FastifyInstance): Promise<void> {
  const cuttingOff = setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS)
  await app.close()
  clearTimeout(cuttingOff)
}

async function certificateOf(
  { inboundTls, mailHostname }: Config,
  { clock, log }: { clock: Clock; log: Log },
): Promise<CertificateSource & { stop(): Promise<void> }> {
  if (inboundTls !== null)
    return openCertificateFiles({
      ...inboundTls,
      variables: { cert: 'INBOUND_TLS_CERT', key: 'INBOUND_TLS_KEY' },
      onProblem: (error) => log.warn({ err: error }, 'certificate of the SMTP server not replaced: its files do not fit together'),
    })
  // Loaded only where it is needed: most of its work is done at the import.
  const { createSelfSignedCertificate } = await import('./lib/signing/self-signed-certificate.ts')
  const certificate = await createSelfSignedCertificate(mailHostname, clock.now())
  return { current: () => certificate, follow: () => {}, stop: async () => {} }
}

const createRelay = (config: Config, url: string, clock: Clock) =>
  createSmtpRelay({ url, helloName: config.mailHostname, connectionsMax: config.smtpRelayConnections, clock })

function createDirect(config: Config, { clock, log, port }: { clock: Clock; log: Log; port: number | undefined }) {
  const guard = { allowPrivateNetworks: config.allowPrivateNetworks }
  const dns = createMailDns({ dnsServers: config.dnsServers, clock })
  const limits = createDestinationLimits(config.destinationLimits)
  const limitOf = (set: MxSet) => limits(set.hosts.map(({ name }) => name))
  return {
    directory: createMxDirectory({ dnsServers: config.dnsServers, dns, clock }),
    limitOf,
    delivery: createDirectDelivery({
      helloName: config.mailHostname,
      guard,
      limitsOf: limitOf,
      mtaSts: createMtaSts({ dns, guard, cache: createMtaStsMemory({ clock }), clock }),
      onPolicyFinding: (finding) => log.warn(finding, 'MTA-STS policy in testing mode not met'),
      clock,
      ...(port !== undefined && { port }),
    }),
  }
}

/** The OpenAPI document, from an application without connections. */
export async function describeApi(): Promise<object> {
  const config = readConfig({})
  const log = createLog({ logLevel: 'silent' })
  const database = openDatabase({ databaseUrl: 'postgres://nowhere.invalid', onError: () => {} })
  const nowhere = () => Promise.reject(new Error('This application only describes itself'))
  const app = await buildApp({
    config,
    publicUrl: 'http://localhost:3000',
    clock: systemClock,
    log,
    metrics: createMetrics(),
    tracing: null,
    repositories: createRepositories(database, {
      clock: systemClock,
      installation: config.installation,
      onLost: () => {},
      onUnreadable: () => {},
    }),
    gateways: {
      blobs: {
        put: nowhere,
        putBeside: () => ({ put: nowhere, end: nowhere }),
        copy: nowhere,
        open: nowhere,
        remove: nowhere,
        discard: nowhere,
        size: nowhere,
        keysBefore: async function* () {},
        removeLeftovers: nowhere,
      },
      storeMark: { where: '', read: nowhere, write: nowhere },
      clientDocuments: { fetchDocument: nowhere, close: nowhere },
      diskSpace: { isLow: async () => false, freeBytes: async () => 0, use: () => {} },
      domainDns: { ask: nowhere },
      identityProvider: null,
      remoteFiles: createRemoteFiles({ allowPrivateNetworks: false }),
      webhookEndpoints: { problemOf: nowhere },
      reports: createReportReader(),
      received: { read: nowhere, close: async () => {} },
      submissions: { read: nowhere, close: async () => {} },
      filter: null,
      webhookRequests: createWebhookRequests({ allowPrivateNetworks: false }),
      relay: null,
      direct: null,
    },
    authorizationServer: { handle: nowhere, requestOf: nowhere, decide: nowhere, recognize: nowhere },
    keyRecognition: { recognize: nowhere, countFailure: () => null, countRequest: () => null },
    segmentMetrics: nowhere,
    templateContents: nowhere,
    links: createLinks(() => ({ signing: null, keys: new Map() }), systemClock),
    hashAddress: createAddressHash(new Map([[1, Buffer.alloc(32)]])),
    withBroadcastContent: nowhere,
    asBroadcastEmail: nowhere,
    previewOf: nowhere,
    senderIdentityOf: nowhere,
    returnPathTokens: createReturnPathTokens(() => ({ signing: null, keys: new Map() })),
    trackingTokens: createTrackingTokens(() => ({ signing: null, keys: new Map() })),
    webhookSecrets: createWebhookSecrets(() => ({ signing: null, keys: new Map() })),
    webhookFeed: { read: nowhere, end: () => {} },
    trackedActs: { add: () => {}, flush: nowhere },
    bodyHashes: createBodyHashes(),
    makeDkimKey: nowhere,
    wakeWorkers: () => {},
    readiness: async () => ({ isReady: false, checks: {}, schema: null }),
    deliverability: nowhere,
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  await database.close()
  return document
}
