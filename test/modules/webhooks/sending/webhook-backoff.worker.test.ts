import { expect, it } from 'vitest'
import { ASKED_MS_MAX, createWebhookBackoff } from '../../../../src/modules/webhooks/sending/send-webhooks.worker.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'

const webhook = { webhookId: 'one', concurrency: 20 }
const ANSWERED = { isTimeout: false, retryAfterMs: null }

function open() {
  const clock = createMovingClock()
  return { clock, backoff: createWebhookBackoff(clock) }
}

it('leaves a webhook alone that asks to wait, then sends it little until it no longer asks', () => {
  const { clock, backoff } = open()
  backoff.note('one', { isTimeout: false, retryAfterMs: 5_000 })
  expect([backoff.isBackingOff('one'), backoff.isBackingOff('another'), backoff.waitsMs()]).toEqual([true, false, [5_000]])
  clock.advance(5_000)
  expect([backoff.isBackingOff('one'), backoff.waitsMs(), backoff.requestsAtOnce(webhook)]).toEqual([false, [], 2])
  backoff.note('one', ANSWERED)
  expect(backoff.requestsAtOnce(webhook)).toBe(20)
})

it('leaves none alone for longer than a minute, whatever it asks for', () => {
  const { clock, backoff } = open()
  backoff.note('one', { isTimeout: false, retryAfterMs: 36_000_000 })
  clock.advance(ASKED_MS_MAX - 1)
  expect(backoff.isBackingOff('one')).toBe(true)
  clock.advance(1)
  expect(backoff.isBackingOff('one')).toBe(false)
})

it('leaves one alone as long as the longest of its answers asks, also when another reason is shorter', () => {
  const { backoff } = open()
  for (const retryAfterMs of [1_000, 30_000, 2_000]) backoff.note('one', { isTimeout: false, retryAfterMs })
  backoff.note('one', ANSWERED)
  backoff.leaveAlone('one', 100)
  expect(backoff.waitsMs()).toEqual([30_000])
})

it('sends little to an endpoint that did not answer in time, and never more than its concurrency', () => {
  const { backoff } = open()
  backoff.note('one', { isTimeout: true, retryAfterMs: null })
  expect([backoff.isBackingOff('one'), backoff.requestsAtOnce(webhook)]).toEqual([false, 2])
  expect(backoff.requestsAtOnce({ ...webhook, concurrency: 1 })).toBe(1)
})

it('remembers ten thousand webhooks, the last ones', () => {
  const { backoff } = open()
  for (let count = 0; count <= 10_000; count += 1) backoff.note(`${count}`, { isTimeout: true, retryAfterMs: 5_000 })
  expect([backoff.isBackingOff('0'), backoff.isBackingOff('1'), backoff.waitsMs().length]).toEqual([false, true, 10_000])
  expect([backoff.requestsAtOnce({ ...webhook, webhookId: '0' }), backoff.requestsAtOnce({ ...webhook, webhookId: '1' })]).toEqual([20, 2])
})
