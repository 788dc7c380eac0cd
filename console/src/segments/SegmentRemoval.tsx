import { Alert, Progress, Stack, Text } from '@mantine/core'
import { useRecord } from '../api/queries'
import { countOf } from '../parts/numbers'
import { SEGMENT_TEXTS } from '../texts/segments'

const TEXTS = SEGMENT_TEXTS.removal
const EVERY_MS = 2_000

/** How far the list of contacts of a segment is removed that was just deleted. */
export function SegmentRemoval({ segmentId }: { segmentId: string }) {
  const { data: removal } = useRecord(
    '/segments/{segment_id}/removal',
    { path: { segment_id: segmentId } },
    { everyMs: ({ contacts_left: left }) => (left > 0 ? EVERY_MS : null) },
  )
  if (!removal) return null
  const { contacts_left: left, is_exact: isExact } = removal
  return (
    <Alert color="blue" role="status">
      {left === 0 ? (
        TEXTS.done
      ) : (
        <Stack gap="xs">
          <Text inherit>{TEXTS.left(countOf(left), isExact)}</Text>
          <Progress value={100} animated aria-label={TEXTS.goesOn} />
        </Stack>
      )}
    </Alert>
  )
}
