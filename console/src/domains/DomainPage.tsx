import { Alert, Button, Group, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { ApiError, answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DeleteMenu } from '../parts/DeleteMenu'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { dateOf, Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'
import { Claim, ClaimDomain } from './ClaimDomain'
import { DnsHost, ZoneFile } from './DnsHost'
import { DnsRecords } from './DnsRecords'
import { DomainSettings } from './DomainSettings'

type Domain = RecordOf<'/domains/{domain_id}'>

/** While the DNS is being asked. */
const FOLLOW_MS = 4_000
const OF_ANOTHER_TEAM = 403

export default function DomainPage() {
  const id = useAddressPart('domainId')
  const may = useMay()
  const {
    data: domain,
    error,
    refetch,
  } = useRecord('/domains/{domain_id}', { path: { domain_id: id } }, { everyMs: (read) => (isOnItsWay(read) ? FOLLOW_MS : null) })
  if (!domain) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={domain.name}
      back={{ to: '/domains', name: TEXTS.title }}
      state={<StateBadge state={domain.status} />}
      acts={may('domains:write') && <DomainActs domain={domain} />}
    >
      <Standing domain={domain} />
      {domain.status !== 'verified' && <Claim domainId={domain.id} />}
      <DnsRecords
        title={TEXTS.records}
        hint={<DnsHost domain={domain} />}
        records={domain.records}
        acts={<ZoneFile domainId={domain.id} />}
      />
      {domain.recommended_records.length > 0 && (
        <DnsRecords title={TEXTS.recommended} hint={TEXTS.recommendedHint} records={domain.recommended_records} />
      )}
      {may('domains:write') && <DomainSettings key={domain.id} domain={domain} />}
    </Page>
  )
}

const isOnItsWay = ({ status, records }: Domain): boolean => status === 'pending' || records.some((record) => record.status === 'pending')

function DomainActs({ domain: { id, name, status } }: { domain: Domain }) {
  const go = useGo()
  const path = { domain_id: id }
  const verify = useAct({
    run: () => answer(api.POST('/domains/{domain_id}/verify', { params: { path } })),
    done: TEXTS.verifying,
    changes: ['domains'],
  })
  const isOfAnother = verify.error instanceof ApiError && verify.error.status === OF_ANOTHER_TEAM
  return (
    <>
      {isOfAnother && <ClaimDomain name={name} />}
      <DeleteMenu
        name={TEXTS.remove}
        means={TEXTS.removeMeans}
        typed={name}
        run={(query) => answer(api.DELETE('/domains/{domain_id}', { params: { path, query } }))}
        done={TEXTS.removed}
        changes={['domains']}
        onDone={() => go('/domains')}
      />
      {/* One that is verified has nothing to be done. */}
      <Button variant={status === 'verified' ? 'default' : 'filled'} onClick={() => verify.mutate()} loading={verify.isPending}>
        {TEXTS.verify}
      </Button>
    </>
  )
}

/** It has failed, although none of its records has. */
const isOfOtherTeam = ({ status, records }: Domain): boolean => status === 'failed' && records.every((record) => record.status !== 'failed')

/** What is switched on begins with the records. Where only some of them are missing, the table says which. */
function wordsOfUse({ status, capabilities }: Domain, use: 'sending' | 'receiving'): string {
  if (capabilities[use] !== 'enabled') return TEXTS.disabled
  return status === 'not_started' || status === 'pending' || status === 'failed' ? TEXTS.enabledThen : TEXTS.enabled
}

const Standing = ({ domain }: { domain: Domain }) => (
  <Section title={TEXTS.state}>
    <Text>{isOfOtherTeam(domain) ? TEXTS.ofAnotherTeam : TEXTS.meaning[domain.status]}</Text>
    {domain.receiving_unproven_until !== undefined && (
      <Alert color="orange">{TEXTS.unproven(dateOf(domain.receiving_unproven_until).toLocaleString('en-GB'))}</Alert>
    )}
    <Facts
      facts={[
        [TEXTS.sendingReady, wordsOfUse(domain, 'sending')],
        [TEXTS.receivingReady, wordsOfUse(domain, 'receiving')],
        [TEXTS.lastCheck, domain.checked_at === null ? TEXTS.noCheckYet : <Time key="last" at={domain.checked_at} />],
        [TEXTS.nextCheck, domain.next_check_at === null ? TEXTS.whenAsked : <Time key="next" at={domain.next_check_at} />],
        [TEXTS.created, <Time key="created" at={domain.created_at} />],
        [TEXTS.id, <Copyable key="id" text={domain.id} />],
      ]}
    />
    <Group>
      <PageLink onlyLeads to="/emails" search={{ from: `@${domain.name}` }}>
        {TEXTS.itsEmails}
      </PageLink>
      <PageLink to="/metrics" search={{ domain: domain.id }}>
        {TEXTS.itsMetrics}
      </PageLink>
    </Group>
  </Section>
)
