import { Box, Group, Stack, Text, Tooltip } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRecord, useRows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList, Dimmed } from '../parts/DataList'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { GRANT_TEXTS as TEXTS } from '../texts/grants'
import { scopeSentences } from './scope-words'

type Grant = RowOf<'/oauth/grants'>

export default function GrantsPage() {
  const may = useMay()
  const list = useRows('/oauth/grants', { query: { limit: 50 } })
  const { data: keys } = useRecord('/api-keys', {}, { isEnabled: may('api-keys:read') })
  const madeBy = (grantId: string) => (keys?.data ?? []).filter(({ oauth_grant_id: made }) => made === grantId)
  return (
    <Page title={TEXTS.title}>
      <Text c="dimmed" maw={760}>
        {TEXTS.hint}
      </Text>
      <DataList
        label={TEXTS.title}
        list={list}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.program, cell: ({ id, client, scopes }) => <Program name={client.name} keys={madeBy(id)} scopes={scopes} /> },
          { name: TEXTS.may, cell: ({ scopes }) => <Scopes scopes={scopes} />, isWide: true },
          { name: TEXTS.by, cell: ({ allowed_by }) => <Dimmed>{allowed_by ? allowed_by.name : TEXTS.beforePeople}</Dimmed>, isWide: true },
          { name: TEXTS.since, cell: ({ created_at }) => <Time at={created_at} form="day" />, isExtra: true },
          {
            name: TEXTS.lastUsed,
            cell: ({ last_used_at: at }) => (at === null ? <Dimmed>{TEXTS.never}</Dimmed> : <Time at={at} form="ago" />),
          },
          { name: TEXTS.state, cell: (grant) => <GrantState grant={grant} /> },
          ...(may('oauth:write')
            ? [{ name: TEXTS.end, isActs: true, cell: (grant: Grant) => grant.revoked_at === null && <End grant={grant} /> }]
            : []),
        ]}
      />
    </Page>
  )
}

/** The API keys that it made outlive its access, so they are named. */
const Program = ({ name, keys, scopes }: { name: string; keys: readonly { id: string; name: string }[]; scopes: readonly string[] }) => (
  <Stack gap={0}>
    <bdi>{name}</bdi>
    <Box hiddenFrom="sm">
      <Scopes scopes={scopes} />
    </Box>
    {keys.map((key) => (
      <Group key={key.id} gap={4}>
        <Dimmed>{TEXTS.made}</Dimmed>
        <PageLink to="/api-keys">{key.name || key.id}</PageLink>
      </Group>
    ))}
  </Stack>
)

/** In words; on hovering, as programs call it. */
const Scopes = ({ scopes }: { scopes: readonly string[] }) => (
  <Tooltip label={scopes.join(', ')} multiline maw={360}>
    <Stack gap={0}>
      {scopeSentences(scopes).map((sentence) => (
        <Dimmed key={sentence}>{sentence}</Dimmed>
      ))}
    </Stack>
  </Tooltip>
)

function GrantState({ grant: { revoked_at } }: { grant: Grant }) {
  if (revoked_at !== null)
    return (
      <Dimmed>
        {TEXTS.ended} <Time at={revoked_at} form="day" />
      </Dimmed>
    )
  return <StateBadge state="active" words={TEXTS.active} />
}

function End({ grant: { id, client } }: { grant: Grant }) {
  const end = useAct({
    run: () => answer(api.DELETE('/oauth/grants/{oauth_grant_id}', { params: { path: { oauth_grant_id: id } } })),
    done: TEXTS.endedNow,
    changes: ['oauth'],
  })
  return (
    <ConfirmButton
      name={TEXTS.end}
      label={`${TEXTS.end}: ${client.name}`}
      size="compact-sm"
      question={TEXTS.endQuestion(client.name)}
      onConfirm={() => end.mutate()}
      isBusy={end.isPending}
    />
  )
}
