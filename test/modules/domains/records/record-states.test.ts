import { describe, expect, it } from 'vitest'
import { RECORD_STATUSES } from '../../../../src/mail/record-types.ts'
import { askedRecordState, nextRecordState, type RecordState } from '../../../../src/modules/domains/records/record-states.ts'

const START = new Date('2026-03-04T05:06:07Z')
const HOUR_MS = 60 * 60_000
const afterHours = (hours: number) => new Date(START.getTime() + hours * HOUR_MS)

const NOT_STARTED: RecordState = { status: 'not_started', missingSince: null }
const PENDING: RecordState = { status: 'pending', missingSince: START }
const VERIFIED: RecordState = { status: 'verified', missingSince: null }
const MISSED: RecordState = { status: 'temporary_failure', missingSince: START }
const FAILED: RecordState = { status: 'failed', missingSince: null }
const ALL = [NOT_STARTED, PENDING, VERIFIED, MISSED, FAILED]

it('there is a state for each status', () => {
  expect(ALL.map(({ status }) => status).sort()).toEqual([...RECORD_STATUSES].sort())
})

describe('a record that is right', () => {
  it.each(ALL)('is verified, and was $status', (state) => {
    expect(nextRecordState(state, 'right', afterHours(1_000))).toEqual(VERIFIED)
  })
})

describe('a resolver that does not answer', () => {
  it.each(ALL)('changes nothing of a record that is $status', (state) => {
    expect(nextRecordState(state, 'unknown', afterHours(1_000))).toEqual(state)
  })
})

describe.each(['absent', 'other'] as const)('a record of which the DNS says: %s', (verdict) => {
  it.each([
    ['is pending for 72 hours', PENDING, 71.99, PENDING],
    ['has failed after 72 hours', PENDING, 72, FAILED],
    ['has failed temporarily if it was verified', VERIFIED, 0, MISSED],
    ['has failed temporarily for 72 hours', MISSED, 71.99, MISSED],
    ['has failed 72 hours after it was missed', MISSED, 72, FAILED],
    ['stays failed', FAILED, 1_000, FAILED],
    ['stays as it is if no verification was asked for', NOT_STARTED, 1_000, NOT_STARTED],
  ])('%s', (_, state, hours, next) => {
    expect(nextRecordState(state, verdict, afterHours(hours))).toEqual(next)
  })
})

describe('asking for verification', () => {
  const now = afterHours(50)

  it.each([NOT_STARTED, PENDING, FAILED])('gives a record that is $status 72 hours from now', (state) => {
    expect(askedRecordState(state, now)).toEqual({ status: 'pending', missingSince: now })
  })

  it.each([VERIFIED, MISSED])('leaves a record alone that is $status, with its time', (state) => {
    expect(askedRecordState(state, now)).toEqual(state)
  })
})

it('a record lives from not started to verified, failed temporarily and back, and to failed', () => {
  const verdicts = [
    ['absent', 1],
    ['unknown', 20],
    ['right', 40],
    ['other', 60],
    ['absent', 80],
    ['right', 100],
    ['absent', 120],
    ['absent', 200],
  ] as const
  const story = [askedRecordState(NOT_STARTED, START)]
  for (const [verdict, hours] of verdicts) story.push(nextRecordState(story.at(-1) ?? NOT_STARTED, verdict, afterHours(hours)))
  expect(story.map(({ status }) => status)).toEqual([
    'pending',
    'pending',
    'pending',
    'verified',
    'temporary_failure',
    'temporary_failure',
    'verified',
    'temporary_failure',
    'failed',
  ])
})
