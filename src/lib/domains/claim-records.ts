// The TXT record that proves that a team that claims a domain controls its DNS.
import type { RecordAnswer } from './domain-records.ts'

const PREFIX = 'posthaste-domain-verification='

/** It is published at the domain itself. */
export const claimRecordValue = (token: string): string => `${PREFIX}${token}`

/** Whether it is among the TXT records of the domain. Spaces around it are left by forms of registrars. */
export const holdsClaim = (answer: RecordAnswer, token: string): boolean =>
  answer.kind === 'records' && answer.values.some((value) => value.trim() === claimRecordValue(token))
