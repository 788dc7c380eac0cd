// Mail of this installation that someone of the team looks at, such as a copy that it has received: looking at it, and following its links, counts nothing.
import { escapeHtml } from '../../mail/html/html-tokens.ts'
import { TRACKED_LINKS_MAX } from './tracked-html.ts'
import { TRACKING_TOKEN_LENGTH_MAX, type TrackingTokens } from './tracking-tokens.ts'

/** Shorter ones are none of ours: a token has the ids of an email, a recipient and a domain. */
const TOKEN_LENGTH_MIN = 80
/** The longest name of a host. */
const HOST_LENGTH_MAX = 253
const TRACKED = new RegExp(
  String.raw`https?://([\w.-]{1,${HOST_LENGTH_MAX}})(?::\d{1,5})?/t/[co]/([\w-]{${TOKEN_LENGTH_MIN},${TRACKING_TOKEN_LENGTH_MAX}})`,
  'gi',
)

/** A link leads to its target, and the image that counts opens is empty. What we have not signed stays as it is. */
export function withoutOwnTracking(html: string, tokens: Pick<TrackingTokens, 'read'>): string {
  let left = TRACKED_LINKS_MAX
  return html.replace(TRACKED, (whole, host: string, token: string) => {
    if (left === 0) return whole
    left -= 1
    const link = tokens.read(token, host)
    if ('refusal' in link) return whole
    return link.kind === 'click' ? escapeHtml(link.target) : NOTHING
  })
}

/** It contacts no server. */
const NOTHING = 'data:,'
