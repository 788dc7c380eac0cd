import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { Failure, notFound } from '../../../lib/failure.ts'
import type { DomainsContext } from '../domains.context.ts'
import { DOMAINS, DomainParams } from '../domains.schema.ts'
import { CLAIM_DAYS, type ClaimEnd, claimRecordValue, claimStatus, RESERVED_DAYS } from './claim-states.ts'
import type { ClaimWithRegion } from './domain-claims.repository.ts'
import { CLAIM_LIMIT, DOMAIN_CLAIMS, DomainClaim, DomainClaimCreate } from './domain-claims.schema.ts'
import { claimDomain } from './domain-claims.service.ts'

type Context = PlatformContext & DomainsContext

export function toDomainClaim(claim: ClaimWithRegion, now: Date): Static<typeof DomainClaim> {
  const status = claimStatus(claim, now)
  return {
    object: 'domain_claim',
    id: claim.id,
    name: claim.name,
    status,
    domain_id: claim.region === null ? null : claim.domainId,
    region: claim.region,
    record: { type: 'TXT', name: claim.name, value: claimRecordValue(claim.token), ttl: 'Auto' },
    blocked_reason: status === 'blocked' ? claim.blockedReason : null,
    failure_reason: claim.failureReason,
    created_at: toTimestamp(claim.createdAt),
    expires_at: toTimestamp(claim.expiresAt),
  }
}

const operation = declareOperations(DOMAIN_CLAIMS)

export const domainClaimRoutes: Routes<Context> = async (app, { context }) => {
  const { clock } = context

  const { domainClaims, domains } = context.repositories

  async function noClaim(teamId: string, domainId: string): Promise<Failure> {
    return notFound((await domains.find(teamId, domainId)) ? DOMAIN_CLAIMS.noun : DOMAINS.noun)
  }

  app.post(
    '/domains/claim',
    operation({
      id: 'domains.claims.create',
      summary: 'Claim a domain',
      description: `Claims a domain that another team has verified, and returns the TXT record that proves that it is yours. If your team has an open claim on it, returns that one with the status 200. ${CLAIM_LIMIT.sentence}, each for ${CLAIM_DAYS} days; to cancel one, delete the domain.`,
      access: 'full',
      audit: 'always',
      body: DomainClaimCreate,
      reply: { 200: DomainClaim, 201: DomainClaim },
      example: { body: { name: DOMAIN_CLAIMS.example.name }, reply: EXAMPLE },
    }),
    async ({ teamId, body }, reply) => {
      const { claim, isNew } = await claimDomain(context, teamId, body)
      if (!isNew) reply.code(200)
      return toDomainClaim(claim, clock.now())
    },
  )

  app.get(
    '/domains/:domain_id/claim',
    operation({
      id: 'domains.claims.retrieve',
      summary: 'Retrieve a domain claim',
      description: 'Returns the latest claim of a domain, by the id of the domain.',
      access: 'full',
      audit: 'never',
      params: DomainParams,
      reply: { 200: DomainClaim },
      example: { reply: EXAMPLE },
    }),
    async ({ teamId, params }) => {
      const claim = await domainClaims.find(teamId, params.domain_id)
      if (!claim) throw await noClaim(teamId, params.domain_id)
      return toDomainClaim(claim, clock.now())
    },
  )

  app.post(
    '/domains/:domain_id/claim/verify',
    operation({
      id: 'domains.claims.verify',
      summary: 'Verify a domain claim',
      description: `Checks the TXT record of a claim in the DNS, repeatedly until the claim is completed or expires. The response is immediate; retrieve the claim to see its status. Once it is completed, the domain of the other team is no longer verified, and yours has ${RESERVED_DAYS} days to publish the new DKIM records and to verify the domain before others can.`,
      access: 'full',
      audit: 'always',
      params: DomainParams,
      reply: { 200: DomainClaim },
      example: { reply: EXAMPLE },
    }),
    async ({ teamId, params }) => {
      const result = await domainClaims.ask(teamId, params.domain_id)
      if (!result) throw await noClaim(teamId, params.domain_id)
      if ('ended' in result) throw new Failure('forbidden', END_SENTENCES[result.ended])
      return toDomainClaim(result.claim, clock.now())
    },
  )
}

const EXAMPLE = { object: 'domain_claim' as const, ...DOMAIN_CLAIMS.example }

const END_SENTENCES: Record<ClaimEnd, string> = {
  expired: 'This claim has expired. Claim the domain again with POST /domains/claim.',
  superseded: 'Another team has taken over this domain. Claim it again with POST /domains/claim.',
  canceled: 'The domain of this claim was deleted. Claim it again with POST /domains/claim.',
  failed: 'Your team has verified this domain without the claim. There is nothing to verify.',
}
