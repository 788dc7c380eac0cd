// All gateways of the service, on the store that open-blobs.ts has opened.
import type { BaseLogger } from 'pino'
import type { Config } from '../config/config.ts'
import type { OpenedBlobs } from '../io/blobs/open-blobs.ts'
import { createRecordLookup } from '../io/dns/record-lookup.ts'
import { createDiskSpace } from '../io/files/disk-space.ts'
import { createRemoteFiles } from '../io/http/remote-files.ts'
import { createDestinationLimits } from '../io/smtp/client/destination-limits.ts'
import { createDirectDelivery } from '../io/smtp/client/direct-delivery.ts'
import { createMtaSts, createMtaStsMemory } from '../io/smtp/client/mta-sts.ts'
import { createMxDirectory, type MxSet } from '../io/smtp/client/mx-directory.ts'
import { createMailDns } from '../io/smtp/client/mx-dns.ts'
import { createSmtpRelay } from '../io/smtp/client/relay.ts'
import type { Clock } from '../lib/clock.ts'
import { createIdentityProvider } from '../modules/accounts/sessions/identity-provider.client.ts'
import { createReportReader } from '../modules/bounces/report-reader.ts'
import { createImageWork } from '../modules/images/processing/image-work.ts'
import { createMessageFilter } from '../modules/inbound/filter/message-filter.client.ts'
import { createReceivedReader } from '../modules/inbound/reading/received-reader.ts'
import { createClientDocuments } from '../modules/oauth/client-documents.client.ts'
import { createSubmissionReader } from '../modules/submission/submission-reader.ts'
import { createWebhookEndpoints } from '../modules/webhooks/sending/webhook-endpoints.client.ts'
import { createWebhookRequests } from '../modules/webhooks/sending/webhook-requests.client.ts'
import { createTextWork } from './texts/text-work.ts'

type Gateways = ReturnType<typeof createGateways>

type GatewayOptions = {
  clock: Clock
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>
  store: Pick<OpenedBlobs, 'blobs' | 'mark'>
  /** The port of the recipients' servers: 25, except in tests. */
  directPort: number | undefined
  /** Free space on the disk of a folder; asked of the system, except in tests. */
  freeBytesOf: ((folder: string) => Promise<number>) | undefined
  /** How many times as long as usual reports, endpoints of webhooks, documents of clients and the identity provider may be waited for: 1, except in tests. */
  patience: number
}

/** Larger received messages have a thread of their own where memory is little. */
const READ_ALONE_BYTES_MIN = 8 * 1024 * 1024

export function createGateways(config: Config, { clock, log, store, directPort, freeBytesOf, patience }: GatewayOptions) {
  const { allowPrivateNetworks, blobFolder, bucket, dnsServers, mailHostname } = config
  const domainDns = createRecordLookup({ dnsServers })
  return {
    blobs: store.blobs,
    storeMark: store.mark,
    clientDocuments: createClientDocuments({ allowPrivateNetworks }, { patience }),
    diskSpace: createDiskSpace({
      folders: config.databaseUrl === null ? [blobFolder, config.dataDir] : [blobFolder],
      clock,
      ...(freeBytesOf && { freeBytesOf }),
      onCrossing({ isLow, freeBytes }) {
        if (isLow) log.warn({ freeBytes }, 'disk almost full, new emails are refused')
        else log.info({ freeBytes }, 'disk has room again')
      },
    }),
    domainDns,
    images: createImageWork({
      memoryBytesMax: config.memory.imageBytes,
      onLoss: ({ error, ...loss }) => log.error({ err: error, ...loss }, 'thread that processes images ended'),
    }),
    identityProvider: config.oidc && createIdentityProvider(config.oidc, { patience }),
    remoteFiles: createRemoteFiles({ allowPrivateNetworks }),
    webhookEndpoints: createWebhookEndpoints({ allowPrivateNetworks, dns: domainDns }),
    reports: createReportReader({ patience }),
    received: createReceivedReader(
      { blobFolder, bucket, dnsServers, mailHostname },
      {
        ...(config.memory.isLittle && { aloneBytesMin: READ_ALONE_BYTES_MIN }),
        onLoss: ({ error, ...loss }) => log.error({ err: error, ...loss }, 'thread that reads received messages ended'),
      },
    ),
    submissions: createSubmissionReader({
      ...{ blobs: store.blobs, blobFolder, bucket },
      onLoss: ({ error, ...loss }) => log.error({ err: error, ...loss }, 'thread that reads messages that were submitted ended'),
    }),
    texts: createTextWork({
      onLoss: ({ error, ...loss }) => log.error({ err: error, ...loss }, 'thread that processes long texts ended'),
    }),
    filter:
      config.inboundFilterUrl === null
        ? null
        : createMessageFilter({
            url: new URL(config.inboundFilterUrl),
            onFailure: (error) => log.warn({ err: error }, 'received email not checked: the filter did not answer'),
          }),
    webhookRequests: createWebhookRequests({ allowPrivateNetworks, patience, now: clock.now }),
    relay: config.smtpRelayUrl === null || config.delivery !== 'relay' ? null : createRelay(config, config.smtpRelayUrl, clock),
    direct: config.delivery === 'direct' ? createDirect(config, { clock, log, port: directPort }) : null,
  }
}

/** The senders of mail are closed before, with the workers that use them. */
export async function closeGateways(gateways: Gateways): Promise<void> {
  const { clientDocuments, images, remoteFiles, reports, received, submissions, texts, webhookRequests } = gateways
  await Promise.allSettled(
    [clientDocuments, images, remoteFiles, reports, received, submissions, texts, webhookRequests].map((each) => each.close()),
  )
}

const createRelay = (config: Config, url: string, clock: Clock) =>
  createSmtpRelay({ url, helloName: config.mailHostname, connectionsMax: config.smtpRelayConnections, clock })

function createDirect(config: Config, { clock, log, port }: Pick<GatewayOptions, 'clock' | 'log'> & { port: number | undefined }) {
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
