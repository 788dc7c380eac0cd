import { createId } from '../src/lib/ids.ts'
import type { WantedRecord } from '../src/mail/record-types.ts'
import type { DnsRecords } from '../test/support/servers/dns-server.ts'
import { query } from './place.ts'

/** The length of an RSA key of 2048 bits. */
const KEY = 'A'.repeat(392)
export const MAIL_HOST = 'mail.posthaste.test'
const SPF = `v=spf1 a:${MAIL_HOST} ~all`

export const domainAt = (index: number): string => `example${index}.test`

/** The six records of a domain that sends and receives. */
export const wantedOf = (domain: string): WantedRecord[] => [
  { kind: 'ReturnPathMX', type: 'MX', host: `send.${domain}`, value: MAIL_HOST, priority: 10, isRecommended: false },
  { kind: 'SPF', type: 'TXT', host: `send.${domain}`, value: SPF, priority: null, isRecommended: false },
  { kind: 'DKIM', type: 'TXT', host: `ph1._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${KEY}`, priority: null, isRecommended: false },
  { kind: 'DMARC', type: 'TXT', host: `_dmarc.${domain}`, value: 'v=DMARC1; p=none', priority: null, isRecommended: true },
  { kind: 'Tracking', type: 'CNAME', host: `links.${domain}`, value: MAIL_HOST, priority: null, isRecommended: false },
  { kind: 'Receiving', type: 'MX', host: domain, value: MAIL_HOST, priority: 10, isRecommended: false },
]

/** What other people publish in the DNS. */
export const publishedBy = (domain: string): Record<string, DnsRecords> => ({
  [domain]: { MX: [[5, MAIL_HOST]], TXT: ['site-verification=0123456789abcdef'] },
  [`send.${domain}`]: { MX: [[10, MAIL_HOST]], TXT: [`v=spf1 include:spf.example.test a:${MAIL_HOST} -all`] },
  [`ph1._domainkey.${domain}`]: { TXT: [`v=DKIM1; p=${KEY}`] },
  [`_dmarc.${domain}`]: { TXT: ['v=DMARC1; p=reject; rua=mailto:reports@example.test'] },
  [`links.${domain}`]: { CNAME: MAIL_HOST },
})

/** Domains with these records, of the first team, that were asked for and are due at once. */
export async function storeDueDomains(databaseUrl: string, count: number): Promise<void> {
  const domains = Array.from({ length: count }, (_, index) => ({ id: createId(), keyId: createId(), name: domainAt(index) }))
  await query(
    databaseUrl,
    `with given as (
       select g.*, t.id as team_id from jsonb_to_recordset($1::jsonb) as g(id uuid, "keyId" uuid, name text), (select id from teams order by id limit 1) t
     ), keys as (
       insert into dkim_keys (id, team_id, domain_id, selector, algorithm, public_key, private_key, key_version, created_at)
       select "keyId", team_id, id, 'ph1', 'rsa-sha256', $2, '', 1, now() from given
     )
     insert into domains (id, team_id, name, root, region, tls, return_path, tracking_subdomain, open_tracking, click_tracking, sending, receiving,
       status, created_at, asked_at, check_due_at)
     select id, team_id, name, name, 'us-east-1', 'opportunistic', 'send', 'links', true, true, true, true, 'pending', now(), now(), now() from given`,
    [JSON.stringify(domains), KEY],
  )
}
