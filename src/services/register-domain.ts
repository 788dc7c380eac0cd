// Registers a domain: its name is judged before anything is stored.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { Failure, invalid } from '../lib/failure.ts'
import { HOST_IN_USE, labelOf, NO_CAPABILITY, SAME_HOST } from '../mail/domains/domain-fields.ts'
import { parseDomainName } from '../mail/domains/domain-names.ts'
import type { DomainWithRecords } from '../repositories/domains/domain-rows.ts'
import { DOMAINS_MAX, type DomainCreate } from '../schemas/domains.ts'

const DEFAULT_RETURN_PATH = 'send'

/** @throws Failure `validation` for a field, `forbidden` for a name that the team has already. */
export async function registerDomain(
  { repositories, config, makeDkimKey }: Pick<Context, 'repositories' | 'config' | 'makeDkimKey'>,
  teamId: string,
  body: Static<typeof DomainCreate>,
): Promise<DomainWithRecords> {
  const refusedNames = [config.mailHostname, ...config.simulatorDomains]
  const parsed = parseDomainName(body.name, { refusedNames })
  if ('problem' in parsed) throw invalid(`The \`name\` field ${parsed.problem}.`)
  const returnPath = labelOf('custom_return_path', body.custom_return_path ?? DEFAULT_RETURN_PATH)
  const trackingSubdomain = body.tracking_subdomain == null ? null : labelOf('tracking_subdomain', body.tracking_subdomain)
  if (returnPath === trackingSubdomain) throw invalid(SAME_HOST)
  const sending = body.capabilities?.sending !== 'disabled'
  const receiving = body.capabilities?.receiving === 'enabled'
  if (!sending && !receiving) throw invalid(NO_CAPABILITY)
  // Before its keys are made, which takes time.
  if (await repositories.domains.findByName(teamId, parsed.name)) throw taken(parsed.name)
  const created = await repositories.domains.create(
    teamId,
    {
      ...parsed,
      returnPath,
      trackingSubdomain,
      region: body.region ?? 'us-east-1',
      tls: body.tls ?? 'opportunistic',
      openTracking: body.open_tracking ?? false,
      clickTracking: body.click_tracking ?? false,
      sending,
      receiving,
    },
    [await makeDkimKey('rsa-sha256'), await makeDkimKey('ed25519-sha256')],
    DOMAINS_MAX,
  )
  if (created === 'full') throw invalid(`A team can have at most ${DOMAINS_MAX.toLocaleString('en')} domains. Delete one first.`)
  if (created === 'taken') throw taken(parsed.name)
  if (created === 'hostInUse') throw invalid(HOST_IN_USE)
  return created
}

const taken = (name: string): Failure =>
  new Failure('forbidden', `The domain \`${name}\` is already registered. Use the one that you have.`)
