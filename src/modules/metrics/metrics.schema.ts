import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { LIST_VALUES_MAX, TextList } from '../../http/list-filters.ts'
import { Enum, Id, IsoTime, Kind, Named, Nullable, Ref } from '../../lib/validation/common.schema.ts'
import { EMAIL_METRICS } from './email-metrics.ts'

/** Counts of a quarter of an hour are kept so long, so that a month can be compared with the same month of the year before. */
export const COUNTS_KEPT_DAYS = 400
/** Periods in one answer. */
export const PERIODS_MAX = 10_000
/** The range of an answer, if the request does not say. */
export const RANGE_DAYS_DEFAULT = 6

export const DIMENSIONS = ['period', 'domain', 'email', 'broadcast'] as const
export type Dimension = (typeof DIMENSIONS)[number]

export const PERIOD_LENGTHS = ['hourly', 'daily', 'weekly', 'monthly'] as const

const TEXT_LENGTH_MAX = 100

const Text = (description: string, examples: string[]) => Type.Optional(Type.String({ maxLength: TEXT_LENGTH_MAX, description, examples }))

const QueryIds = (description: string) => TextList(`${description} At most ${LIST_VALUES_MAX}.`, { format: 'uuid' })

export const EmailMetricsQuery = Type.Object({
  start_date: Text(
    `The start of the range, in ISO 8601: a date of \`timezone\`, or a time, in UTC unless it has an offset. Default: ${RANGE_DAYS_DEFAULT} days before \`end_date\`.`,
    ['2026-11-01'],
  ),
  end_date: Text(
    'The end of the range, which is not a part of it: a date is the beginning of that day. Default, and the latest possible: now.',
    ['2026-11-20'],
  ),
  timezone: Text('Name of the IANA time zone of dates, and of the hours, days, weeks and months of periods. Default: UTC.', [
    'Europe/Berlin',
  ]),
  granularity: Type.Optional(
    Enum([...PERIOD_LENGTHS], { description: 'The length of a period. It matters only with the dimension `period`. Default: `daily`.' }),
  ),
  metrics: TextList('What to return, by the names that `totals` has. Default: all.', { enum: EMAIL_METRICS }),
  dimensions: TextList('Dimensions of the rows. `email` cannot be combined with `broadcast`. Default: none, only totals.', {
    enum: DIMENSIONS,
  }),
  domain_id: QueryIds('Count only emails from these domains.'),
  email_id: QueryIds('Count only these emails. It cannot be combined with broadcasts.'),
  broadcast_id: QueryIds('Count only emails of these broadcasts. It cannot be combined with emails.'),
})

export type EmailMetricsQuery = Static<typeof EmailMetricsQuery>

const DESCRIPTIONS: Record<string, string> = {
  received: 'Emails that were accepted.',
  sent: 'Recipients for whom delivery has begun.',
  delivered: 'Recipients whose mail server accepted the email. If it returned the email later, the recipient is counted in `bounced` too.',
  delivery_delayed: 'Recipients whose mail server deferred the email.',
  failed: 'Recipients to whom the email could not be sent.',
  suppressed: 'Recipients who were skipped because their address is suppressed.',
  bounced: 'Recipients whose mail server returned the email.',
  bounced_transient: 'Bounces for a temporary reason.',
  bounced_permanent: 'Bounces for a permanent reason.',
  bounced_undetermined: 'Bounces for an unknown reason.',
  complained: 'Recipients who reported the email as spam.',
  opened: 'Opens, including repeated ones and those by programs.',
  clicked: 'Clicks, including repeated ones and those by programs.',
  unique_opened: 'Emails that a person has opened, counted at the first open: once for each email, however many recipients it has.',
  unique_clicked: 'Emails in which a person has clicked, counted at the first click: once for each email, however many recipients it has.',
  unsubscribed: 'Recipients who unsubscribed by a link of a broadcast.',
  delivery_rate: '`delivered` as a percentage of `sent`.',
  bounce_rate: '`bounced` as a percentage of `sent`.',
  open_rate:
    '`unique_opened` as a percentage of `delivered`. It compares emails with recipients, so emails to several recipients lower it.',
  click_rate:
    '`unique_clicked` as a percentage of `delivered`. It compares emails with recipients, so emails to several recipients lower it.',
  complaint_rate: '`complained` as a percentage of `delivered`.',
  unsubscribe_rate: '`unsubscribed` as a percentage of `delivered`.',
}

const values: Record<string, TSchema> = Object.fromEntries(
  EMAIL_METRICS.map((metric) => [
    metric,
    Type.Optional((metric.endsWith('_rate') ? Type.Number : Type.Integer)({ description: DESCRIPTIONS[metric] ?? '' })),
  ]),
)

const MetricFields = Type.Object(values, { description: 'The metrics that were asked for.' })
type MetricFields = { [Metric in (typeof EMAIL_METRICS)[number]]?: number }

const EmailMetricsTotals = Named(
  'EmailMetricsTotals',
  Type.Unsafe<MetricFields>({ ...MetricFields, description: 'The metrics that were asked for, over the whole range.' }),
)

const dimensionFields = {
  period: Type.Optional(
    Type.String({
      description: 'First day of the period, or the hour with its offset from UTC. Weeks begin on Monday.',
      examples: ['2026-11-20'],
    }),
  ),
  domain_id: Type.Optional(Nullable(Id('Id of the domain; null if the team does not have the domain.'))),
  domain_name: Type.Optional(Type.String({ description: 'The domain of the sender.', examples: ['example.com'] })),
  email_id: Type.Optional(Id('Id of the email.')),
  broadcast_id: Type.Optional(Id('Id of the broadcast.')),
  broadcast_name: Type.Optional(Nullable(Type.String({ description: 'Name of the broadcast; null if it is not known.' }))),
}
const DimensionFields = Type.Object(dimensionFields)

const EmailMetricsRow = Named(
  'EmailMetricsRow',
  Type.Unsafe<MetricFields & Static<typeof DimensionFields>>(
    Type.Object(
      { ...dimensionFields, ...values },
      { description: 'The metrics of one combination of the dimensions that were asked for.' },
    ),
  ),
)

const isoTime = (description: string) => IsoTime(`${description} ISO 8601.`, '2026-11-20T00:00:00.000Z')

export const EmailMetrics = Named(
  'EmailMetrics',
  Type.Object(
    {
      object: Kind('metrics'),
      start_date: isoTime('The start of the range that was counted, rounded down to a quarter of an hour.'),
      end_date: isoTime('The end of the range that was counted: the end of a quarter of an hour, or now.'),
      metrics: Type.Array(Type.String(), { description: 'The metrics of this response.', examples: [['sent', 'delivered']] }),
      dimensions: Type.Array(Enum([...DIMENSIONS]), { description: 'The dimensions of the rows.' }),
      granularity: Enum([...PERIOD_LENGTHS], { description: 'The length of a period.' }),
      totals: Ref(EmailMetricsTotals),
      data: Type.Optional(Type.Array(Ref(EmailMetricsRow), { description: 'Absent if there are no dimensions. Periods are in order.' })),
    },
    { description: 'What happened to emails, in numbers.' },
  ),
)

export type EmailMetrics = Static<typeof EmailMetrics>

/** How long it is known what teams received: for a month, and a clock that is set. */
export const RECEIVED_AMOUNTS_KEPT_DAYS = 40
