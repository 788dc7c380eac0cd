import { expect, it } from 'vitest'
import { stepDurationMs } from '../../../../src/modules/automations/graph/graph.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

it.each([
  ['1 second', 1_000],
  ['5m', 300_000],
  ['1h 30m', 1.5 * HOUR_MS],
  ['3 days', 3 * DAY_MS],
  ['30 days', 30 * DAY_MS],
])('reads %j', (text, expected) => expect(stepDurationMs(text)).toBe(expected))

it.each(['', '0', '0 days', '31 days', '30 days 1 second', 'soon', '1e9 hours', '-1 day', '5'])('refuses %j', (text) =>
  expect(stepDurationMs(text)).toBe(null),
)
