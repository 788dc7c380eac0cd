import { describe, expect, it } from 'vitest'
import {
  claimEnd,
  claimRecordValue,
  claimStatus,
  holdsClaim,
  isInGracePeriod,
  isOpen,
  type StoredClaimStatus,
} from '../../../../src/modules/domains/claims/claim-states.ts'

const NOW = new Date('2026-03-04T05:06:07.890Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)

describe('a claim', () => {
  it.each<[StoredClaimStatus, string, string]>([
    ['pending', 'pending', 'expired'],
    ['blocked', 'blocked', 'expired'],
    ['completed', 'completed', 'completed'],
    ['superseded', 'superseded', 'superseded'],
    ['canceled', 'canceled', 'canceled'],
    ['failed', 'failed', 'failed'],
  ])('that is stored as %s is %s before it expires, and %s from then on', (status, before, after) => {
    const claim = { status, expiresAt: later(1) }
    expect([claimStatus(claim, NOW), claimStatus(claim, later(1))]).toEqual([before, after])
    expect(isOpen(claim, NOW)).toBe(before === 'pending' || before === 'blocked')
    expect(isOpen(claim, later(1))).toBe(false)
    expect(claimEnd(claim, later(1))).toBe(after === 'completed' ? null : after)
  })

  it('waits for 24 hours after the other team got the name, if that was recorded', () => {
    const day = 24 * 3_600_000
    expect([null, later(0), later(1 - day), later(-day)].map((since) => isInGracePeriod(since, NOW))).toEqual([false, true, true, false])
  })

  it.each([
    [['posthaste-domain-verification=abc'], true],
    [['v=spf1 -all', ' posthaste-domain-verification=abc\t'], true],
    [['posthaste-domain-verification=ABC'], false],
    [['posthaste-domain-verification=abcd'], false],
    [['xposthaste-domain-verification=abc'], false],
    [['abc'], false],
    [[], false],
  ])('is proved by %j: %j', (values, isProved) => {
    expect(claimRecordValue('abc')).toBe('posthaste-domain-verification=abc')
    expect(holdsClaim({ kind: 'records', values }, 'abc')).toBe(isProved)
  })

  it('is not proved by the absence of an answer', () => {
    expect(holdsClaim({ kind: 'absent', alias: claimRecordValue('abc') }, 'abc')).toBe(false)
    expect(holdsClaim({ kind: 'unanswered', reason: claimRecordValue('abc') }, 'abc')).toBe(false)
  })
})
