import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { answer, api } from '../api/client'
import { keyOf, type RecordOf, useRecord } from '../api/queries'
import { LoadingWords } from '../parts/Loading'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { SENDING_TEXTS as TEXTS } from '../texts/sending'

export type Audience = RecordOf<'/broadcasts/{broadcast_id}/audience'>
type Targets = { segment_id: string; topic_id: string | null }

/** Null while it is counted, and if it cannot be. The number of another segment or topic, or of before, is never that of these. */
export function useAudience(broadcastId: string, { segment_id, topic_id }: Targets): { audience: Audience | null; isCounting: boolean } {
  const path = { broadcast_id: broadcastId }
  const { data, isFetchedAfterMount } = useQuery({
    queryKey: [...keyOf('/broadcasts/{broadcast_id}/audience', { path }), segment_id, topic_id],
    queryFn: () => answer(api.GET('/broadcasts/{broadcast_id}/audience', { params: { path } })),
    staleTime: 0,
  })
  return { audience: (isFetchedAfterMount && data) || null, isCounting: !isFetchedAfterMount }
}

/** How many get it, how many do not, and why, with links to them. */
export function AudienceSentence({ targets, audience, isCounting }: { targets: Targets; audience: Audience | null; isCounting: boolean }) {
  const names = useNames(targets)
  if (isCounting) return <LoadingWords>{TEXTS.counting}</LoadingWords>
  if (!audience) return <Text>{TEXTS.notCounted(names.segment)}</Text>
  const { recipients, excluded, is_exact } = audience
  return (
    <Stack gap={6}>
      <Text>
        <b>{TEXTS.getIt(recipients, is_exact)}</b> {TEXTS.of(recipients)}{' '}
        <PageLink underline="always" to={`/segments/${targets.segment_id}`}>
          {names.segment}
        </PageLink>
        {targets.topic_id !== null && (
          <>
            , {TEXTS.ofTopic}{' '}
            <PageLink underline="always" to={`/topics/${targets.topic_id}`}>
              {names.topic}
            </PageLink>
          </>
        )}
        .
      </Text>
      {excluded && <Excluded excluded={excluded} targets={targets} topic={names.topic} />}
      {!is_exact && <Text c="dimmed">{TEXTS.notExact}</Text>}
    </Stack>
  )
}

type ExcludedProps = { excluded: NonNullable<Audience['excluded']>; targets: Targets; topic: string }

function Excluded({ excluded, targets, topic }: ExcludedProps) {
  const { unsubscribed, not_in_topic, suppressed } = excluded
  const sum = unsubscribed + not_in_topic + suppressed
  if (sum === 0) return <Text>{TEXTS.everyone}</Text>
  const reasons: [name: string, sentence: ReactNode][] = [
    ...(unsubscribed > 0
      ? [
          [
            'unsubscribed',
            <PageLink underline="always" key="unsubscribed" to="/contacts" search={{ segment_id: targets.segment_id }}>
              {TEXTS.unsubscribed(unsubscribed)}
            </PageLink>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(not_in_topic > 0
      ? [
          [
            'topic',
            <Fragment key="topic">
              {TEXTS.notInTopic(not_in_topic)}{' '}
              <PageLink underline="always" to={`/topics/${targets.topic_id}`}>
                {topic}
              </PageLink>
            </Fragment>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(suppressed > 0
      ? [
          [
            'suppressed',
            <Fragment key="suppressed">
              {TEXTS.suppressed(suppressed)}{' '}
              <PageLink underline="always" to="/suppressions">
                {TEXTS.suppressionList}
              </PageLink>
            </Fragment>,
          ] as [string, ReactNode],
        ]
      : []),
  ]
  return (
    <Text>
      {TEXTS.getNothing(sum)}{' '}
      {reasons.map(([name, sentence], index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          {sentence}
        </Fragment>
      ))}
      .
    </Text>
  )
}

/** What cannot be read is named by its id. */
function useNames({ segment_id, topic_id }: Targets): { segment: string; topic: string } {
  const may = useMay()
  const { data: segment } = useRecord('/segments/{segment_id}', { path: { segment_id } }, { isEnabled: may('segments:read') })
  const { data: topic } = useRecord(
    '/topics/{topic_id}',
    { path: { topic_id: topic_id ?? '' } },
    { isEnabled: may('topics:read') && topic_id !== null },
  )
  return { segment: segment?.name ?? segment_id, topic: topic?.name ?? TEXTS.theTopic }
}
