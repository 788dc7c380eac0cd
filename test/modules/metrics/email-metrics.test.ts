import { expect, it } from 'vitest'
import { EMAIL_METRICS, neededCounters, toMetrics } from '../../../src/modules/metrics/email-metrics.ts'

it('computes rates in percent with one decimal, and 0 of nothing', () => {
  const counts = {
    sent: 3,
    delivered: 2,
    bounced_transient: 1,
    bounced_permanent: 2,
    bounced_undetermined: 4,
    unique_opened: 1,
    complained: 2,
    unsubscribed: 1,
  }
  expect(
    toMetrics(counts, ['bounced', 'delivery_rate', 'bounce_rate', 'open_rate', 'click_rate', 'complaint_rate', 'unsubscribe_rate']),
  ).toEqual({
    bounced: 7,
    delivery_rate: 66.7,
    bounce_rate: 233.3,
    open_rate: 50,
    click_rate: 0,
    complaint_rate: 100,
    unsubscribe_rate: 50,
  })
  expect(toMetrics({}, EMAIL_METRICS)).toEqual(Object.fromEntries(EMAIL_METRICS.map((metric) => [metric, 0])))
})

it('asks only for the counters that metrics need', () => {
  expect(neededCounters(['open_rate'])).toEqual(['delivered', 'unique_opened'])
  expect(neededCounters(['bounced', 'received'])).toEqual(['received', 'bounced_transient', 'bounced_permanent', 'bounced_undetermined'])
})
