import { Alert, Button, Group, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { ApiError, answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { DeleteButton } from '../parts/DeleteButton'
import { Facts } from '../parts/Facts'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { dateOf, Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
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
  if (error && !domain) return <Problem error={error} onRetry={() => void refetch()} />
  if (!domain) return <Loading />
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

function DomainActs({ domain: { id, name } }: { domain: Domain }) {
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
      <DeleteButton
        name={TEXTS.remove}
        means={TEXTS.removeMeans}
        typed={name}
        run={(query) => answer(api.DELETE('/domains/{domain_id}', { params: { path, query } }))}
        done={TEXTS.removed}
        changes={['domains']}
        onDone={() => go('/domains')}
      />
      <Button onClick={() => verify.mutate()} loading={verify.isPending}>
        {TEXTS.verify}
      </Button>
    </>
  )
}

/** It has failed, although none of its records has. */
const isOfOtherTeam = ({ status, records }: Domain): boolean => status === 'failed' && records.every((record) => record.status !== 'failed')

const Standing = ({ domain }: { domain: Domain }) => (
  <Section title={TEXTS.state}>
    <Text>{isOfOtherTeam(domain) ? TEXTS.ofAnotherTeam : TEXTS.meaning[domain.status]}</Text>
    {domain.receiving_unproven_until !== undefined && (
      <Alert color="orange">{TEXTS.unproven(dateOf(domain.receiving_unproven_until).toLocaleString('en-GB'))}</Alert>
    )}
    <Facts
      facts={[
        [TEXTS.sendingReady, domain.capabilities.sending === 'enabled' ? TEXTS.enabled : TEXTS.disabled],
        [TEXTS.receivingReady, domain.capabilities.receiving === 'enabled' ? TEXTS.enabled : TEXTS.disabled],
        [TEXTS.lastCheck, domain.checked_at === null ? TEXTS.noCheckYet : <Time key="last" at={domain.checked_at} />],
        [TEXTS.nextCheck, domain.next_check_at === null ? TEXTS.whenAsked : <Time key="next" at={domain.next_check_at} />],
        [TEXTS.created, <Time key="created" at={domain.created_at} />],
        [TEXTS.id, <Copyable key="id" text={domain.id} />],
      ]}
    />
    <Group>
      <PageLink to="/emails" search={{ from: `@${domain.name}` }}>
        {TEXTS.itsEmails}
      </PageLink>
      <PageLink to="/metrics" search={{ domain: domain.id }}>
        {TEXTS.itsMetrics}
      </PageLink>
    </Group>
  </Section>
)
