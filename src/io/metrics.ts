import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import packageJson from '../../package.json' with { type: 'json' }
import { FREE_BYTES_MIN } from './files/disk-space.ts'

/** The label that all other values share. */
export const OTHERS = 'other'

/**
 * Labels of a series that may have any number of values: the first `labelsMax` values that were seen `seenMin` times have their own, for as
 * long as the process runs. Values that were not seen often are forgotten when there are too many of them.
 */
export function createBoundedLabels({ labelsMax, seenMin }: { labelsMax: number; seenMin: number }): (value: string) => string {
  const labels = new Set<string>()
  let seen = new Map<string, number>()
  return (value) => {
    if (labels.has(value)) return value
    if (labels.size === labelsMax) return OTHERS
    const times = (seen.get(value) ?? 0) + 1
    if (times >= seenMin) {
      labels.add(value)
      seen.delete(value)
      return value
    }
    if (seen.size >= COUNTED_MAX) seen = new Map()
    seen.set(value, times)
    return OTHERS
  }
}

/** Values without a label that are counted. */
const COUNTED_MAX = 10_000

/** Each destination is a series for every outcome. */
const DESTINATION_LABELS_MAX = 50
/** Destinations that get a single message do not take the places of those that get many. */
const DESTINATION_ATTEMPTS_MIN = 20

/** What the pool has at this moment. */
export type DatabaseConnections = { max: number; open: number; idle: number; waiting: number }
const NO_CONNECTIONS: DatabaseConnections = { max: 0, open: 0, idle: 0, waiting: 0 }

export type Metrics = ReturnType<typeof createMetrics>

/** Brings up to date what is looked at only when the series are read. A missing disk must not hide the other series. */
export async function sampleDisk({ diskFreeBytes }: Metrics, disk: { freeBytes(): Promise<number> }): Promise<void> {
  diskFreeBytes.set(await disk.freeBytes().catch(() => Number.NaN))
}

/** What the process measures of itself: once, because the library never stops, and holds whatever registry it was given. */
function metricsOfProcess(): Metric[] {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: 'posthaste_' })
    // Gauges, whose names are those of counters. The series with the types of handles, requests and resources stay.
    for (const name of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`posthaste_nodejs_active_${name}_total`)
  }
  return ofProcess.getMetricsAsArray() as unknown as Metric[]
}
let ofProcess: Registry | undefined

/**
 * The Prometheus series of one process. Labels are closed sets: no id, address or path of a client ever becomes one. The exceptions are bounded:
 * the domains of the longest lanes and of the busiest destinations. Teams are no label, because there may be any number of them and their ids are private; `queue list` shows them.
 * Values that describe the queue are sampled and the same in every worker process, so take the maximum, not the sum.
 */
