// Registers a domain: its name is judged before anything is stored.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { Failure, invalid } from '../lib/failure.ts'
import { DKIM_ALGORITHMS } from '../lib/signing/key-pairs.ts'
import { HOST_IN_USE, TOO_MANY_DOMAINS } from '../mail/domains/domain-fields.ts'
import { newDomainOf } from '../mail/domains/new-domain.ts'
import type { DomainWithRecords } from '../repositories/domains/domain-rows.ts'
import { DOMAINS_MAX, type DomainCreate } from '../schemas/domains.ts'

/** @throws Failure `validation` for a field, `forbidden` for a name that the team has already. */
export async function registerDomain(
  { repositories, config, makeDkimKey }: Pick<Context, 'repositories' | 'config' | 'makeDkimKey'>,
  teamId: string,
  body: Static<typeof DomainCreate>,
): Promise<DomainWithRecords> {
  const domain = newDomainOf(body, [config.mailHostname, ...config.simulatorDomains])
  // Before its keys are made, which takes time.
  if (await repositories.domains.findByName(teamId, domain.name)) throw taken(domain.name)
  const keys = await Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeDkimKey(algorithm, teamId)))
  const created = await repositories.domains.create(teamId, domain, keys, DOMAINS_MAX)
  if (created === 'full') throw invalid(TOO_MANY_DOMAINS)
  if (created === 'taken') throw taken(domain.name)
  if (created === 'hostInUse') throw invalid(HOST_IN_USE)
  return created
}

const taken = (name: string): Failure =>
  new Failure('forbidden', `The domain \`${name}\` is already registered. Use the one that you have.`)
