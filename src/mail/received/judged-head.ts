// Whether a message may be judged. The library that judges keeps what each signature covers, joins lines in a time that grows with the square of their
// number, and has no limits of its own. Honest messages have a hundred lines, a few kilobytes and three signatures.

/** How much of a head is judged. */
export const JUDGED_BYTES_MAX = 64 * 1024
export const JUDGED_LINES_MAX = 2_000
export const JUDGED_SIGNATURES_MAX = 10
/** Each server that passed the message on may have added one, whose key is looked up. RFC 8617 allows 50; three are many. */
export const JUDGED_ARC_SETS_MAX = 10

export type Judgeable = 'wholly' | 'without ARC' | 'not at all'

/** `beginning`: the first bytes of the message, one more than may be judged if it has so many. */
export function judgeable(beginning: Buffer): Judgeable {
  let lines = 0
  const counts = new Map<string, number>()
  const isMore = (names: readonly string[], max: number) => names.some((name) => (counts.get(name) ?? 0) > max)
  const judged = () => (isMore(ARC_FIELDS, JUDGED_ARC_SETS_MAX) ? 'without ARC' : 'wholly')
  for (let at = 0; at < beginning.length; ) {
    const end = beginning.indexOf(LINE_FEED, at)
    const line = beginning.subarray(at, end === -1 ? undefined : end)
    if (line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)) return judged()
    const name = FIELDS.find((field) => line.toString('latin1', 0, field.length).toLowerCase() === field)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
    lines += 1
    if (lines > JUDGED_LINES_MAX || isMore([SIGNATURE], JUDGED_SIGNATURES_MAX)) return 'not at all'
    if (end === -1) break
    at = end + 1
  }
  return beginning.length > JUDGED_BYTES_MAX ? 'not at all' : judged()
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SIGNATURE = 'dkim-signature'
const ARC_FIELDS = ['arc-seal', 'arc-message-signature', 'arc-authentication-results']
const FIELDS = [SIGNATURE, ...ARC_FIELDS]