export function createMetrics(connectionsOf: () => DatabaseConnections = () => NO_CONNECTIONS) {
  const registry = new Registry()
  const registers = [registry]
  for (const metric of metricsOfProcess()) registry.registerMetric(metric)
  new Gauge({
    registers,
    name: 'posthaste_build_info',
    help: 'Always 1: the versions of Posthaste and of Node.js that this process runs.',
    labelNames: ['version', 'node'],
  }).set({ version: packageJson.version, node: process.versions.node }, 1)
  const backupAgeSeconds = new Gauge({
    registers,
    name: 'posthaste_backup_age_seconds',
    help: 'How long ago the last whole backup began, sampled by workers; NaN before the first.',
  })
  backupAgeSeconds.set(Number.NaN)
  return {
    registry,
    backupAgeSeconds,
    requests: new Counter({
      registers,
      name: 'posthaste_http_requests_total',
      help: 'HTTP requests answered.',
      labelNames: ['operation', 'status'],
    }),
    requestSeconds: new Histogram({
      registers,
      name: 'posthaste_http_request_seconds',
      help: 'Time from the arrival of a request to the end of its answer.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    }),
    diskFreeBytes: new Gauge({
      registers,
      name: 'posthaste_disk_free_bytes',
      help: `Bytes that are free on the fullest disk of this process; below ${FREE_BYTES_MIN} new emails are refused. NaN when it cannot be told.`,
    }),
    databaseConnections: new Gauge({
      registers,
      name: 'posthaste_database_connections',
      help: 'Connections of this process to the database, by state: in_use (those that listen too), idle.',
      labelNames: ['state'],
      collect() {
        const { open, idle } = connectionsOf()
        this.set({ state: 'in_use' }, open - idle)
        this.set({ state: 'idle' }, idle)
      },
    }),
    databaseConnectionsMax: new Gauge({
      registers,
      name: 'posthaste_database_connections_max',
      help: 'Connections that this process may have: DATABASE_CONNECTIONS.',
      collect() {
        this.set(connectionsOf().max)
      },
    }),
    databaseConnectionsWaiting: new Gauge({
      registers,
      name: 'posthaste_database_connections_waiting',
      help: 'Statements and transactions of this process that wait for a connection to the database.',
      collect() {
        this.set(connectionsOf().waiting)
      },
    }),
    requestLogsLost: new Counter({
      registers,
      name: 'posthaste_request_logs_lost_total',
      help: 'Request log entries that could not be kept.',
    }),
    telemetryLost: new Counter({
      registers,
      name: 'posthaste_telemetry_lost_total',
      help: 'Spans, and exports of metrics, that did not reach the receiver of OpenTelemetry, by why: queue_full, not_exported.',
      labelNames: ['signal', 'reason'],
    }),
    suppressionsAdded: new Counter({
      registers,
      name: 'posthaste_suppressions_added_total',
      help: 'Addresses that this process put on the suppression lists of teams, by why.',
      labelNames: ['origin'],
    }),
    trackedEvents: new Counter({
      registers,
      name: 'posthaste_tracked_acts_total',
      help: 'Opens and clicks that this process recorded, by whether a program has probably made them.',
      labelNames: ['kind', 'by'],
    }),
    trackedEventsLeftOut: new Counter({
      registers,
      name: 'posthaste_tracked_acts_left_out_total',
      help: 'Opens and clicks that were not recorded, by reason: too many of one recipient in a minute or a day, or an email or domain that is gone.',
      labelNames: ['reason'],
    }),
    trackedLinksRefused: new Counter({
      registers,
      name: 'posthaste_tracked_links_refused_total',
      help: 'Requests for tracked links and images that lead nowhere, by reason: malformed, forged, made for another host, made for another kind.',
      labelNames: ['kind', 'reason'],
    }),
    trackedEventsLost: new Counter({
      registers,
      name: 'posthaste_tracked_acts_lost_total',
      help: 'Opens and clicks that could not be recorded.',
    }),
    deliveries: new Counter({
      registers,
      name: 'posthaste_deliveries_total',
      help: 'Attempts to deliver, by outcome and class.',
      labelNames: ['outcome', 'class'],
    }),
    destinationDeliveries: new Counter({
      registers,
      name: 'posthaste_destination_deliveries_total',
      help: `Attempts to deliver, by destination and outcome. The first ${DESTINATION_LABELS_MAX} destinations with ${DESTINATION_ATTEMPTS_MIN} attempts have names, all others are one.`,
      labelNames: ['destination', 'outcome'],
    }),
    /** Names the destination of an attempt in labels. */
    destinationLabel: createBoundedLabels({ labelsMax: DESTINATION_LABELS_MAX, seenMin: DESTINATION_ATTEMPTS_MIN }),
    emailEvents: new Counter({
      registers,
      name: 'posthaste_email_events_total',
      help: 'What happened to emails: accepted (received), sent, delivered, bounces, complaints, suppressed recipients, opens, clicks. Counted by the process that adds it up, a second later.',
      labelNames: ['event'],
    }),
    deliverySeconds: new Histogram({
      registers,
      name: 'posthaste_delivery_seconds',
      help: 'Time that an attempt to deliver took.',
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120],
    }),
    inboundMessages: new Counter({
      registers,
      name: 'posthaste_inbound_messages_total',
      help: 'Bounces and complaints that were processed, by verdict.',
      labelNames: ['verdict'],
    }),
    queueDepth: new Gauge({
      registers,
      name: 'posthaste_queue_depth',
      help: 'Deliveries that are left in the 50 longest lanes, and in the others together, sampled; counted up to a bound.',
      labelNames: ['state', 'class', 'destination'],
    }),
    queueOldestSeconds: new Gauge({
      registers,
      name: 'posthaste_queue_oldest_due_seconds',
      help: 'How long the oldest due delivery has been waiting, sampled.',
    }),
    queuePausedParts: new Gauge({
      registers,
      name: 'posthaste_queue_paused_parts',
      help: 'Parts of the queue that an operator has paused, sampled.',
    }),
    inboundConnections: new Gauge({
      registers,
      name: 'posthaste_inbound_connections',
      help: 'Connections to the SMTP server that are open.',
    }),
    receivedEmails: new Counter({
      registers,
      name: 'posthaste_received_emails_total',
      help: 'Emails for teams that this process has read, by whether they could be read.',
      labelNames: ['outcome'],
    }),
    inboundReceived: new Counter({
      registers,
      name: 'posthaste_inbound_received_total',
      help: 'Messages that the SMTP server took, one for each recipient, by what their address is for.',
      labelNames: ['purpose'],
    }),
    inboundRefusals: new Counter({
      registers,
      name: 'posthaste_inbound_refusals_total',
      help: 'Connections, commands and messages that the SMTP server refused, by reason.',
      labelNames: ['reason'],
    }),
    submissionConnections: new Gauge({
      registers,
      name: 'posthaste_submission_connections',
      help: 'Connections over which mail is submitted that are open.',
    }),
    submissionAccepted: new Counter({
      registers,
      name: 'posthaste_submission_accepted_total',
      help: 'Messages that were submitted over SMTP and accepted.',
    }),
    submissionRefusals: new Counter({
      registers,
      name: 'posthaste_submission_refusals_total',
      help: 'Connections, commands and messages that were refused where mail is submitted, by reason.',
      labelNames: ['reason'],
    }),
    webhookAttempts: new Counter({
      registers,
      name: 'posthaste_webhook_attempts_total',
      help: 'Requests to the endpoints of webhooks, by outcome: success, refused (another status than 2xx), timeout, unreachable.',
      labelNames: ['outcome'],
    }),
    webhookAttemptSeconds: new Histogram({
      registers,
      name: 'posthaste_webhook_attempt_seconds',
      help: 'Time that a request to the endpoint of a webhook took.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    }),
    webhookMessagesWaiting: new Gauge({
      registers,
      name: 'posthaste_webhook_messages_waiting',
      help: 'Events that wait to be sent to the endpoints of webhooks, sampled; counted up to 100,000.',
    }),
    automationEventsSetAside: new Gauge({
      registers,
      name: 'posthaste_automation_events_set_aside',
      help: 'Events whose dispatch to automations failed five times, and that are kept until you retry them, sampled; counted up to 10,000.',
    }),
    destinationsBackingOff: new Gauge({
      registers,
      name: 'posthaste_destinations_backing_off',
      help: 'Sets of mail servers that are not sent to for a while, sampled; counted up to 1,000.',
    }),
  }
}
