import type { RecordAnswer } from '../../../src/lib/domains/domain-records.ts'

export const records = (...values: string[]): RecordAnswer => ({ kind: 'records', values })
export const ABSENT: RecordAnswer = { kind: 'absent' }
export const UNANSWERED: RecordAnswer = { kind: 'unanswered', reason: 'no answer came in time' }
