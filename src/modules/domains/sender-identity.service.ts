// Finds what the domain of a sender says about its mail. Every message asks, so the answers and the opened keys are remembered for a while.
import type { KeyObject } from 'node:crypto'
import type { PlatformContext } from '../../http/platform.context.ts'
import { createExpiringCache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DkimAlgorithm } from '../../lib/crypto/keys.ts'
import { createSharedLookups } from '../../lib/shared-lookups.ts'
import type { DkimSigner } from '../../mail/dkim/signature-fields.ts'
import { type KeyVersions, openPrivateKey } from '../secrets/data-keys.ts'
import type { SigningKeyRow } from './dkim/dkim-keys.repository.ts'
import type { DomainsContext, MailTracking, SenderIdentity } from './domains.context.ts'
import type { SendingDomain } from './sender.repository.ts'

type Context = PlatformContext & DomainsContext

export type SenderIdentitySearchOptions = {
  sendingDomains: Pick<Context['repositories']['sendingDomains'], 'find'>
  dkimKeys: Pick<Context['repositories']['dkimKeys'], 'signingKeysOf'>
  /** The data keys of the moment. */
  versionsOf: () => KeyVersions
  /** Where a tracking host answers. */
  trackingUrlOf: (host: string) => string
  /** Applies to senders whose domain the team does not have. */
  defaultTracking: MailTracking | null
  clock: Clock
  log: Pick<Context['log'], 'error'>
}

/**
 * Mail is signed with a new key, no longer with a retired one, and sent as the settings of the domain say, within this time. What is not signed is asked for each
 * time, so that the first email after a domain was verified has its signature.
 */
const IDENTITY_MS = 10_000

/** The two keys of a domain take about 10 KB once they are opened. */
const DOMAINS_MAX = 2_000

const KEY_TYPES: Record<DkimAlgorithm, KeyObject['asymmetricKeyType']> = { 'rsa-sha256': 'rsa', 'ed25519-sha256': 'ed25519' }

export function createSenderIdentitySearch(options: SenderIdentitySearchOptions): Context['senderIdentityOf'] {
  const { sendingDomains, dkimKeys, versionsOf, trackingUrlOf, defaultTracking, clock, log } = options
  const known = createExpiringCache<SenderIdentity>({ entriesMax: DOMAINS_MAX, clock })
  const searches = createSharedLookups(isSigned)

  async function search(teamId: string, name: string): Promise<SenderIdentity> {
    const domain = await sendingDomains.find(teamId, name)
    if (domain === null) return { signers: [], hasKeys: false, returnPathHost: null, requiresTls: false, tracking: defaultTracking }
    const { id, requiresTls, returnPathHost, tracking } = domain
    const keys = await dkimKeys.signingKeysOf(teamId, id)
    return {
      signers: openSigners(teamId, name, keys),
      hasKeys: keys.length > 0,
      returnPathHost,
      requiresTls,
      tracking: tracking && ofDomain(id, tracking),
    }
  }

  const ofDomain = (domainId: string, { host, opens, clicks }: NonNullable<SendingDomain['tracking']>): MailTracking => ({
    baseUrl: trackingUrlOf(host),
    domainId,
    opens,
    clicks,
  })

  function openSigners(teamId: string, domain: string, keys: readonly SigningKeyRow[]): DkimSigner[] {
    return keys.flatMap(({ id, selector, algorithm, privateKey: sealed, keyVersion }) => {
      const privateKey = openPrivateKey(versionsOf(), id, { sealed, keyVersion })
      if (privateKey !== null && privateKey.asymmetricKeyType === KEY_TYPES[algorithm]) return [{ domain, selector, algorithm, privateKey }]
      // Mail with one signature less is better than none.
      log.error({ teamId, dkimKeyId: id, keyVersion }, 'private key of a domain not opened, mail is not signed with it')
      return []
    })
  }

  async function searchOnce(key: string, teamId: string, fromDomain: string): Promise<SenderIdentity> {
    const identity = await search(teamId, fromDomain)
    if (isSigned(identity)) known.set(key, identity, IDENTITY_MS)
    return identity
  }

  return async (teamId, fromDomain) => {
    const key = `${teamId} ${fromDomain}`
    return known.get(key) ?? searches.find(key, () => searchOnce(key, teamId, fromDomain))
  }
}

const isSigned = ({ signers }: SenderIdentity): boolean => signers.length > 0
