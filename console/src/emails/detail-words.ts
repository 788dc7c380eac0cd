// The detail of an event in words: its sentence first, then names and values.
import { timeText } from '../parts/Time'

type Fact = readonly [name: string, value: unknown]

export function detailWords(detail: Readonly<Record<string, unknown>>): string {
  if (typeof detail.is_machine === 'boolean') return readerActWords(detail)
  const facts = Object.entries(detail).flatMap(([name, value]): Fact[] => (isRecord(value) ? Object.entries(value) : [[name, value]]))
  const sentences = facts.filter(([name]) => name === 'message').map(([, value]) => String(value))
  if (sentences.length > 0) return sentences.join(' ')
  return facts
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueWords(name, value)}`)
    .join(', ')
}

const valueWords = (name: string, value: unknown): string =>
  typeof value === 'string' && name.endsWith('_at') ? timeText(value) : String(value)

/** Which link was followed, from where and with what; and whether a program has probably done it. */
function readerActWords({ click, is_machine: isMachine, machine_rule: rule }: Readonly<Record<string, unknown>>): string {
  const facts = isRecord(click) ? [click.link, click.ipAddress, click.userAgent] : []
  const doer = isMachine === true ? `probably by a program${typeof rule === 'string' ? ` (${rule})` : ''}` : 'probably by a person'
  return [...facts.filter(Boolean).map(String), doer].join(' · ')
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
