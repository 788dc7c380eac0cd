import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { DeletionQuery, WholeListQuery } from '../../lib/validation/common.schema.ts'
import type { CheckedRecord, DomainRow, DomainWithRecords } from './domain-rows.repository.ts'
import type { DomainsContext } from './domains.context.ts'
import {
  type DnsRecord,
  DOMAIN_LIMIT,
  DOMAINS,
  Domain,
  DomainCreate,
  DomainDeletion,
  DomainList,
  DomainParams,
  DomainReference,
  type DomainSummary,
  DomainUpdate,
} from './domains.schema.ts'
import { deleteDomain, registerDomain, updateDomain, verifyDomain } from './domains.service.ts'
import { isNeeded, relativeName, SHOWN_AS } from './records/wanted-records.ts'
import { trackedOf } from './tracked.ts'

type Context = PlatformContext & DomainsContext

export const toDomainSummary = (row: DomainRow): Static<typeof DomainSummary> => ({
  id: row.id,
  name: row.name,
  status: row.status,
  created_at: toTimestamp(row.createdAt),
  region: row.region,
  open_tracking: row.openTracking,
  click_tracking: row.clickTracking,
  tracked: { opens: trackedOf(row)?.opens ?? false, clicks: trackedOf(row)?.clicks ?? false },
  capabilities: { sending: toSwitch(row.sending), receiving: toSwitch(row.receiving) },
})

export const toDomain = (row: DomainWithRecords): Static<typeof Domain> => {
  const needed = row.records.filter(isNeeded)
  return {
    object: 'domain',
    ...toDomainSummary(row),
    tracking_subdomain: row.trackingSubdomain,
    tls: row.tls,
    checked_at: toTimestamp(row.checkedAt),
    next_check_at: toTimestamp(row.checkDueAt),
    ...(row.receivingUnprovenUntil !== null && { receiving_unproven_until: toTimestamp(row.receivingUnprovenUntil) }),
    records: needed.filter(({ isRecommended }) => !isRecommended).map((record) => toDnsRecord(record, row.root)),
    recommended_records: needed.filter(({ isRecommended }) => isRecommended).map((record) => toDnsRecord(record, row.root)),
  }
}

const toSwitch = (isEnabled: boolean): 'enabled' | 'disabled' => (isEnabled ? 'enabled' : 'disabled')

const toDnsRecord = ({ kind, type, host, value, priority, status, found }: CheckedRecord, root: string): Static<typeof DnsRecord> => ({
  record: SHOWN_AS[kind],
  name: relativeName(host, root),
  type,
  value,
  ttl: 'Auto',
  status,
  ...(priority !== null && { priority }),
  found,
})

const operation = declareOperations(DOMAINS)
const domain = plainResource(DOMAINS, 'domain')

export const domainRoutes: Routes<Context> = async (app, { context }) => {
  const { domains } = context.repositories

  app.post(
    '/domains',
    operation({
      id: 'domains.create',
      summary: 'Register a domain',
      description: `Registers a domain and returns the DNS records to publish for it. ${DOMAIN_LIMIT.sentence}. Other teams may register the same name; the first team to verify it gets it.`,
      access: 'full',
      audit: 'always',
      body: DomainCreate,
      reply: { 201: Domain },
      example: { body: { name: DOMAINS.example.name }, reply: EXAMPLE },
    }),
    async ({ teamId, body }) => {
      return toDomain(await registerDomain(context, teamId, body))
    },
  )

  app.get(
    '/domains',
    operation({
      id: 'domains.list',
      summary: 'List domains',
      description:
        'Returns the domains of the team, newest first. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      audit: 'never',
      isCount: true,
      query: WholeListQuery,
      reply: { 200: DomainList },
      example: { reply: domain.examples.list },
    }),
    domain.list(domains.list, toDomainSummary, 'optional'),
  )

  app.get(
    '/domains/:domain_id',
    operation({
      id: 'domains.retrieve',
      summary: 'Retrieve a domain',
      description: 'Returns a domain with its DNS records and the results of their last check.',
      access: 'full',
      audit: 'never',
      params: DomainParams,
      reply: { 200: Domain },
      example: { reply: EXAMPLE },
    }),
    domain.retrieve(domains.find, toDomain),
  )

  app.patch(
    '/domains/:domain_id',
    operation({
      id: 'domains.update',
      summary: 'Update a domain',
      description: 'Changes the settings of a domain. The name, the region and the return path cannot be changed.',
      access: 'full',
      audit: 'always',
      params: DomainParams,
      body: DomainUpdate,
      reply: { 200: DomainReference },
      example: {
        body: { tls: 'enforced', capabilities: { receiving: 'enabled' } },
        reply: domain.examples.reference,
      },
    }),
    async ({ teamId, params, body }) => {
      await updateDomain(context, { teamId, id: params.domain_id }, body)
      return domain.reference({ id: params.domain_id.toLowerCase() })
    },
  )

  app.post(
    '/domains/:domain_id/verify',
    operation({
      id: 'domains.verify',
      summary: 'Verify a domain',
      description:
        'Checks the records of a domain in the DNS, repeatedly until they are found, for up to 72 hours. The response is immediate; retrieve the domain to see the results. A verified domain is checked again.',
      access: 'full',
      audit: 'always',
      params: DomainParams,
      reply: { 200: DomainReference },
      example: { reply: domain.examples.reference },
    }),
    async ({ teamId, params }) => {
      await verifyDomain(context, { teamId, id: params.domain_id })
      return domain.reference({ id: params.domain_id.toLowerCase() })
    },
  )

  app.delete(
    '/domains/:domain_id',
    operation({
      id: 'domains.delete',
      confirms: true,
      summary: 'Delete a domain',
      description:
        'Deletes a domain and the keys that sign its mail. Other teams can then verify the name. Where only verified domains may send, scheduled emails from it are canceled, up to 10,000 at once, and others fail at their time; scheduled broadcasts from it become drafts again. Elsewhere they are sent without a signature. API keys that are restricted to it can send nothing.',
      access: 'full',
      audit: 'always',
      params: DomainParams,
      query: DeletionQuery,
      reply: { 200: DomainDeletion },
      example: { reply: domain.examples.deletion },
      warns: true,
    }),
    async ({ teamId, params, query }, reply) =>
      domain.deletionOfUsed(await deleteDomain(context, { teamId, id: params.domain_id }, { unlessUsed: query.unless_used }), reply),
  )
}

const RECORD = { ttl: 'Auto', status: 'not_started' as const, found: [] }
const EXAMPLE = {
  object: 'domain' as const,
  ...DOMAINS.example,
  tracking_subdomain: null,
  tls: 'opportunistic' as const,
  checked_at: null,
  next_check_at: null,
  records: [
    { ...RECORD, record: 'SPF' as const, name: 'send', type: 'MX' as const, value: 'mail.example.net', priority: 10 },
    { ...RECORD, record: 'SPF' as const, name: 'send', type: 'TXT' as const, value: 'v=spf1 a:mail.example.net ~all' },
  ],
  recommended_records: [{ ...RECORD, record: 'DMARC' as const, name: '_dmarc', type: 'TXT' as const, value: 'v=DMARC1; p=none;' }],
}
