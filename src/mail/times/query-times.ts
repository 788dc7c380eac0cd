import { invalid } from '../../lib/failure.ts'
import { isProblem } from '../../lib/problem.ts'
import { parseIsoTime } from './iso-times.ts'

/**
 * The time that a query parameter names, in UTC unless it has an offset.
 * @throws Failure `validation` for other texts, and for a date or time that does not exist
 */
export function timeOfParameter(name: string, text: string): Date {
  const time = parseIsoTime(text.trim())
  if (time === null)
    throw invalid(`The \`${name}\` parameter must be an ISO 8601 date or time, such as \`2026-11-20\` or \`2026-11-20T15:00:00Z\`.`)
  if (isProblem(time)) throw invalid(`The \`${name}\` parameter ${time.problem}.`)
  return new Date(time.wallClockMs - (time.offsetMs ?? 0))
}
