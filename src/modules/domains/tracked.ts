// What is tracked of the mail of a domain, of what its settings ask for.
import type { DomainRow } from './domain-rows.repository.ts'

type Settings = Pick<DomainRow, 'ownsName' | 'trackingHost' | 'openTracking' | 'clickTracking'>

/** The host to which its links lead, with what is tracked there. Null before its record was verified, and for a domain that another team owns. */
export const trackedOf = ({ ownsName, trackingHost: host, openTracking: opens, clickTracking: clicks }: Settings) =>
  ownsName && host !== null && (opens || clicks) ? { host, opens, clicks } : null
