import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

/** Far more than browsers send. Finding the best entry of a longer list is not worth its time. */
const ACCEPT_LENGTH_MAX = 1_000

/** Whether the client prefers HTML to JSON, as browsers say in `Accept` (RFC 9110, section 12.5.1). Programs that accept anything get JSON. */
export const wantsPage = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  (headers.accept ?? '').length <= ACCEPT_LENGTH_MAX &&
  new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
