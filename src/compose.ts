// Constructs the service on a database that open-database.ts has opened: what it consists of, in the parts that this process runs.
import type { Config } from './config/config.ts'
import { trackingUrlOf } from './config/environment.ts'
import type { Context } from './context.ts'
import { createWaking } from './db/leases/waking.ts'
import { createNewerTables } from './db/migrations/newer-tables.ts'
import type { OpenedDatabase } from './db/open-database.ts'
import { partitionedTables } from './db/partitions/daily-partitions.ts'
import { maintainPartitions, missingPartitions } from './db/partitions/partitions.ts'
import { consentPath, DEVICE } from './http/pages/paths.ts'
import { openBlobs } from './io/blobs/open-blobs.ts'
import type { Log } from './io/log.ts'
import { createMetrics } from './io/metrics.ts'
import { createCachedAnswer } from './lib/cache.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createRsaKeyPair, type KeyPair } from './lib/crypto/keys.ts'
import { createId } from './lib/ids.ts'
import { createLargeContentRoom } from './lib/limits/memory-plan.ts'
import { guardMainThread } from './lib/main-thread.ts'
import { pause } from './lib/poll-loop.ts'
import { createBodyHashes } from './mail/dkim/body-hash.ts'
import { createReadContents } from './mail/rendering/rendering.ts'
import { createKeyRecognition } from './modules/accounts/api-keys.service.ts'
import { createOperatorKeys } from './modules/accounts/operator-keys.ts'
import { createInstallationMailBox, createInstallationMails } from './modules/accounts/people/installation-mail.service.ts'
import { createAddressHash } from './modules/audience/address-hashes.ts'
import { createSegmentMetrics } from './modules/audience/segments/segment-metrics.service.ts'
import { unsubscribeUrl } from './modules/audience/unsubscribe/unsubscribe-links.service.ts'
import { createBroadcastContents } from './modules/broadcasts/broadcast-contents.service.ts'
import { checkDeliverability } from './modules/deliverability/deliverability.service.ts'
import { createProbes } from './modules/deliverability/probes.client.ts'
import { checkReadiness } from './modules/deliverability/readiness.service.ts'
import { feedbackSenderId } from './modules/delivery/feedback-sender-id.ts'
import { createReturnPathTokens } from './modules/delivery/return-path.ts'
import { createDkimKeyMaker, createSpareKeyPairs } from './modules/domains/dkim/dkim-keys.service.ts'
import type { MailTracking } from './modules/domains/domains.context.ts'
import { createSenderIdentitySearch } from './modules/domains/sender-identity.service.ts'
import { createQuotas } from './modules/limits/quotas.service.ts'
import { answerPage } from './modules/oauth/consent/consent.pages.ts'
import { createAuthorizationServer } from './modules/oauth/server/authorization-server.ts'
import { followDataKeys, openDataKeys, openSecretKey } from './modules/secrets/data-keys.service.ts'
import { createLinks } from './modules/secrets/links.ts'
import { createEventRecorder } from './modules/tracking/tracked-events.service.ts'
import { createTrackingTokens } from './modules/tracking/tracking-tokens.ts'
import { createWebhookFeed } from './modules/webhooks/feed/webhook-feed.service.ts'
import { createWebhookSecrets } from './modules/webhooks/webhook-secrets.ts'
import { createRepositories } from './repositories.ts'
import { announceProcess } from './server/announce-process.ts'
import { closeGateways, createGateways } from './server/gateways.ts'
import { boundHeapGrowth } from './server/heap-growth.ts'
import { createListeners, type ListenerOptions, type Listeners } from './server/listeners.ts'
import { openTelemetry } from './server/otlp-export.ts'
import { claimStorage } from './server/storage-owner.ts'
import { startWorker, type Worker } from './server/worker.ts'

export type Service = Listeners & {
  context: Context
  /** Null if this process does not have the role `worker`. */
  worker: Worker | null
  /** Resolves when a newer version has changed the tables so that this process has to end, with the name of the migration. */
  outdated: Promise<string>
  /**
   * Tells load balancers and kept connections that this process stops, and works on for DRAIN_SECONDS, so that they are elsewhere before it takes
   * nothing more. Deliveries that were claimed have that time to end, and other processes take the rest.
   */
  drain(): Promise<void>
  /** Ends in good order: no new requests, running work is finished or released, buffers are written, the database last. */
  close(): Promise<void>
}

