import { type Problem, problem } from '../../lib/problem.ts'

const LABEL_LENGTH_MAX = 63

/** One label of a host name, in lower case (RFC 1123, section 2.1). */
export function parseHostLabel(text: string): string | Problem {
  const label = text.trim().toLowerCase()
  if (label.length > LABEL_LENGTH_MAX) return problem(`may not be longer than ${LABEL_LENGTH_MAX} characters`)
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label)
    ? label
    : problem('must be one label of a host name, such as `links`: letters, digits and hyphens, with no hyphen at either end')
}
