// What domains gives to those that come after: its repositories, and what else compose makes of it.

import type { Database } from '../../db/database.ts'
import type { RecordUses } from '../../db/record-uses.ts'
import type { RecordLookup } from '../../io/dns/record-lookup.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DkimAlgorithm } from '../../lib/crypto/keys.ts'
import type { DkimSigner } from '../../mail/dkim/signature-fields.ts'
import type { Installation } from '../../mail/record-types.ts'
import { domainCheckRepository } from './checks/domain-checks.repository.ts'
import { claimCheckRepository } from './claims/claim-checks.repository.ts'
import { domainClaimRepository } from './claims/domain-claims.repository.ts'
import { dkimKeyRepository, type NewDkimKey } from './dkim/dkim-keys.repository.ts'
import { keyRotationRepository } from './dkim/key-rotation.repository.ts'
import { trackingHostRepository } from './domain-states.repository.ts'
import { domainRepository } from './domains.repository.ts'
import { senderMailRepository, sendingDomainRepository, verifiedDomainRepository } from './sender.repository.ts'

export type SenderIdentity = {
  /** Only keys whose record was seen. */
  signers: readonly DkimSigner[]
  /** Whether there is such a key, also one that cannot be opened. Not after the domain was deleted, or its name went to another team. */
  hasKeys: boolean
  /** Where bounces return; null unless the team has verified it. */
  returnPathHost: string | null
  /** Mail is sent over TLS, or not at all. */
  requiresTls: boolean
  /** Null if nothing is tracked. */
  tracking: MailTracking | null
}

/** What is tracked in the mail of a sender. */
export type MailTracking = {
  /** Base of its links, without a slash at the end. */
  baseUrl: string
  /** Whose settings ask for it; null if the operator's do. */
  domainId: string | null
  opens: boolean
  clicks: boolean
}

export type DomainsContext = {
  repositories: ReturnType<typeof domainsRepositories>
  gateways: {
    /** What the DNS says of the domains of teams. */
    domainDns: RecordLookup
  }
  /** What this domain (a lower-case A-label) says about mail from it: nothing if the team does not have it. */
  senderIdentityOf: (teamId: string, fromDomain: string) => Promise<SenderIdentity>
  /** A new key for the mail of a domain, to be stored. */
  makeDkimKey: (algorithm: DkimAlgorithm, teamId: string) => Promise<NewDkimKey>
}

export const domainsRepositories = (
  database: Database,
  { clock, installation, recordUses }: { clock: Clock; installation: Installation; recordUses: RecordUses },
) => ({
  claimChecks: claimCheckRepository(database, { clock, installation }),
  dkimKeys: dkimKeyRepository(database),
  domainChecks: domainCheckRepository(database, { clock, installation }),
  domainClaims: domainClaimRepository(database, { clock, installation }),
  domains: domainRepository(database, { clock, installation, recordUses }),
  keyRotation: keyRotationRepository(database, { clock, installation }),
  sendingDomains: sendingDomainRepository(database),
  senderMail: senderMailRepository(database),
  trackingHosts: trackingHostRepository(database),
  verifiedDomains: verifiedDomainRepository(database),
})
