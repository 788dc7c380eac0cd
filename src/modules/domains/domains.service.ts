// What can be done with a domain that is registered. Each fails with `notFound` if the team has no such domain.
import type { Static } from '@sinclair/typebox'
import type { PlatformContext } from '../../http/platform.context.ts'
import { DKIM_ALGORITHMS } from '../../lib/crypto/keys.ts'
import { Failure, invalid, notFound } from '../../lib/failure.ts'
import { inUse, type Uses } from '../../lib/uses.ts'
import { parseDomainName, parseHostLabel } from '../../mail/domain-names.ts'
import type { DomainWithRecords } from './domain-rows.repository.ts'
import type { DomainsContext } from './domains.context.ts'
import { DOMAINS, type DomainCreate, type DomainUpdate } from './domains.schema.ts'

type Context = PlatformContext & DomainsContext

// The fields of a domain, whether it is registered or changed.

/** The label of a host under the domain, in lower case. */
export function parseLabel(field: string, text: string): string {
  const label = parseHostLabel(text)
  if (typeof label !== 'string') throw invalid(`The \`${field}\` field ${label.problem}.`)
  return label
}

export const NAME_TAKEN = 'Another team has this domain. If it is yours, claim it with POST /domains/claim.'

export const NO_CAPABILITY = 'The `capabilities` field must leave sending or receiving enabled.'

/** One of them has a CNAME, which excludes all other records (RFC 1034, section 3.6.2). */
export const SAME_HOST = 'The `tracking_subdomain` field must differ from `custom_return_path`.'

export const HOST_IN_USE =
  'The host of `custom_return_path` or `tracking_subdomain` and another of your domains would have the same name. Choose another label.'

// A domain as a client describes it, in the form that is stored. The same for a domain that is registered and for one that is claimed.

const DEFAULT_RETURN_PATH = 'send'

/**
 * @param refusedNames names of this server itself, as `canonicalDomain` gives them.
 * @throws Failure about the first field that is wrong.
 */
export function toNewDomain(body: Static<typeof DomainCreate>, refusedNames: readonly string[]) {
  const parsed = parseDomainName(body.name, { refusedNames })
  if ('problem' in parsed) throw invalid(`The \`name\` field ${parsed.problem}.`)
  const returnPath = parseLabel('custom_return_path', body.custom_return_path ?? DEFAULT_RETURN_PATH)
  const trackingSubdomain = body.tracking_subdomain == null ? null : parseLabel('tracking_subdomain', body.tracking_subdomain)
  if (returnPath === trackingSubdomain) throw invalid(SAME_HOST)
  const sending = body.capabilities?.sending !== 'disabled'
  const receiving = body.capabilities?.receiving === 'enabled'
  if (!sending && !receiving) throw invalid(NO_CAPABILITY)
  return {
    ...parsed,
    returnPath,
    trackingSubdomain,
    region: body.region ?? ('us-east-1' as const),
    tls: body.tls ?? ('opportunistic' as const),
    openTracking: body.open_tracking ?? false,
    clickTracking: body.click_tracking ?? false,
    sending,
    receiving,
  }
}

type Dependencies = Pick<Context, 'repositories'>
export type DomainReference = { teamId: string; id: string }

/** @throws Failure `validation` for a field. */
export async function updateDomain(
  { repositories }: Dependencies,
  { teamId, id }: DomainReference,
  { tls, tracking_subdomain, open_tracking, click_tracking, capabilities: { sending, receiving } = {} }: Static<typeof DomainUpdate>,
): Promise<void> {
  const result = await repositories.domains.updateDomain(teamId, id, {
    ...(tls && { tls }),
    ...(tracking_subdomain !== undefined && { trackingSubdomain: parseLabel('tracking_subdomain', tracking_subdomain) }),
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
): Promise<{ id: string; ended: Uses }> {
  const removed = await repositories.domains.deleteDomain(teamId, id, { unlessUsed, endsMail: config.senderPolicy === 'verified' })
  if (removed === null) throw notFound(DOMAINS.noun)
  if ('usedBy' in removed) throw inUse('domain', removed.usedBy)
  return removed
}

// Registers a domain: its name is judged before anything is stored.

/** @throws Failure `validation` for a field, `forbidden` for a name that the team has already. */
export async function registerDomain(
  { repositories, config, makeDkimKey }: Pick<Context, 'repositories' | 'config' | 'makeDkimKey'>,
  teamId: string,
  body: Static<typeof DomainCreate>,
): Promise<DomainWithRecords> {
  const domain = toNewDomain(body, [config.mailHostname, ...config.simulatorDomains])
  // Before its keys are made, which takes time.
  if (await repositories.domains.findByName(teamId, domain.name)) throw taken(domain.name)
  const keys = await Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeDkimKey(algorithm, teamId)))
  const created = await repositories.domains.create(teamId, domain, keys)
  if (created === 'taken') throw taken(domain.name)
  if (created === 'hostInUse') throw invalid(HOST_IN_USE)
  return created
}

const taken = (name: string): Failure =>
  new Failure('forbidden', `The domain \`${name}\` is already registered. Use the one that you have.`)
