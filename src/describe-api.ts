// How the API describes itself: its application is built without a database, and asked for its document.
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { createReportReader } from './gateways/report-reader.ts'
import { createRemoteFiles } from './gateways/web/remote-files.ts'
import { createWebhookRequests } from './gateways/web/webhook-requests.ts'
import { createAddressHash } from './lib/audience/address-hashes.ts'
import { systemClock } from './lib/clock.ts'
import { createLargeContentRoom } from './lib/limits/memory-plan.ts'
import { createMetrics } from './lib/metrics.ts'
import { createLinks } from './lib/signing/links.ts'
import { createReturnPathTokens } from './lib/signing/return-path-tokens.ts'
import { createTrackingTokens } from './lib/signing/tracking-tokens.ts'
import { createWebhookSecrets } from './lib/signing/webhook-secrets.ts'
import { createBodyHashes } from './mail/dkim/body-hashes.ts'
import { createLog } from './process-log.ts'
import { openDatabase } from './repositories/database.ts'
import { createRepositories } from './repositories/repositories.ts'

/** The OpenAPI document, from an application without connections. */
export async function describeApi(): Promise<object> {
  const config = readConfig({})
  const log = createLog({ logLevel: 'silent' })
  const database = openDatabase({ databaseUrl: 'postgres://nowhere.invalid', onError: () => {} })
  const nowhere = () => Promise.reject(new Error('This application only describes itself'))
  const app = await buildApp({
    config,
    largeContent: createLargeContentRoom(config.memory),
    publicUrl: 'http://localhost:3000',
    clock: systemClock,
    log,
    metrics: createMetrics(),
    tracing: null,
    repositories: createRepositories(database, {
      clock: systemClock,
      installation: config.installation,
      softBounces: config.softBounces,
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
      texts: { do: nowhere, fillTemplate: nowhere, close: async () => {} },
      filter: null,
      webhookRequests: createWebhookRequests({ allowPrivateNetworks: false }),
      relay: null,
      direct: null,
    },
    authorizationServer: { handle: nowhere, requestOf: nowhere, decide: nowhere, recognize: nowhere },
    keyRecognition: { recognize: nowhere, countFailure: () => null, countRequest: () => null, countBytes: () => null },
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
    newerTables: { areThere: () => false, look: async () => false },
    isDraining: () => false,
    readiness: async () => ({ isReady: false, checks: {}, schema: null }),
    deliverability: nowhere,
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  await database.close()
  return document
}
