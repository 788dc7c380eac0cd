import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RecordOf } from '../api/queries'
import { addressOfRecord } from '../shell/record-addresses'
import { USE_TEXTS as TEXTS } from '../texts/uses'
import { PageLink } from './PageLink'
import { wordsOf } from './StateBadge'

type Use = RecordOf<'/events/{event_id}/uses'>['data'][number]

/** Others are counted. */
const SHOWN_MAX = 8

/** What uses a record, as facts: one line for each kind of use, with links. */
export const factsOfUses = (uses: readonly Use[] | undefined): (readonly [string, ReactNode])[] =>
  [...Map.groupBy(uses ?? [], ({ use }) => use)].map(
    ([use, all]) => [TEXTS.uses[use] ?? wordsOf(use), <Users key={use} all={all} />] as const,
  )

const Users = ({ all }: { all: readonly Use[] }) => (
  <Stack gap={2}>
    {all.slice(0, SHOWN_MAX).map(({ type, id, name }) => (
      <Group key={id} gap="md">
        <PageLink to={addressOfRecord({ type, id, parent_id: null }) ?? '/'}>
          <bdi>{name}</bdi>
        </PageLink>
        <Text span size="sm" c="dimmed">
          {wordsOf(type)}
        </Text>
      </Group>
    ))}
    {all.length > SHOWN_MAX && (
      <Text size="sm" c="dimmed">
        {TEXTS.more(all.length - SHOWN_MAX)}
      </Text>
    )}
  </Stack>
)
