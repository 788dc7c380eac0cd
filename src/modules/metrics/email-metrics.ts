// What is counted about emails, and the metrics that follow from it.

/** Rows of one answer. */
export const METRIC_ROWS_MAX = 10_000
/** Emails that are told apart in one answer, unless they are named. Their events are read one by one. */
export const COUNTED_EMAILS_MAX = 1_000

/** Counts are kept for a quarter of an hour each: the offsets of all time zones are multiples of it. */
export const BUCKET_MS = 15 * 60_000

export const bucketOf = (ms: number): number => Math.floor(ms / BUCKET_MS) * BUCKET_MS

/** What the database counts: the columns of `email_counts`, which the function `email_count_metrics` fills. */
export const COUNTERS = [
  'received',
  'sent',
  'delivered',
  'delivery_delayed',
  'failed',
  'suppressed',
  'bounced_transient',
  'bounced_permanent',
  'bounced_undetermined',
  'complained',
  'opened',
  'clicked',
  'opened_by_machine',
  'clicked_by_machine',
  'unique_opened',
  'unique_clicked',
  'unsubscribed',
  'canceled',
  'sent_simulated',
  'bounced_simulated',
  'complained_simulated',
  'bounced_unknown_user',
  'bounced_spam_trap',
] as const

export type Counter = (typeof COUNTERS)[number]

/** A counter that was not asked for is absent. */
export type Counts = Partial<Record<Counter, number>>

type Formula = { counters: readonly Counter[]; of: (counts: Counts) => number }

const count = (counter: Counter): Formula => ({ counters: [counter], of: (counts) => counts[counter] ?? 0 })

const sum = (...counters: Counter[]): Formula => ({
  counters,
  of: (counts) => counters.reduce((total, counter) => total + (counts[counter] ?? 0), 0),
})

/** A percentage with one decimal; 0 of nothing. */
const rate = (part: Formula, whole: Formula): Formula => ({
  counters: [...part.counters, ...whole.counters],
  of: (counts) => percentage(part.of(counts), whole.of(counts)),
})

export const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10)

const sent = count('sent')
const delivered = count('delivered')
const bounced = sum('bounced_transient', 'bounced_permanent', 'bounced_undetermined')

const FORMULAS = {
  received: count('received'),
  sent,
  delivered,
  delivery_delayed: count('delivery_delayed'),
  failed: count('failed'),
  suppressed: count('suppressed'),
  bounced,
  bounced_transient: count('bounced_transient'),
  bounced_permanent: count('bounced_permanent'),
  bounced_undetermined: count('bounced_undetermined'),
  complained: count('complained'),
  opened: count('opened'),
  clicked: count('clicked'),
  unique_opened: count('unique_opened'),
  unique_clicked: count('unique_clicked'),
  unsubscribed: count('unsubscribed'),
  delivery_rate: rate(delivered, sent),
  bounce_rate: rate(bounced, sent),
  open_rate: rate(count('unique_opened'), delivered),
  click_rate: rate(count('unique_clicked'), delivered),
  complaint_rate: rate(count('complained'), delivered),
  unsubscribe_rate: rate(count('unsubscribed'), delivered),
} satisfies Record<string, Formula>

export type EmailMetric = keyof typeof FORMULAS

/** The metrics, in the order in which answers have them. */
export const EMAIL_METRICS: readonly EmailMetric[] = Object.keys(FORMULAS).filter(isEmailMetric)

export function isEmailMetric(name: string): name is EmailMetric {
  return Object.hasOwn(FORMULAS, name)
}

/** What has to be counted for these metrics. */
export const neededCounters = (metrics: readonly EmailMetric[]): Counter[] => {
  const needed = new Set(metrics.flatMap((metric): readonly Counter[] => FORMULAS[metric].counters))
  return COUNTERS.filter((counter) => needed.has(counter))
}

export type MetricValues = Partial<Record<EmailMetric, number>>

export const toMetrics = (counts: Counts, metrics: readonly EmailMetric[]): MetricValues =>
  Object.fromEntries(metrics.map((metric) => [metric, FORMULAS[metric].of(counts)]))

export function addCounts(all: readonly Counts[]): Counts {
  const total: Counts = {}
  for (const counts of all) for (const counter of COUNTERS) total[counter] = (total[counter] ?? 0) + (counts[counter] ?? 0)
  return total
}
