import { CLAIM_DAYS, type ClaimEnd, RESERVED_DAYS } from '../lib/domains/claim-states.ts'
import { Failure, notFound } from '../lib/failure.ts'
import { CLAIMS_MAX, DOMAIN_CLAIMS, DomainClaim, DomainClaimCreate } from '../schemas/domain-claims.ts'
import { DOMAINS, DomainParams } from '../schemas/domains.ts'
import { toDomainClaim } from '../serializers/domain-claims.ts'
import { claimDomain } from '../services/claim-domain.ts'
import { type Call, operation, routes } from './operation.ts'

export const domainClaimRoutes = routes(DOMAIN_CLAIMS, (context) => {
  const { clock } = context
  const { domainClaims, domains } = context.repositories

  async function create({ teamId, body, foundExisting }: Call<{ body: typeof DomainClaimCreate }>) {
    const { claim, isNew } = await claimDomain(context, teamId, body)
    if (!isNew) foundExisting()
    return toDomainClaim(claim, clock.now())
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof DomainParams }>) {
    const claim = await domainClaims.find(teamId, params.domain_id)
    if (!claim) throw await noClaim(teamId, params.domain_id)
    return toDomainClaim(claim, clock.now())
  }

  async function verify({ teamId, params }: Call<{ params: typeof DomainParams }>) {
    const result = await domainClaims.ask(teamId, params.domain_id)
    if (!result) throw await noClaim(teamId, params.domain_id)
    if ('ended' in result) throw new Failure('forbidden', END_SENTENCES[result.ended])
    return toDomainClaim(result.claim, clock.now())
  }

  async function noClaim(teamId: string, domainId: string): Promise<Failure> {
    return notFound((await domains.find(teamId, domainId)) ? DOMAIN_CLAIMS.noun : DOMAINS.noun)
  }

  return [
    operation({
      id: 'domains.claims.create',
      method: 'POST',
      path: '/domains/claim',
      summary: 'Claim a domain',
      description: `Claims a domain that another team has verified, and returns the TXT record that proves that it is yours. If your team has an open claim on it, returns that one with the status 200. A team can have at most ${CLAIMS_MAX} open claims, each for ${CLAIM_DAYS} days; to cancel one, delete the domain.`,
      access: 'full',
      status: 201,
      findsExisting: true,
      body: DomainClaimCreate,
      reply: DomainClaim,
      example: { body: { name: DOMAIN_CLAIMS.example.name }, reply: EXAMPLE },
      handle: create,
    }),
    operation({
      id: 'domains.claims.retrieve',
      method: 'GET',
      path: '/domains/:domain_id/claim',
      summary: 'Retrieve a domain claim',
      description: 'Returns the latest claim of a domain, by the id of the domain.',
      access: 'full',
      params: DomainParams,
      reply: DomainClaim,
      example: { reply: EXAMPLE },
      handle: retrieve,
    }),
    operation({
      id: 'domains.claims.verify',
      method: 'POST',
      path: '/domains/:domain_id/claim/verify',
      summary: 'Verify a domain claim',
      description: `Checks the TXT record of a claim in the DNS, repeatedly until the claim is completed or expires. The response is immediate; retrieve the claim to see its status. Once it is completed, the domain of the other team is no longer verified, and yours has ${RESERVED_DAYS} days to publish the new DKIM records and to verify the domain before others can.`,
      access: 'full',
      params: DomainParams,
      reply: DomainClaim,
      example: { reply: EXAMPLE },
      handle: verify,
    }),
  ]
})

const EXAMPLE = { object: 'domain_claim' as const, ...DOMAIN_CLAIMS.example }

const END_SENTENCES: Record<ClaimEnd, string> = {
  expired: 'This claim has expired. Claim the domain again with POST /domains/claim.',
  superseded: 'Another team has taken over this domain. Claim it again with POST /domains/claim.',
  canceled: 'The domain of this claim was deleted. Claim it again with POST /domains/claim.',
  failed: 'Your team has verified this domain without the claim. There is nothing to verify.',
}
