import { Badge, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Act, useAct } from '../api/acts'
import type { Rows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList, Dimmed } from '../parts/DataList'
import { Section } from '../parts/Section'
import { Time, timeText } from '../parts/Time'
import { VERSION_TEXTS as TEXTS } from '../texts/content'

type Version = { id: string; created_at: string; subject: string | null; author: string | null; restored_from: string | null }

type VersionsProps<Row extends Version> = {
  list: Rows<Row>
  hint: string
  /** The one that the record says now. */
  currentId: string | null
  shownId: string | null
  /** Null: the newest. */
  onShow: (id: string | null) => void
  stateOf?: (version: Row) => ReactNode
  /** Absent where nothing may be restored. */
  restore?: {
    question: string
    /** Makes the newest version what is sent, for records of which that is an act of its own. */
    publish?: () => Promise<unknown>
  } & Pick<Act<string, unknown>, 'run' | 'done' | 'changes'>
}

/** What a record said before, who wrote it, and how one goes back to it. */
export function Versions<Row extends Version>({ list, hint, currentId, shownId, onShow, stateOf, restore }: VersionsProps<Row>) {
  return (
    <Section title={TEXTS.title}>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <DataList
        label={TEXTS.title}
        list={list}
        columns={[
          { name: TEXTS.made, cell: (version) => <Made version={version} /> },
          { name: TEXTS.subject, cell: ({ subject }) => <Dimmed>{subject}</Dimmed>, isWide: true },
          {
            name: TEXTS.state,
            cell: (version) => (
              <Group gap={4}>
                {stateOf?.(version)}
                {version.id === currentId && <Badge variant="default">{TEXTS.newest}</Badge>}
              </Group>
            ),
          },
          {
            name: TEXTS.show,
            isActs: true,
            cell: ({ id }) => (
              <Group gap="xs" justify="flex-end">
                {id === shownId ? (
                  <Dimmed>{TEXTS.shown}</Dimmed>
                ) : (
                  <Button size="xs" variant="default" onClick={() => onShow(id === currentId ? null : id)}>
                    {TEXTS.show}
                  </Button>
                )}
                {restore && id !== currentId && <Restore id={id} restore={restore} onDone={() => onShow(null)} />}
              </Group>
            ),
          },
        ]}
      />
    </Section>
  )
}

const Made = ({ version: { created_at, author, restored_from } }: { version: Version }) => (
  <Stack gap={0}>
    <Time at={created_at} />
    {author !== null && (
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {author}
      </Text>
    )}
    {restored_from !== null && (
      <Text size="xs" c="dimmed">
        {TEXTS.restoredFrom} <Time at={timeOfId(restored_from)} />
      </Text>
    )}
  </Stack>
)

type RestoreProps = { id: string; restore: NonNullable<VersionsProps<Version>['restore']>; onDone: () => void }

function Restore({ id, restore: { question, publish, ...act }, onDone }: RestoreProps) {
  const [isPublished, setPublished] = useState(true)
  const restore = useAct<string, unknown>({
    ...act,
    run: async (version) => {
      const restored = await act.run(version)
      return publish && isPublished ? publish() : restored
    },
    done: publish && isPublished ? TEXTS.restoredAndPublished : act.done,
    onDone,
  })
  return (
    <ConfirmButton
      name={TEXTS.restore}
      label={`${TEXTS.restore}: ${timeText(timeOfId(id))}`}
      question={
        publish ? (
          <Stack gap="sm">
            <Text>{question}</Text>
            <Checkbox
              label={TEXTS.publishToo}
              checked={isPublished}
              onChange={({ currentTarget }) => setPublished(currentTarget.checked)}
            />
          </Stack>
        ) : (
          question
        )
      }
      onConfirm={() => restore.mutate(id)}
      isBusy={restore.isPending}
      size="xs"
      color="indigo"
      variant="default"
    />
  )
}

/** When a version was made, by its id (UUIDv7): the one that was restored may be gone from the history. */
const timeOfId = (id: string): string => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString()
