import { describe, expect, it } from 'vitest'
import { type DomainStatus, RECORD_STATUSES, type RecordStatus } from '../../../../src/mail/record-types.ts'
import { type CheckedRecord, canReceive, canSend, domainStatus, isProven } from '../../../../src/modules/domains/records/record-states.ts'

/** Receiving by the MX record alone. */
const UNPROVEN = { receivingUnprovenUntil: new Date(0) }
const TO_PROVE = { receivingUnprovenUntil: null }

const SENDING = { sending: true, receiving: false, ...TO_PROVE }
const RECEIVING = { sending: false, receiving: true, ...UNPROVEN }
const BOTH = { sending: true, receiving: true, ...UNPROVEN }

const sendingRecords = (mx: RecordStatus, spf = mx, dkim = mx): CheckedRecord[] => [
  { kind: 'ReturnPathMX', status: mx, isRecommended: false },
  { kind: 'SPF', status: spf, isRecommended: false },
  { kind: 'DKIM', status: dkim, isRecommended: false },
]
const receivingRecord = (status: RecordStatus): CheckedRecord => ({ kind: 'Receiving', status, isRecommended: false })

/** They count for nothing. */
const others = (status: RecordStatus): CheckedRecord[] => [
  { kind: 'DKIM', status, isRecommended: true },
  { kind: 'DKIMEd25519', status, isRecommended: true },
  { kind: 'DMARC', status, isRecommended: true },
  { kind: 'Tracking', status, isRecommended: false },
  { kind: 'TrackingCAA', status, isRecommended: false },
]

/** A row for what sending is, a column for what receiving is. */
const TABLE: Record<RecordStatus, Record<RecordStatus, DomainStatus>> = {
  not_started: {
    not_started: 'not_started',
    pending: 'pending',
    verified: 'partially_verified',
    temporary_failure: 'partially_verified',
    failed: 'failed',
  },
  pending: {
    not_started: 'pending',
    pending: 'pending',
    verified: 'partially_verified',
    temporary_failure: 'partially_verified',
    failed: 'pending',
  },
  verified: {
    not_started: 'partially_verified',
    pending: 'partially_verified',
    verified: 'verified',
    temporary_failure: 'verified',
    failed: 'partially_failed',
  },
  temporary_failure: {
    not_started: 'partially_verified',
    pending: 'partially_verified',
    verified: 'verified',
    temporary_failure: 'verified',
    failed: 'partially_failed',
  },
  failed: {
    not_started: 'failed',
    pending: 'pending',
    verified: 'partially_failed',
    temporary_failure: 'partially_failed',
    failed: 'failed',
  },
}

const ONE: Record<RecordStatus, DomainStatus> = {
  not_started: 'not_started',
  pending: 'pending',
  verified: 'verified',
  temporary_failure: 'verified',
  failed: 'failed',
}

/** What three records make of a capability, in any order of the records. */
const TOGETHER: [RecordStatus, RecordStatus, RecordStatus, DomainStatus][] = [
  ['verified', 'verified', 'temporary_failure', 'verified'],
  ['verified', 'verified', 'pending', 'pending'],
  ['verified', 'verified', 'not_started', 'pending'],
  ['verified', 'verified', 'failed', 'failed'],
  ['temporary_failure', 'temporary_failure', 'failed', 'failed'],
  ['temporary_failure', 'pending', 'verified', 'pending'],
  ['pending', 'pending', 'not_started', 'pending'],
  ['pending', 'verified', 'failed', 'failed'],
  ['not_started', 'not_started', 'failed', 'failed'],
]

const PAIRS = RECORD_STATUSES.flatMap((sending) => RECORD_STATUSES.map((receiving) => ({ sending, receiving })))

describe('the state of a domain', () => {
  it.each(PAIRS)('that sends ($sending) and receives ($receiving) follows from both', ({ sending, receiving }) => {
    for (const ignored of RECORD_STATUSES) {
      const records = [...others(ignored), ...sendingRecords(sending), receivingRecord(receiving)]
      expect(domainStatus(records, BOTH)).toBe(TABLE[sending][receiving])
    }
  })

  it.each(PAIRS)(
    'that does one of both follows from this alone: sending is $sending, receiving is $receiving',
    ({ sending, receiving }) => {
      const records = [...sendingRecords(sending), receivingRecord(receiving), ...others('failed')]
      expect([domainStatus(records, SENDING), domainStatus(records, RECEIVING)]).toEqual([ONE[sending], ONE[receiving]])
    },
  )

  it.each(TOGETHER)('is by all records of a capability: %s, %s and %s make it %s', (one, two, three, status) => {
    for (const [mx, spf, dkim] of [
      [one, two, three],
      [one, three, two],
      [two, one, three],
      [two, three, one],
      [three, one, two],
      [three, two, one],
    ] as const)
      expect(domainStatus(sendingRecords(mx, spf, dkim), SENDING)).toBe(status)
  })

  it('is not started as long as there are no records', () => {
    expect(domainStatus([], BOTH)).toBe('not_started')
    expect(domainStatus(others('verified'), BOTH)).toBe('not_started')
  })
})

describe('a domain', () => {
  it.each(PAIRS)('sends and receives by the records of each: $sending, $receiving', ({ sending, receiving }) => {
    const records = [...sendingRecords(sending), receivingRecord(receiving), ...others('failed')]
    const isUsable = (status: RecordStatus) => status === 'verified' || status === 'temporary_failure'
    expect({ sends: canSend(records), receives: canReceive(records, UNPROVEN) }).toEqual({
      ...{ sends: isUsable(sending), receives: isUsable(receiving) },
    })
    expect(canReceive(records, TO_PROVE)).toBe(isUsable(sending) && isUsable(receiving))
    expect(isProven(records)).toBe(isUsable(sending))
  })

  it.each(PAIRS)('that only receives needs its MX record and a key of its team: $receiving, $sending', ({ sending: key, receiving }) => {
    const records: CheckedRecord[] = [receivingRecord(receiving), { kind: 'DKIM', status: key, isRecommended: false }]
    const both: DomainStatus[] = [ONE[receiving], ONE[key]]
    const [first] = both
    const expected = both.includes('failed') ? 'failed' : both.every((status) => status === first) ? first : 'pending'
    expect(domainStatus(records, { sending: false, receiving: true, ...TO_PROVE })).toBe(expected)
  })

  it.each([...RECORD_STATUSES])('sends only if all records of sending are there: one is %s', (status) => {
    expect(canSend(sendingRecords('verified', 'temporary_failure', status))).toBe(status === 'verified' || status === 'temporary_failure')
  })

  it('without records does neither', () => {
    expect([canSend([]), canReceive([], UNPROVEN), canSend(others('verified'))]).toEqual([false, false, false])
  })
})
