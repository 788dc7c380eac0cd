// When a broadcast was to be sent before it was unscheduled: who takes it back for a moment finds its time as it was, and not "Now".
import type { RecordOf } from '../api/queries'

type Scheduled = Pick<RecordOf<'/broadcasts/{broadcast_id}'>, 'id' | 'scheduled_at' | 'timezone'>

/** The last one of this tab: the API keeps no time of a draft. */
let last: Scheduled | null = null

export const rememberTime = ({ id, scheduled_at, timezone }: Scheduled): void => {
  last = { id, scheduled_at, timezone }
}

/** Null if it was not unscheduled here. */
export const timeBefore = (id: string): Scheduled | null => (last?.id === id ? last : null)
