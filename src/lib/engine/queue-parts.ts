// Parts of the queue, as an operator names them: by class, team and destination, each of which may be omitted.
import type { LaneClass } from './lanes.ts'

/** Null means any. A lane is the narrowest part. */
export type QueuePart = { class: LaneClass | null; teamId: string | null; destination: string | null }

export const WHOLE_QUEUE: QueuePart = { class: null, teamId: null, destination: null }

/** Whether `outer` contains all of `inner`. */
export const covers = (outer: QueuePart, inner: QueuePart): boolean =>
  FIELDS.every((field) => isOpen(outer, field) || outer[field] === inner[field])

/** Whether a lane may belong to both. */
export const overlap = (one: QueuePart, other: QueuePart): boolean =>
  FIELDS.every((field) => isOpen(one, field) || isOpen(other, field) || one[field] === other[field])

const FIELDS = ['class', 'teamId', 'destination'] as const

const isOpen = (part: QueuePart, field: (typeof FIELDS)[number]): boolean => part[field] === null
