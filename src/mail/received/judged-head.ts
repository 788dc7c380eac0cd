// Whether a message may be judged. The library that judges keeps what each signature covers, joins lines in a time that grows with the square of their
// number, and has no limits of its own. Honest messages have a hundred lines, a few kilobytes and three signatures.

/** Of a head. */
export const JUDGED_BYTES_MAX = 64 * 1024
export const JUDGED_LINES_MAX = 2_000
export const JUDGED_SIGNATURES_MAX = 10

/** `beginning`: the first bytes of the message, one more than may be judged if it has so many. */
export function isTooMuchToJudge(beginning: Buffer): boolean {
  let lines = 0
  let signatures = 0
  for (let at = 0; at < beginning.length; ) {
    const end = beginning.indexOf(LINE_FEED, at)
    const line = beginning.subarray(at, end === -1 ? undefined : end)
    if (line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)) return false
    if (line.toString('latin1', 0, SIGNATURE.length).toLowerCase() === SIGNATURE) signatures += 1
    lines += 1
    if (lines > JUDGED_LINES_MAX || signatures > JUDGED_SIGNATURES_MAX) return true
    if (end === -1) break
    at = end + 1
  }
  return beginning.length > JUDGED_BYTES_MAX
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SIGNATURE = 'dkim-signature'
