import type { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/io/metrics.ts'

test('what a process measures of itself is measured once, and holds no service that has ended', () => {
  const [one, other] = [createMetrics(), createMetrics()].map(({ registry }: { registry: Registry }) => registry)
  const collections = 'posthaste_nodejs_gc_duration_seconds'
  expect(one?.getSingleMetric(collections)).toBeDefined()
  expect(other?.getSingleMetric(collections)).toBe(one?.getSingleMetric(collections))
  expect(other?.getSingleMetric('posthaste_http_requests_total')).not.toBe(one?.getSingleMetric('posthaste_http_requests_total'))
})