export type ComposeOptions = ListenerOptions & {
  publicUrl: string
  clock?: Clock
  /** The port of the recipients' servers: 25, except in tests. */
  directPort?: number
  /** Free space on the disk of a folder; asked of the system, except in tests. */
  freeBytesOf?: (folder: string) => Promise<number>
  /** RSA key pairs that are kept ready for new domains, if this process serves the API. */
  spareKeyPairs?: number
  createKeyPair?: () => Promise<KeyPair>
  /** Whether work on a long text in the main thread fails, instead of being logged once. */
  failsAtLongTexts?: boolean
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
    failsAtLongTexts = false,
    ...listenerOptions
  }: ComposeOptions,
): Promise<Service> {
  boundHeapGrowth(config.memory.isLittle)
  const { database } = opened
  const { pool } = database
  const metrics = createMetrics(() => ({
    max: pool.connectionsMax,
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  const repositories = createRepositories(database, {
    clock,
    publicUrl,
    installation: config.installation,
    softBounces: config.softBounces,
    simulatorDomains: config.simulatorDomains,
    emailRetentionDays: config.emailRetentionDays,
    onLost(what, count, reason) {
      if (what === 'request logs') metrics.requestLogsLost.inc(count)
      log.error({ err: reason, count }, `${what} lost`)
    },
    onUnreadable: (unreadable) => log.error(unreadable, 'data of a notification not readable'),
  })
  const secretKey = await openSecretKey(config, repositories.dataKeys)
  const dataKeys = await openDataKeys(repositories.dataKeys, { secretKey, secretKeyPrevious: config.secretKeyPrevious })
  const store = await openBlobs(config, { clock, isChecked: true })
  await claimStorage(store, repositories.storageOwner)
  const gateways = createGateways(config, { clock, log, store, directPort, freeBytesOf, patience: database.patience })
  const telemetry = config.telemetry && (await openTelemetry(config.telemetry, { log, metrics, diskSpace: gateways.diskSpace }))
  const keyPairs = createSpareKeyPairs({
    spares: config.roles.includes('api') ? spareKeyPairs : 0,
    create: createKeyPair,
    onFailure: (error) => log.error({ err: error }, 'key pair not made'),
  })
  const trackingUrl = (host: string) => trackingUrlOf(host, { publicUrl, tls: config.tracking.tls })
  const links = createLinks(dataKeys.of, clock)
  const hashAddress = createAddressHash(dataKeys.of('opt-out').keys)
  const broadcastContents = createBroadcastContents({
    repositories,
    texts: gateways.texts,
    clock,
    unsubscribeUrlOf: (recipient) => unsubscribeUrl({ links, publicUrl, hashAddress }, recipient),
    viewUrlOf: (emailId) => `${publicUrl}/share/${links.sign('share', { emailId }, null)}`,
    feedbackSenderId: feedbackSenderId(dataKeys.of('opt-out').keys),
  })
  const storageAnswers = store.answers && createCachedAnswer(store.answers, { lifetimeMs: STORAGE_KEPT_MS, clock })
  const waking = createWaking(database)
  let worker: Worker | null = null
  let isDraining = false
  const newerTables = createNewerTables(database.pool)
  const processId = createId()
  const outdated = Promise.withResolvers<string>()
  let isOutdated = false
  const installationMailBox = createInstallationMailBox(() => dataKeys.of('installation-mail'))
  const context: Context = {
    largeContent: createLargeContentRoom(config.memory),
    ...{ config, publicUrl, clock, log, metrics, repositories, gateways, links, hashAddress },
    tracing: telemetry?.tracing ?? null,
    auditKeys: () => dataKeys.of('audit'),
    authorizationServer: createAuthorizationServer(
      { repositories, clock, publicUrl, log, documents: gateways.clientDocuments },
      { versionsOf: () => dataKeys.of('oauth'), consentPath, devicePath: DEVICE, answerPage },
    ),
    quotas: createQuotas({ repositories, clock, processId }),
    keyRecognition: createKeyRecognition({ repositories, config, clock }),
    operatorKeys: createOperatorKeys({ keys: config.operatorKeys, clock }),
    installationMails: createInstallationMails({
      ...{ config, log, box: installationMailBox, repository: repositories.installationMails },
      show: process.stdout.isTTY ? (line) => void process.stdout.write(`${line}\n`) : null,
      wake: () => context.wakeWorkers('installation mails'),
    }),
    installationMailBox,
    segmentMetrics: createSegmentMetrics({ repositories, clock }),
    templateContents: createReadContents(),
    withBroadcastContent: broadcastContents.forMail,
    asBroadcastEmail: broadcastContents.forReaders,
    previewOf: broadcastContents.preview,
    countBroadcasts: repositories.broadcasts.countWith,
    countTemplates: repositories.templates.countWith,
    broadcastNames: repositories.broadcasts.namesOf,
    recordUnsubscribed: repositories.emails.recordUnsubscribed,
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
    trackedEvents: createEventRecorder({
      repository: repositories.trackedEvents,
      storesAddresses: config.tracking.storesAddresses,
      clock,
      linksAsWritten: broadcastContents.linksAsWritten,
      onRecorded(events) {
        for (const { kind, machineRule } of events) metrics.trackedEvents.inc({ kind, by: machineRule === null ? 'person' : 'machine' })
      },
      onLeftOut: (count, reason) => metrics.trackedEventsLeftOut.inc({ reason }, count),
      onLost(count, reason) {
        metrics.trackedEventsLost.inc(count)
        log.error({ err: reason, count }, 'opens and clicks lost')
      },
    }),
    bodyHashes: createBodyHashes(),
    makeDkimKey: createDkimKeyMaker({ takeRsaKeyPair: keyPairs.take, versionsOf: () => dataKeys.of('dkim'), clock }),
    wakeWorkers(work) {
      // Rare, so others look for these by themselves.
      if (work === 'installation mails') return worker?.wake(work)
      worker?.wake(work === 'broadcasts' ? 'all' : work)
      waking.notifyOthers()
    },
    newerTables: {
      areThere: () => isOutdated,
      async look() {
        const migration = await newerTables.find()
        if (migration === null) return isOutdated
        isOutdated = true
        outdated.resolve(migration)
        return true
      },
    },
    isDraining: () => isDraining,
    readiness: () =>
      checkReadiness({
        isStopping: () => isDraining || isOutdated,
        ...{ repositories, diskSpace: gateways.diskSpace, worker, storageAnswers },
        missingPartitions: () => missingPartitions(database.pool, partitionedTables, clock.now()),
      }),
    deliverability: createCachedAnswer(
      () =>
        checkDeliverability({
          config,
          probes: createProbes(config, { patience: database.patience, ...(directPort !== undefined && { mailPort: directPort }) }),
          repositories,
          clock,
        }),
      { lifetimeMs: DELIVERABILITY_KEPT_MS, clock },
    ),
  }

  const { listeners, close: closeListeners } = await createListeners(context, listenerOptions)
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
  const announced = await announceProcess(context, { id: processId, knows: newerTables.knows })
  const followingKeys = followDataKeys(dataKeys, { log })
  const guard = guardMainThread(failsAtLongTexts ? fail : logOnce(log))

  return {
    ...listeners,
    context,
    worker,
    outdated: outdated.promise,
    async drain() {
      if (config.drainSeconds === 0) return
      isDraining = true
      listeners.inbound?.drain()
      listeners.submission?.drain()
      const drained = worker?.drain()
      const over = pause(config.drainSeconds * 1_000)
      // A process with workers alone has no clients that have to be elsewhere.
      const isServing = config.roles.includes('api') || config.roles.includes('inbound')
      await (isServing ? over : Promise.race([over, drained]))
    },
    async close() {
      context.webhookFeed.end()
      await Promise.all([closeListeners(), worker?.stop(), gateways.relay?.close(), gateways.direct?.delivery.close()])
      await Promise.all([announced.stop(), waking.close(), followingKeys.stop(), keyPairs.stop()])
      guard.end()
      await Promise.allSettled([
        context.trackedEvents.flush(),
        repositories.requestLogs.flush(),
        repositories.apiKeys.flush(),
        closeGateways(gateways),
        telemetry?.close(),
      ])
      await opened.close()
    },
  }
}

function fail(error: Error): never {
  throw error
}

/** What was forgotten costs time, and no mail. */
function logOnce(log: Log): (error: Error) => void {
  let isLogged = false
  return (error) => {
    if (!isLogged) log.warn({ err: error }, 'long text processed in the main thread')
    isLogged = true
  }
}

function defaultTracking({ tracking, installation }: Config, urlOf: (host: string) => string): MailTracking | null {
  const { opens, clicks } = tracking.byDefault
  return opens || clicks ? { baseUrl: urlOf(installation.trackingHost), domainId: null, opens, clicks } : null
}
