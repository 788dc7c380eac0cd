import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

/** Far above what browsers send; finding the best of a longer list is not worth its time. */
const ACCEPT_LENGTH_MAX = 1_000

/** Whether the one who asks would rather have HTML than JSON, as browsers say by `Accept` (RFC 9110, section 12.5.1). Programs that take anything get JSON. */
export const wantsPage = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  (headers.accept ?? '').length <= ACCEPT_LENGTH_MAX &&
  new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
