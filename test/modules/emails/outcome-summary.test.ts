import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastEventOf, outcomeSummary, RECIPIENT_STATE_PRECEDENCE } from '../../../src/modules/emails/email-states.ts'

describe('outcomeSummary', () => {
  it.each([
    ['delivered', null, { label: 'delivered', state: 'delivered', parts: null }],
    ['delivery_delayed', { delivery_delayed: 3 }, { label: 'delivery delayed', state: 'delivery_delayed', parts: null }],
    ['scheduled', { queued: 2 }, { label: 'scheduled', state: 'scheduled', parts: null }],
    ['canceled', { queued: 1, failed: 1 }, { label: 'canceled', state: 'canceled', parts: null }],
    ['delivered', { delivered: 1, bounced: 1 }, { label: '1 of 2 bounced', state: 'bounced', parts: '1 bounced, 1 delivered' }],
    [
      'delivered',
      { delivered: 1, delivery_delayed: 1 },
      { label: '1 of 2 delayed', state: 'delivery_delayed', parts: '1 delayed, 1 delivered' },
    ],
    ['bounced', { bounced: 2, suppressed: 1 }, { label: '2 of 3 bounced', state: 'bounced', parts: '2 bounced, 1 suppressed' }],
    [
      'complained',
      { complained: 1, delivered: 9 },
      { label: '1 of 10 complained', state: 'complained', parts: '1 complained, 9 delivered' },
    ],
    [
      'opened',
      { opened: 1, delivered: 1, failed: 1 },
      { label: '1 of 3 failed', state: 'failed', parts: '1 failed, 1 opened, 1 delivered' },
    ],
    ['delivered', { delivered: 1, queued: 1 }, { label: '1 of 2 delivered', state: 'sent', parts: '1 delivered, 1 queued' }],
    ['clicked', { clicked: 1, opened: 1, sent: 1 }, { label: '2 of 3 delivered', state: 'sent', parts: '1 clicked, 1 opened, 1 sent' }],
    ['sent', { sent: 1, queued: 1 }, { label: 'sent', state: 'sent', parts: '1 sent, 1 queued' }],
    ['opened', { opened: 1, delivered: 1 }, { label: 'opened', state: 'opened', parts: '1 opened, 1 delivered' }],
  ])('of %s with %j is %j', (lastEvent, counts, wanted) => {
    expect(outcomeSummary(lastEvent, counts)).toEqual(wanted)
  })

  it('is good only when every recipient fared well', () => {
    const good = ['delivered', 'opened', 'clicked']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...RECIPIENT_STATE_PRECEDENCE), { minLength: 1, maxLength: 50 }), (recipientStates) => {
        const counts = Object.fromEntries(recipientStates.map((state) => [state, recipientStates.filter((one) => one === state).length]))
        const { state } = outcomeSummary(lastEventOf({ wholeState: 'queued', recipientStates }), counts)
        expect(good.includes(state)).toBe(recipientStates.every((one) => good.includes(one)))
      }),
    )
  })
})
