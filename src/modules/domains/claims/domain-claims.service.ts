// Claims a domain that another team has: what is wrong with the claim is said before anything is stored.
import type { Static } from '@sinclair/typebox'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DKIM_ALGORITHMS } from '../../../lib/crypto/keys.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { createClaimToken } from '../../../lib/ids.ts'
import type { DomainsContext } from '../domains.context.ts'
import { HOST_IN_USE, toNewDomain } from '../domains.service.ts'
import type { NewDomain } from '../new-domains.repository.ts'
import type { ClaimCreation, ClaimedSettings, ClaimWithRegion } from './domain-claims.repository.ts'
import type { DomainClaimCreate } from './domain-claims.schema.ts'

type Context = PlatformContext & DomainsContext

type Body = Static<typeof DomainClaimCreate>

/**
 * `isNew` is false for a claim that was open already.
 * @throws Failure `validation` for a field, `forbidden` for a name that cannot be claimed.
 */
export async function claimDomain(
  context: Pick<Context, 'repositories' | 'config' | 'makeDkimKey'>,
  teamId: string,
  body: Body,
): Promise<{ claim: ClaimWithRegion; isNew: boolean }> {
  const { config, makeDkimKey } = context
  const { domainClaims, domains } = context.repositories
  // A body from a request may have the fields that only POST /domains takes.
  const domain = toNewDomain({ ...body, tls: null, capabilities: null }, [config.mailHostname, ...config.simulatorDomains])
  const hasDomain = (await domains.findByName(teamId, domain.name)) !== null
  // Before its keys are made, which takes time.
  if (!hasDomain && !(await domainClaims.findHolder(teamId, domain.name))) throw refusal('free', domain.name)
  const keys = hasDomain ? null : await Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeDkimKey(algorithm, teamId)))
  const claim = { domain, stated: statedIn(body, domain), token: createClaimToken(), keys }
  const result = await domainClaims.create(teamId, claim)
  // The domain that the team had was deleted meanwhile.
  if (result === 'keysMissing') return claimDomain(context, teamId, body)
  if (typeof result === 'string' || 'differs' in result) throw refusal(result, domain.name)
  return result
}

/** What the body leaves out may be different in a domain that the team has. */
const statedIn = (body: Body, { region, returnPath, trackingSubdomain, openTracking, clickTracking }: NewDomain): ClaimedSettings => ({
  ...(body.region != null && { region }),
  ...(body.custom_return_path != null && { returnPath }),
  ...(body.tracking_subdomain != null && { trackingSubdomain }),
  ...(body.open_tracking != null && { openTracking }),
  ...(body.click_tracking != null && { clickTracking }),
})

function refusal(reason: Exclude<ClaimCreation, { claim: ClaimWithRegion } | 'keysMissing'>, name: string): Failure {
  if (typeof reason === 'object')
    return invalid(
      `The \`${FIELDS[reason.differs]}\` field differs from that of your domain \`${name}\`. Leave it out, or delete the domain before you claim it.`,
    )
  switch (reason) {
    case 'own':
      return new Failure('forbidden', `Your team has already verified the domain \`${name}\`. There is nothing to claim.`)
    case 'free':
      return new Failure(
        'forbidden',
        `No other team has verified the domain \`${name}\`. Register it with POST /domains, or verify the one that you have.`,
      )
    case 'hostInUse':
      return invalid(HOST_IN_USE)
  }
}

const FIELDS: Record<keyof ClaimedSettings, string> = {
  region: 'region',
  returnPath: 'custom_return_path',
  trackingSubdomain: 'tracking_subdomain',
  openTracking: 'open_tracking',
  clickTracking: 'click_tracking',
}
