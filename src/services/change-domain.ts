// What can be done with a domain that is registered. Each fails with `notFound` if the team has no such domain.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { Failure, invalid, notFound } from '../lib/failure.ts'
import { inUse, type Uses } from '../lib/uses.ts'
import { HOST_IN_USE, labelOf, NAME_TAKEN, NO_CAPABILITY, SAME_HOST } from '../mail/domains/domain-fields.ts'
import { DOMAINS, type DomainUpdate } from '../schemas/domains.ts'

type Dependencies = Pick<Context, 'repositories'>
export type DomainReference = { teamId: string; id: string }

/** @throws Failure `validation` for a field. */
export async function updateDomain(
  { repositories }: Dependencies,
  { teamId, id }: DomainReference,
  { tls, tracking_subdomain, open_tracking, click_tracking, capabilities: { sending, receiving } = {} }: Static<typeof DomainUpdate>,
): Promise<void> {
  const result = await repositories.domains.update(teamId, id, {
    ...(tls && { tls }),
    ...(tracking_subdomain !== undefined && { trackingSubdomain: labelOf('tracking_subdomain', tracking_subdomain) }),
    ...(open_tracking !== undefined && { openTracking: open_tracking }),
    ...(click_tracking !== undefined && { clickTracking: click_tracking }),
    ...(sending && { sending: sending === 'enabled' }),
    ...(receiving && { receiving: receiving === 'enabled' }),
  })
  if (result === null) throw notFound(DOMAINS.noun)
  if (result === 'none') throw invalid(NO_CAPABILITY)
  if (result === 'sameHost') throw invalid(SAME_HOST)
  if (result === 'hostInUse') throw invalid(HOST_IN_USE)
}

/** @throws Failure `forbidden` if the name is that of another team. */
export async function verifyDomain({ repositories }: Dependencies, { teamId, id }: DomainReference): Promise<void> {
  const result = await repositories.domainChecks.ask(teamId, id)
  if (result === null) throw notFound(DOMAINS.noun)
  if (result === 'owned') throw new Failure('forbidden', NAME_TAKEN)
}

/**
 * Returns what could not go on without it: where only verified domains may send, the mail that was scheduled from it.
 * @throws Failure `inUse` with `unlessUsed`, if mail is scheduled from it.
 */
export async function deleteDomain(
  { repositories, config }: Pick<Context, 'repositories' | 'config'>,
  { teamId, id }: DomainReference,
  { unlessUsed = false } = {},
): Promise<Uses> {
  const removed = await repositories.domains.remove(teamId, id, { unlessUsed, endsMail: config.senderPolicy === 'verified' })
  if (removed === null) throw notFound(DOMAINS.noun)
  if ('usedBy' in removed) throw inUse('domain', removed.usedBy)
  return removed.ended
}
