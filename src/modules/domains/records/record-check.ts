// Decides whether what the DNS answers is the record that a domain needs.

import { terminalText } from '../../../lib/startup-problem.ts'
import {
  holdsSameKey,
  isDmarcRecord,
  isSpfRecord,
  isValidDmarcRecord,
  permitsIssuer,
  permitsSameSenders,
} from '../../../mail/dns-records.ts'
import type { RecordAnswer, RecordKind, RecordVerdict, WantedRecord } from '../../../mail/record-types.ts'

/** `found`: what is published instead, for people to read. Empty if the record is right. */
export type RecordCheck = { verdict: RecordVerdict; found: string[] }

export function compareRecordAnswer(wanted: WantedRecord, answer: RecordAnswer): RecordCheck {
  if (answer.kind === 'unanswered') return { verdict: 'unknown', found: [] }
  const values = answer.kind === 'records' ? answer.values : []
  if (MATCHERS[wanted.kind](wanted, values)) return { verdict: 'right', found: [] }
  const published = answer.kind === 'absent' && answer.alias !== undefined ? [`CNAME ${answer.alias}`] : values
  return published.length === 0 ? { verdict: 'absent', found: [] } : { verdict: 'other', found: found(wanted.kind, published) }
}

/** Enough to see what is wrong. */
export const FOUND_VALUES_MAX = 10

/** An RSA key of 4096 bits has 736 characters. */
export const FOUND_LENGTH_MAX = 1_000

/** The records of the same purpose if there are any: a name may have many TXT records that are none of our business. */
function found(kind: RecordKind, values: readonly string[]): string[] {
  const related = values.filter(PURPOSES[kind] ?? (() => true))
  return (related.length > 0 ? related : values).slice(0, FOUND_VALUES_MAX).map(shown)
}

const PURPOSES: Partial<Record<RecordKind, (value: string) => boolean>> = { SPF: isSpfRecord, DMARC: isDmarcRecord }

function shown(value: string): string {
  const text = value.length > FOUND_LENGTH_MAX ? `${value.slice(0, FOUND_LENGTH_MAX)}...` : value
  return terminalText(text.toWellFormed())
}

type RecordMatcher = (wanted: WantedRecord, values: readonly string[]) => boolean

const matchesMx: RecordMatcher = ({ value }, values) => {
  const hosts = values.map(mailHost)
  const isOurs = ({ host }: { host: string }) => host === sameName(value)
  const lowest = hosts.filter(isOurs).reduce((least, { priority }) => Math.min(least, priority), Number.POSITIVE_INFINITY)
  // Mail goes to the host with the lowest number (RFC 5321, section 5.1), so it would go past ours to another one that is as low.
  return hosts.some(isOurs) && hosts.every((each) => isOurs(each) || each.priority > lowest)
}

const matchesSpf: RecordMatcher = ({ value, host }, values) => {
  const [record, ...others] = values.filter(isSpfRecord)
  // Receivers use none of several (RFC 7208, section 3.2).
  return record !== undefined && others.length === 0 && permitsSameSenders(record, value, host)
}

/** Receivers use any of several records at the name (RFC 6376, section 3.6.2.2). */
const matchesKey: RecordMatcher = ({ value }, values) => values.length > 0 && values.every((each) => holdsSameKey(each, value))

const matchesDmarc: RecordMatcher = (_, values) => {
  const [record, ...others] = values.filter(isDmarcRecord)
  // Receivers use none of several (RFC 7489, section 6.6.3).
  return record !== undefined && others.length === 0 && isValidDmarcRecord(record)
}

const matchesAlias: RecordMatcher = ({ value }, values) => values.length === 1 && values.every((each) => sameName(each) === sameName(value))

/** Without any, every authority may issue certificates. */
const matchesIssuer: RecordMatcher = ({ value }, values) => permitsIssuer(values, value)

const MATCHERS: Record<RecordKind, RecordMatcher> = {
  ReturnPathMX: matchesMx,
  SPF: matchesSpf,
  DKIM: matchesKey,
  DKIMEd25519: matchesKey,
  DMARC: matchesDmarc,
  Tracking: matchesAlias,
  TrackingCAA: matchesIssuer,
  Receiving: matchesMx,
}

/** Reads `10 mail.example.com`. */
function mailHost(value: string): { priority: number; host: string } {
  const [, priority = '0', host = value] = /^(\d{1,5}) (.*)$/s.exec(value) ?? []
  return { priority: Number(priority), host: sameName(host) }
}

/** Names are the same in any case, with or without the dot at the end. */
function sameName(name: string): string {
  const trimmed = name.trim().toLowerCase()
  return trimmed.endsWith('.') ? trimmed.slice(0, -1) : trimmed
}
