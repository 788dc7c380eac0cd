// What sending needs to know of the domain of a sender.
import { returnPathHost } from '../../lib/domains/wanted-records.ts'
import type { Database } from '../database.ts'

export type SendingDomain = {
  id: string
  /** Mail from it is sent over TLS only. */
  requiresTls: boolean
  /** Where its bounces return. Null unless its owner has published the records for that. */
  returnPathHost: string | null
  /** Through which host its mail is tracked, and what. Null if nothing is. */
  tracking: { host: string; opens: boolean; clicks: boolean } | null
}

export function sendingDomainRepository({ tables }: Pick<Database, 'tables'>) {
  /** A record that is missed counts for as long as the domain is used because of it. */
  async function isReturnPathVerified(domainId: string): Promise<boolean> {
    const kinds = ['ReturnPathMX', 'SPF']
    const where = { domainId, kind: { in: kinds }, status: { in: ['verified', 'temporary_failure'] } }
    return (await tables.domainRecord.count({ where })) === kinds.length
  }

  return {
    async find(teamId: string, name: string): Promise<SendingDomain | null> {
      const select = { id: true, name: true, tls: true, returnPath: true, ownsName: true, ...trackingColumns }
      const domain = await tables.domain.findFirst({ where: { teamId, name }, select })
      if (!domain) return null
      // These records are the same for every team, so another team's domain of the same name has them too.
      const hasReturnPath = domain.ownsName && (await isReturnPathVerified(domain.id))
      return {
        id: domain.id,
        requiresTls: domain.tls === 'enforced',
        returnPathHost: hasReturnPath ? returnPathHost(domain) : null,
        tracking: domain.ownsName ? trackingOf(domain) : null,
      }
    },
  }
}

const trackingColumns = { trackingHost: true, openTracking: true, clickTracking: true } as const

const trackingOf = ({ trackingHost: host, openTracking: opens, clickTracking: clicks }: TrackingSettings): SendingDomain['tracking'] =>
  host !== null && (opens || clicks) ? { host, opens, clicks } : null

type TrackingSettings = { trackingHost: string | null; openTracking: boolean; clickTracking: boolean }
