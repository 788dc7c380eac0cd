import { Group, Stack, Text, Tooltip } from '@mantine/core'
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
          { name: TEXTS.program, cell: ({ id, client }) => <Program name={client.name} keys={madeBy(id)} /> },
          { name: TEXTS.may, cell: ({ scopes }) => <Scopes scopes={scopes} />, isWide: true },
          { name: TEXTS.by, cell: ({ allowed_by }) => <Dimmed>{allowed_by ? allowed_by.name : TEXTS.beforePeople}</Dimmed>, isWide: true },
          { name: TEXTS.since, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
          {
            name: TEXTS.lastUsed,
            cell: ({ last_used_at: at }) => (at === null ? <Dimmed>{TEXTS.never}</Dimmed> : <Time at={at} form="ago" />),
          },
          { name: TEXTS.state, cell: (grant) => <GrantState grant={grant} mayEnd={may('oauth:write')} /> },
        ]}
      />
    </Page>
  )
}

/** The API keys that it made outlive its access, so they are named. */
const Program = ({ name, keys }: { name: string; keys: readonly { id: string; name: string }[] }) => (
  <Stack gap={0}>
    <bdi>{name}</bdi>
    {keys.map((key) => (
      <Group key={key.id} gap={4}>
        <Dimmed>{TEXTS.made}</Dimmed>
        <PageLink to="/api-keys">{key.name || key.id}</PageLink>
      </Group>
    ))}
  </Stack>
)

const SCOPES_NAMED_MAX = 3

/** Many are counted; all of them are told on hovering. */
const Scopes = ({ scopes }: { scopes: readonly string[] }) =>
  scopes.length <= SCOPES_NAMED_MAX ? (
    <Dimmed>{scopes.join(', ')}</Dimmed>
  ) : (
    <Tooltip label={scopes.join(', ')} multiline maw={360}>
      <span>
        <Dimmed>{TEXTS.scopes(scopes.length)}</Dimmed>
      </span>
    </Tooltip>
  )

function GrantState({ grant: { id, client, revoked_at }, mayEnd }: { grant: Grant; mayEnd: boolean }) {
  const end = useAct({
    run: () => answer(api.DELETE('/oauth/grants/{oauth_grant_id}', { params: { path: { oauth_grant_id: id } } })),
    done: TEXTS.endedNow,
    changes: ['oauth'],
  })
  if (revoked_at !== null)
    return (
      <Dimmed>
        {TEXTS.ended} <Time at={revoked_at} form="day" />
      </Dimmed>
    )
  return (
    <Group gap="xs">
      <StateBadge state={TEXTS.active} />
      {mayEnd && (
        <ConfirmButton
          name={TEXTS.end}
          size="compact-sm"
          question={TEXTS.endQuestion(client.name)}
          onConfirm={() => end.mutate()}
          isBusy={end.isPending}
        />
      )}
    </Group>
  )
}
