// A domain as a client describes it, in the form that is stored. The same for a domain that is registered and for one that is claimed.
import type { Static } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import type { DomainCreate } from '../../schemas/domains.ts'
import { labelOf, NO_CAPABILITY, SAME_HOST } from './domain-fields.ts'
import { parseDomainName } from './domain-names.ts'

const DEFAULT_RETURN_PATH = 'send'

/**
 * @param refusedNames names of this server itself, as `canonicalDomain` gives them.
 * @throws Failure about the first field that is wrong.
 */
export function newDomainOf(body: Static<typeof DomainCreate>, refusedNames: readonly string[]) {
  const parsed = parseDomainName(body.name, { refusedNames })
  if ('problem' in parsed) throw invalid(`The \`name\` field ${parsed.problem}.`)
  const returnPath = labelOf('custom_return_path', body.custom_return_path ?? DEFAULT_RETURN_PATH)
  const trackingSubdomain = body.tracking_subdomain == null ? null : labelOf('tracking_subdomain', body.tracking_subdomain)
  if (returnPath === trackingSubdomain) throw invalid(SAME_HOST)
  const sending = body.capabilities?.sending !== 'disabled'
  const receiving = body.capabilities?.receiving === 'enabled'
  if (!sending && !receiving) throw invalid(NO_CAPABILITY)
  return {
    ...parsed,
    returnPath,
    trackingSubdomain,
    region: body.region ?? ('us-east-1' as const),
    tls: body.tls ?? ('opportunistic' as const),
    openTracking: body.open_tracking ?? false,
    clickTracking: body.click_tracking ?? false,
    sending,
    receiving,
  }
}
