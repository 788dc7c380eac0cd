import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { endedWarnings } from '../lib/uses.ts'
import { DeletionQuery, WholeListQuery } from '../schemas/common.ts'
import {
  DOMAINS,
  DOMAINS_MAX,
  Domain,
  DomainCreate,
  DomainDeletion,
  DomainList,
  DomainParams,
  DomainReference,
  DomainUpdate,
} from '../schemas/domains.ts'
import { toDomain, toDomainSummary } from '../serializers/domains.ts'
import { toList } from '../serializers/list.ts'
import { deleteDomain, updateDomain, verifyDomain } from '../services/change-domain.ts'
import { registerDomain } from '../services/register-domain.ts'
import { type Call, operation, routes } from './operation.ts'

export const domainRoutes = routes(DOMAINS, (context) => {
  const { domains } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof DomainCreate }>) {
    return toDomain(await registerDomain(context, teamId, body))
  }

  async function list({ teamId, query }: Call<{ query: typeof WholeListQuery }>) {
    return toList(await domains.list(teamId, pageRequest(query, 'optional')), toDomainSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof DomainParams }>) {
    const domain = await domains.find(teamId, params.domain_id)
    if (!domain) throw notFound(DOMAINS.noun)
    return toDomain(domain)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof DomainParams; body: typeof DomainUpdate }>) {
    await updateDomain(context, { teamId, id: params.domain_id }, body)
    return { object: 'domain' as const, id: params.domain_id.toLowerCase() }
  }

  async function verify({ teamId, params }: Call<{ params: typeof DomainParams }>) {
    await verifyDomain(context, { teamId, id: params.domain_id })
    return { object: 'domain' as const, id: params.domain_id.toLowerCase() }
  }

  async function remove({ teamId, params, query, warn }: Call<{ params: typeof DomainParams; query: typeof DeletionQuery }>) {
    warn(endedWarnings(await deleteDomain(context, { teamId, id: params.domain_id }, { unlessUsed: query.unless_used === true })))
    return { object: 'domain' as const, id: params.domain_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'domains.create',
      method: 'POST',
      path: '/domains',
      summary: 'Register a domain',
      description: `Registers a domain and returns the DNS records to publish for it. A team can have at most ${DOMAINS_MAX.toLocaleString('en')} domains. Other teams may register the same name; the first team to verify it gets it.`,
      access: 'full',
      status: 201,
      body: DomainCreate,
      reply: Domain,
      example: { body: { name: DOMAINS.example.name }, reply: EXAMPLE },
      handle: create,
    }),
    operation({
      id: 'domains.list',
      method: 'GET',
      path: '/domains',
      summary: 'List domains',
      description:
        'Returns the domains of the team, newest first. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      query: WholeListQuery,
      reply: DomainList,
      example: { reply: { object: 'list', has_more: false, data: [DOMAINS.example] } },
      handle: list,
    }),
    operation({
      id: 'domains.retrieve',
      method: 'GET',
      path: '/domains/:domain_id',
      summary: 'Retrieve a domain',
      description: 'Returns a domain with its DNS records and the results of their last check.',
      access: 'full',
      params: DomainParams,
      reply: Domain,
      example: { reply: EXAMPLE },
      handle: retrieve,
    }),
    operation({
      id: 'domains.update',
      method: 'PATCH',
      path: '/domains/:domain_id',
      summary: 'Update a domain',
      description: 'Changes the settings of a domain. The name, the region and the return path cannot be changed.',
      access: 'full',
      params: DomainParams,
      body: DomainUpdate,
      reply: DomainReference,
      example: {
        body: { tls: 'enforced', capabilities: { receiving: 'enabled' } },
        reply: { object: 'domain', id: DOMAINS.example.id },
      },
      handle: update,
    }),
    operation({
      id: 'domains.verify',
      method: 'POST',
      path: '/domains/:domain_id/verify',
      summary: 'Verify a domain',
      description:
        'Checks the records of a domain in the DNS, repeatedly until they are found, for up to 72 hours. The response is immediate; retrieve the domain to see the results. A verified domain is checked again.',
      access: 'full',
      params: DomainParams,
      reply: DomainReference,
      example: { reply: { object: 'domain', id: DOMAINS.example.id } },
      handle: verify,
    }),
    operation({
      id: 'domains.delete',
      method: 'DELETE',
      path: '/domains/:domain_id',
      summary: 'Delete a domain',
      description:
        'Deletes a domain and the keys that sign its mail. Other teams can then verify the name. Where only verified domains may send, scheduled emails from it are canceled, up to 10,000 at once, and others fail at their time; scheduled broadcasts from it become drafts again. Elsewhere they are sent without a signature. API keys that are restricted to it can send nothing.',
      access: 'full',
      params: DomainParams,
      query: DeletionQuery,
      reply: DomainDeletion,
      example: { reply: { object: 'domain', id: DOMAINS.example.id, deleted: true } },
      warns: true,
      handle: remove,
    }),
  ]
})

const RECORD = { ttl: 'Auto', status: 'not_started' as const, found: [] }
const EXAMPLE = {
  object: 'domain' as const,
  ...DOMAINS.example,
  tracking_subdomain: null,
  tls: 'opportunistic' as const,
  records: [
    { ...RECORD, record: 'SPF' as const, name: 'send', type: 'MX' as const, value: 'mail.example.net', priority: 10 },
    { ...RECORD, record: 'SPF' as const, name: 'send', type: 'TXT' as const, value: 'v=spf1 a:mail.example.net ~all' },
  ],
  recommended_records: [{ ...RECORD, record: 'DMARC' as const, name: '_dmarc', type: 'TXT' as const, value: 'v=DMARC1; p=none;' }],
}
