// Constructs the service on a database that open-database.ts has opened: what it consists of, in the parts that this process runs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Context, MailTracking } from './context.ts'
import { createNewerTables } from './database/migrations/newer-tables.ts'
import { partitionedTables } from './database/partitions/daily-partitions.ts'
import { maintainPartitions, missingPartitions } from './database/partitions/partitions.ts'
import { createProbes } from './deliverability.ts'
import { openBlobs } from './gateways/bucket/open-blobs.ts'
import { closeGateways, createGateways } from './gateways/gateways.ts'
import { boundHeapGrowth } from './heap-growth.ts'
import { createAddressHash } from './lib/audience/address-hashes.ts'
import { createCachedAnswer } from './lib/cached-answer.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createLargeContentRoom } from './lib/limits/memory-plan.ts'
import { guardMainThread } from './lib/main-thread.ts'
import { createMetrics } from './lib/metrics.ts'
import { trackingUrlOf } from './lib/public-url.ts'
import { feedbackSenderId } from './lib/signing/feedback-sender-id.ts'
import { createRsaKeyPair, type KeyPair } from './lib/signing/key-pairs.ts'
import { createLinks } from './lib/signing/links.ts'
import { createReturnPathTokens } from './lib/signing/return-path-tokens.ts'
import { createSpareKeyPairs } from './lib/signing/spare-key-pairs.ts'
import { createTrackingTokens } from './lib/signing/tracking-tokens.ts'
import { createWebhookSecrets } from './lib/signing/webhook-secrets.ts'
import { createListeners, type ListenerOptions, type Listeners } from './listeners.ts'
import { createBodyHashes } from './mail/dkim/body-hashes.ts'
import { createReadContents } from './mail/rendering/read-contents.ts'
import { createAuthorizationServer } from './oauth/authorization-server.ts'
import type { OpenedDatabase } from './open-database.ts'
import { openTelemetry } from './otlp-export.ts'
import { answerPage } from './pages/consent/answer-page.ts'
import { consentPath } from './pages/shell/sections.ts'
import type { Log } from './process-log.ts'
import { createWaking } from './repositories/engine/waking.ts'
import { createRepositories } from './repositories/repositories.ts'
import { secretKeyOf } from './secret-key.ts'
import { createBroadcastContents } from './services/broadcast-contents.ts'
import { checkDeliverability } from './services/check-deliverability.ts'
import { checkReadiness } from './services/check-readiness.ts'
import { createSenderIdentitySearch } from './services/find-sender-identity.ts'
import { createDkimKeyMaker } from './services/make-dkim-key.ts'
import { openDataKeys } from './services/open-data-keys.ts'
import { createWebhookFeed } from './services/read-webhook-feed.ts'
import { createKeyRecognition } from './services/recognize-keys.ts'
import { createTrackedActs } from './services/record-tracked-acts.ts'
import { createSegmentMetrics } from './services/segment-metrics.ts'
import { unsubscribeUrl } from './services/unsubscribe-links.ts'
import { claimStorage } from './storage-owner.ts'
import { announceProcess } from './workers/announce-process.ts'
import { followDataKeys } from './workers/follow-data-keys.ts'
import { startWorker, type Worker } from './workers/worker.ts'

export type Service = Listeners & {
  context: Context
  /** Null if this process does not have the role `worker`. */
  worker: Worker | null
  /** Resolves when a newer version has changed the tables so that this process has to end, with the name of the migration. */
  outdated: Promise<string>
  /**
   * Tells load balancers and kept connections that this process stops, and works on for DRAIN_SECONDS, so that they are elsewhere before it takes
   * nothing more.
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
    installation: config.installation,
    softBounces: config.softBounces,
    onLost(what, count, reason) {
      if (what === 'request logs') metrics.requestLogsLost.inc(count)
      log.error({ err: reason, count }, `${what} lost`)
    },
    onUnreadable: (unreadable) => log.error(unreadable, 'data of a notification not readable'),
  })
  const secretKey = await secretKeyOf(config, repositories.dataKeys)
  const dataKeys = await openDataKeys(repositories.dataKeys, { secretKey, secretKeyPrevious: config.secretKeyPrevious })
  const store = await openBlobs(config, { clock, isChecked: true })
  await claimStorage(store, repositories.storageOwner)
  const gateways = createGateways(config, { clock, log, store, directPort, freeBytesOf })
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
  const outdated = Promise.withResolvers<string>()
  let isOutdated = false
  const context: Context = {
    largeContent: createLargeContentRoom(config.memory),
    ...{ config, publicUrl, clock, log, metrics, repositories, gateways, links, hashAddress },
    tracing: telemetry?.tracing ?? null,
    authorizationServer: createAuthorizationServer(
      { repositories, clock, publicUrl, log, documents: gateways.clientDocuments },
      { versionsOf: () => dataKeys.of('oauth'), consentPath, answerPage },
    ),
    keyRecognition: createKeyRecognition({ repositories, config, clock }),
    segmentMetrics: createSegmentMetrics({ repositories, clock }),
    templateContents: createReadContents(),
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
          probes: createProbes(config, directPort === undefined ? {} : { mailPort: directPort }),
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
  const announced = await announceProcess(context, newerTables)
  const followingKeys = followDataKeys(dataKeys, { log })
  const guard = guardMainThread(failsAtLongTexts ? fail : logOnce(log))

  return {
    ...listeners,
    context,
    worker,
    outdated: outdated.promise,
    async drain() {
      // A process with workers alone has no clients.
      const isServing = config.roles.includes('api') || config.roles.includes('inbound')
      if (config.drainSeconds === 0 || !isServing) return
      isDraining = true
      listeners.inbound?.drain()
      listeners.submission?.drain()
      await sleep(config.drainSeconds * 1_000, undefined, { ref: false })
    },
    async close() {
      context.webhookFeed.end()
      await Promise.all([closeListeners(), worker?.stop(), gateways.relay?.close(), gateways.direct?.delivery.close()])
      await Promise.all([announced.stop(), waking.close(), followingKeys.stop(), keyPairs.stop()])
      guard.end()
      await Promise.allSettled([
        context.trackedActs.flush(),
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
    if (!isLogged) log.warn({ err: error }, 'long text worked on in the main thread')
    isLogged = true
  }
}

function defaultTracking({ tracking, installation }: Config, urlOf: (host: string) => string): MailTracking | null {
  const { opens, clicks } = tracking.byDefault
  return opens || clicks ? { baseUrl: urlOf(installation.trackingHost), domainId: null, opens, clicks } : null
}
