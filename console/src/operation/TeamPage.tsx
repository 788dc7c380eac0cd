import { type RecordOf, useRecord } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'
import { Reputation, UsageBars } from '../usage/UsagePage'
import { TeamActs } from './TeamActs'
import { TeamLimits } from './TeamLimits'
import { TeamMembers } from './TeamMembers'

export default function TeamPage() {
  const path = { team_id: useAddressPart('teamId') }
  const { data: team, error, refetch } = useRecord('/teams/{team_id}', { path })
  const { data: usage } = useRecord('/teams/{team_id}/usage', { path })
  const { data: limits } = useRecord('/teams/{team_id}/limits', { path })
  if (error && !team) return <Problem error={error} onRetry={() => void refetch()} />
  if (!team) return <Loading />
  return (
    <Page
      title={team.name}
      back={{ to: '/teams', name: TEXTS.title }}
      state={<StateBadge state={team.status} />}
      acts={<TeamActs team={team} />}
    >
      <Standing team={team} />
      {usage && (
        <Section title={TEXTS.usage}>
          <UsageBars usage={usage} />
        </Section>
      )}
      {usage && (
        <Section title={TEXTS.reputation}>
          <Reputation reputation={usage.reputation} />
        </Section>
      )}
      {limits && <TeamLimits key={team.id} teamId={team.id} limits={limits} />}
      <TeamMembers teamId={team.id} />
    </Page>
  )
}

const Standing = ({ team }: { team: RecordOf<'/teams/{team_id}'> }) => (
  <Section title={TEXTS.state}>
    <Facts
      facts={[
        [TEXTS.reason, team.suspended_reason],
        [TEXTS.suspendedSince, team.suspended_at && <Time key="suspended" at={team.suspended_at} />],
        [TEXTS.removalAt, team.removal_at && <Time key="removal" at={team.removal_at} />],
        [TEXTS.guardShort, TEXTS.guards[team.guard]],
        [TEXTS.created, <Time key="created" at={team.created_at} />],
        [TEXTS.id, <Copyable key="id" text={team.id} />],
      ]}
    />
  </Section>
)
