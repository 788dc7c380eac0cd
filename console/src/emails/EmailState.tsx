import { Group } from '@mantine/core'
import { Dimmed } from '../parts/DataList'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'

type Email = { last_event: string | null; scheduled_at: string | null }

/** In a list: what became of an email, or when it goes. */
export const EmailState = ({ email: { last_event: state, scheduled_at: at } }: { email: Email }) => (
  <Group gap="xs" wrap="nowrap">
    <StateBadge state={state ?? 'queued'} />
    {state === 'scheduled' && at !== null && (
      <Dimmed>
        <Time at={at} />
      </Dimmed>
    )}
  </Group>
)
