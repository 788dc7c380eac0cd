import { expect, it } from 'vitest'
import { ASKED_MS_MAX, createSparing } from '../../../src/workers/webhooks/sparing.ts'
import { createMovingClock } from '../../support/clocks/moving-clock.ts'

const webhook = { webhookId: 'one', concurrency: 20 }
const ANSWERED = { isTimeout: false, askedMs: null }

function open() {
  const clock = createMovingClock()
  return { clock, sparing: createSparing(clock) }
}

it('leaves a webhook alone that asks to wait, then sends it little until it no longer asks', () => {
  const { clock, sparing } = open()
  sparing.note('one', { isTimeout: false, askedMs: 5_000 })
  expect([sparing.isLeftAlone('one'), sparing.isLeftAlone('another'), sparing.waitsMs()]).toEqual([true, false, [5_000]])
  clock.advance(5_000)
  expect([sparing.isLeftAlone('one'), sparing.waitsMs(), sparing.requestsAtOnce(webhook)]).toEqual([false, [], 2])
  sparing.note('one', ANSWERED)
  expect(sparing.requestsAtOnce(webhook)).toBe(20)
})

it('leaves none alone for longer than a minute, whatever it asks for', () => {
  const { clock, sparing } = open()
  sparing.note('one', { isTimeout: false, askedMs: 36_000_000 })
  clock.advance(ASKED_MS_MAX - 1)
  expect(sparing.isLeftAlone('one')).toBe(true)
  clock.advance(1)
  expect(sparing.isLeftAlone('one')).toBe(false)
})

it('leaves one alone as long as the longest of its answers asks, also when another reason is shorter', () => {
  const { sparing } = open()
  for (const askedMs of [1_000, 30_000, 2_000]) sparing.note('one', { isTimeout: false, askedMs })
  sparing.note('one', ANSWERED)
  sparing.leaveAlone('one', 100)
  expect(sparing.waitsMs()).toEqual([30_000])
})

it('sends little to an endpoint that did not answer in time, and never more than its concurrency', () => {
  const { sparing } = open()
  sparing.note('one', { isTimeout: true, askedMs: null })
  expect([sparing.isLeftAlone('one'), sparing.requestsAtOnce(webhook)]).toEqual([false, 2])
  expect(sparing.requestsAtOnce({ ...webhook, concurrency: 1 })).toBe(1)
})

it('remembers ten thousand webhooks, the last ones', () => {
  const { sparing } = open()
  for (let count = 0; count <= 10_000; count += 1) sparing.note(`${count}`, { isTimeout: true, askedMs: 5_000 })
  expect([sparing.isLeftAlone('0'), sparing.isLeftAlone('1'), sparing.waitsMs().length]).toEqual([false, true, 10_000])
  expect([sparing.requestsAtOnce({ ...webhook, webhookId: '0' }), sparing.requestsAtOnce({ ...webhook, webhookId: '1' })]).toEqual([20, 2])
})
