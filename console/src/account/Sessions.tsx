import { Badge, Button, Stack, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList, Dimmed } from '../parts/DataList'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { ACCOUNT_TEXTS as TEXTS } from '../texts/account'

export function Sessions() {
  const sessions = useRows('/me/sessions')
  const endOthers = useAct({
    run: () => answer(api.DELETE('/me/sessions')),
    done: TEXTS.othersEnded,
    changes: ['me'],
  })
  return (
    <Section
      title={TEXTS.sessions}
      acts={
        (sessions.rows.length > 1 || sessions.hasMore) && (
          <ConfirmButton
            name={TEXTS.endOthers}
            question={TEXTS.endOthersQuestion}
            onConfirm={() => endOthers.mutate()}
            isBusy={endOthers.isPending}
            size="xs"
          />
        )
      }
    >
      <Text c="dimmed" size="sm">
        {TEXTS.sessionsWhat}
      </Text>
      <DataList
        label={TEXTS.sessions}
        list={sessions}
        columns={[
          { name: TEXTS.browser, cell: (session) => <From session={session} /> },
          { name: TEXTS.method, cell: ({ method }) => TEXTS.methods[method], isWide: true },
          { name: TEXTS.since, cell: ({ created_at: at }) => <Time at={at} />, isWide: true },
          { name: TEXTS.lastUsed, cell: ({ last_used_at: at }) => <Time at={at} form="ago" /> },
          { name: TEXTS.end, cell: (session) => !session.is_current && <End session={session} />, isActs: true },
        ]}
      />
    </Section>
  )
}

type Session = RowOf<'/me/sessions'>

const From = ({ session: { browser, address, is_current: isCurrent } }: { session: Session }) => (
  <Stack gap={0} align="flex-start">
    <Text span>{browser}</Text>
    <Dimmed>{address}</Dimmed>
    {isCurrent && <Badge variant="light">{TEXTS.thisOne}</Badge>}
  </Stack>
)

function End({ session: { id, browser, address } }: { session: Session }) {
  const end = useAct({
    run: () => answer(api.DELETE('/me/sessions/{session_id}', { params: { path: { session_id: id } } })),
    done: TEXTS.ended,
    changes: ['me'],
  })
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => end.mutate()}
      loading={end.isPending}
      aria-label={TEXTS.endName(browser, address)}
    >
      {TEXTS.end}
    </Button>
  )
}
