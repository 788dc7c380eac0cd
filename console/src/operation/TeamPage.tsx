import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'
import { Reputation, UsageBars } from '../usage/UsagePage'
import { TeamActs } from './TeamActs'
import { TeamLimits } from './TeamLimits'
import { TeamMembers } from './TeamMembers'

export default function TeamPage() {
  const path = { team_id: useAddressPart('teamId') }
  const ofTeam = useRecord('/teams/{team_id}', { path })
  const ofUsage = useRecord('/teams/{team_id}/usage', { path })
  const ofLimits = useRecord('/teams/{team_id}/limits', { path })
  const [team, usage, limits] = [ofTeam.data, ofUsage.data, ofLimits.data]
  if (!team) return <Awaited read={ofTeam} />
  return (
    <Page
      title={team.name}
      back={{ to: '/teams', name: TEXTS.title }}
      state={<StateBadge state={team.status} />}
      acts={<TeamActs team={team} />}
    >
      <Standing team={team} />
      <Section title={TEXTS.usage}>{usage ? <UsageBars usage={usage} /> : <Awaited read={ofUsage} />}</Section>
      {usage && (
        <Section title={TEXTS.reputation}>
          <Reputation reputation={usage.reputation} />
        </Section>
      )}
      {limits ? <TeamLimits key={team.id} teamId={team.id} limits={limits} /> : <Awaited read={ofLimits} />}
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
