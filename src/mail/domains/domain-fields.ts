// The fields of a domain, whether it is registered or changed.
import { invalid } from '../../lib/failure.ts'
import { DOMAINS_MAX } from '../../schemas/domains.ts'
import { parseHostLabel } from './host-labels.ts'

/** The label of a host under the domain, in lower case. */
export function labelOf(field: string, text: string): string {
  const label = parseHostLabel(text)
  if (typeof label !== 'string') throw invalid(`The \`${field}\` field ${label.problem}.`)
  return label
}

export const NAME_TAKEN = 'Another team has this domain. If it is yours, claim it with POST /domains/claim.'

export const NO_CAPABILITY = 'The `capabilities` field must leave sending or receiving enabled.'

/** One of them has a CNAME, which excludes all other records (RFC 1034, section 3.6.2). */
export const SAME_HOST = 'The `tracking_subdomain` field must differ from `custom_return_path`.'

export const HOST_IN_USE =
  'The host of `custom_return_path` or `tracking_subdomain` and another domain of yours would have the same name. Choose another label.'

export const TOO_MANY_DOMAINS = `A team can have at most ${DOMAINS_MAX.toLocaleString('en')} domains. Delete one first.`
