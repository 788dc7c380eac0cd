import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advances,
  advancesAfterDelivery,
  lastEventOf,
  RECIPIENT_STATE_PRECEDENCE,
  type RecipientState,
} from '../../../src/modules/emails/email-states.ts'

const anyState = fc.constantFrom(...RECIPIENT_STATE_PRECEDENCE)

describe('lastEventOf', () => {
  it.each<[RecipientState[], string]>([
    [['bounced', 'delivered', 'queued'], 'delivered'],
    [['delivered', 'opened', 'complained', 'clicked'], 'complained'],
    [['bounced', 'suppressed', 'failed'], 'bounced'],
    [['failed', 'suppressed'], 'suppressed'],
    [['delivery_delayed', 'sent'], 'delivery_delayed'],
    [['sent', 'queued'], 'sent'],
    [['queued', 'bounced'], 'queued'],
    [['failed'], 'failed'],
    [[], 'queued'],
  ])('shows of %j: %s', (recipientStates, expected) => expect(lastEventOf({ wholeState: 'queued', recipientStates })).toBe(expected))

  it.each(['scheduled', 'canceled'] as const)('shows %s whatever its recipients are', (wholeState) =>
    expect(lastEventOf({ wholeState, recipientStates: ['queued', 'failed'] })).toBe(wholeState),
  )

  it('does not depend on the order or number of the recipients', () => {
    fc.assert(
      fc.property(fc.array(anyState, { minLength: 1 }), (recipientStates) => {
        const expected = lastEventOf({ wholeState: 'queued', recipientStates })
        expect(lastEventOf({ wholeState: 'queued', recipientStates: [...recipientStates, ...recipientStates].reverse() })).toBe(expected)
        expect(recipientStates).toContain(expected)
      }),
    )
  })
})

describe('advances', () => {
  it.each<[RecipientState, RecipientState, boolean]>([
    ['queued', 'sent', true],
    ['queued', 'suppressed', true],
    ['sent', 'delivered', true],
    ['sent', 'delivery_delayed', true],
    ['delivery_delayed', 'sent', false],
    ['delivery_delayed', 'delivered', true],
    ['delivered', 'delivery_delayed', false],
    ['delivered', 'sent', false],
    ['delivered', 'failed', false],
    ['delivered', 'bounced', true],
    ['bounced', 'delivered', false],
    ['bounced', 'delivery_delayed', false],
    ['bounced', 'opened', true],
    ['opened', 'delivered', false],
    ['opened', 'clicked', true],
    ['clicked', 'opened', false],
    ['clicked', 'complained', true],
    ['complained', 'clicked', false],
    ['failed', 'delivered', true],
    ['suppressed', 'delivered', true],
    ['suppressed', 'opened', true],
    ['failed', 'sent', false],
  ])('from %s to %s: %s', (from, to, expected) => expect(advances(from, to)).toBe(expected))

  it('never goes in a circle, so that the order of reports cannot keep a recipient changing', () => {
    const reachable = (from: RecipientState): RecipientState[] =>
      RECIPIENT_STATE_PRECEDENCE.filter((to) => advances(from, to)).flatMap((to) => [to, ...reachable(to)])
    for (const state of RECIPIENT_STATE_PRECEDENCE) expect(reachable(state)).not.toContain(state)
  })
})

describe('advancesAfterDelivery', () => {
  it.each<[RecipientState, RecipientState, { isRead: boolean; isMachine: boolean }, boolean]>([
    ['opened', 'bounced', { isRead: false, isMachine: false }, true],
    ['clicked', 'bounced', { isRead: false, isMachine: false }, true],
    ['opened', 'bounced', { isRead: true, isMachine: false }, false],
    ['clicked', 'bounced', { isRead: true, isMachine: false }, false],
    ['complained', 'bounced', { isRead: false, isMachine: false }, false],
    ['delivered', 'bounced', { isRead: true, isMachine: false }, true],
    ['delivered', 'opened', { isRead: false, isMachine: true }, true],
    ['sent', 'opened', { isRead: false, isMachine: true }, false],
    ['sent', 'opened', { isRead: false, isMachine: false }, true],
    ['delivery_delayed', 'clicked', { isRead: false, isMachine: true }, false],
    ['opened', 'clicked', { isRead: false, isMachine: true }, true],
    ['bounced', 'opened', { isRead: false, isMachine: true }, false],
    ['bounced', 'clicked', { isRead: true, isMachine: true }, false],
    ['bounced', 'opened', { isRead: false, isMachine: false }, true],
    ['bounced', 'complained', { isRead: false, isMachine: false }, true],
  ])('from %s to %s, %j: %s', (from, to, reading, expected) => expect(advancesAfterDelivery(from, to, reading)).toBe(expected))
})
