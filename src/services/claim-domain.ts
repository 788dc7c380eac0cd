// Claims a domain that another team has: what is wrong with the claim is said before anything is stored.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { Failure, invalid } from '../lib/failure.ts'
import { DKIM_ALGORITHMS } from '../lib/signing/key-pairs.ts'
import { createClaimToken } from '../lib/tokens.ts'
import { HOST_IN_USE, TOO_MANY_DOMAINS } from '../mail/domains/domain-fields.ts'
import { newDomainOf } from '../mail/domains/new-domain.ts'
import type { ClaimWithRegion } from '../repositories/domains/claim-rows.ts'
import type { ClaimCreation, ClaimedSettings } from '../repositories/domains/domain-claims.ts'
import type { NewDomain } from '../repositories/domains/new-domains.ts'
import { CLAIMS_MAX, type DomainClaimCreate } from '../schemas/domain-claims.ts'
import { DOMAINS_MAX } from '../schemas/domains.ts'

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
  const domain = newDomainOf({ ...body, tls: null, capabilities: null }, [config.mailHostname, ...config.simulatorDomains])
  const hasDomain = (await domains.findByName(teamId, domain.name)) !== null
  // Before its keys are made, which takes time.
  if (!hasDomain && !(await domainClaims.holderOf(teamId, domain.name))) throw refusal('free', domain.name)
  const keys = hasDomain ? null : await Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeDkimKey(algorithm, teamId)))
  const claim = { domain, stated: statedIn(body, domain), token: createClaimToken(), keys }
  const result = await domainClaims.create(teamId, claim, { claimsMax: CLAIMS_MAX, domainsMax: DOMAINS_MAX })
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
    case 'fullOfClaims':
      return invalid(`A team can have at most ${CLAIMS_MAX} open claims. Verify some of them, or delete their domains, first.`)
    case 'full':
      return invalid(TOO_MANY_DOMAINS)
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
