import { Type } from '@sinclair/typebox'
import { Resource } from '../../../http/resource.ts'
import { OPERATOR_SECTIONS } from '../../../http/sections.ts'
import { Enum, EXAMPLE_ID, EXAMPLE_TIME, Id, Kind, Name, Named, Nullable, Timestamp } from '../../../lib/validation/common.schema.ts'
import { CHECKS, FINDING_STATES } from '../../deliverability/findings.ts'
import { LANE_CLASSES } from '../../emails/new-delivery.ts'
import { imageUrl, REASON_LENGTH_MAX } from '../../images/images.schema.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const counts = {
  ready: count('Deliveries that wait for a worker.'),
  waiting: count('Deliveries that wait for their time.'),
  leased: count('Deliveries that a worker has.'),
  parked: count('Deliveries that wait for the end of a pause.'),
}
const team = Type.Object(
  {
    id: Id('Id of the team.'),
    name: Nullable(Type.String({ description: 'Name of the team; null if it is no longer there.' })),
  },
  { description: 'The team whose mail it is.' },
)
const destination = Type.String({ description: 'Domain of the recipients, or `relay`.', examples: ['example.com'] })
const part = {
  class: Nullable(Enum([...LANE_CLASSES]), { description: 'The class of mail; null: each.' }),
  team: Nullable(team, { description: 'The team; null: each.' }),
  destination: Nullable(destination, { description: 'Domain of the recipients, or `relay`; null: each.' }),
}

const exampleLane = {
  ...{ class: 'bulk' as const, team: { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c61', name: 'Acme' }, destination: 'example.com' },
  ...{ ready: 12, waiting: 3, leased: 2, parked: 0, next_due_at: EXAMPLE_TIME, is_paused: false },
}
export const EXAMPLE_QUEUE = {
  ...{ object: 'queue' as const, workers: 1, lane_count: 1, is_bounded: false, oldest_due_seconds: 0.4 },
  total: { ready: 12, waiting: 3, leased: 2, parked: 0 },
  lanes: [exampleLane],
  pauses: [],
}

export const Queue = Named(
  'Queue',
  Type.Object(
    {
      object: Kind('queue'),
      workers: count('Workers that are alive. Without one, nothing is sent.'),
      total: Type.Object(counts, { description: 'All lanes together.' }),
      lane_count: count('All lanes.'),
      is_bounded: Type.Boolean({ description: 'Whether there is more than was counted.' }),
      oldest_due_seconds: Type.Number({ description: 'How long the oldest delivery has waited for a worker.' }),
      lanes: Type.Array(
        Type.Object({
          class: Enum([...LANE_CLASSES], { description: 'The class of mail.' }),
          ...{ team, destination, ...counts },
          next_due_at: Nullable(Timestamp('When the next delivery that waits is due.')),
          is_paused: Type.Boolean({ description: 'Whether a pause covers the lane.' }),
        }),
        { description: 'The longest lanes, at most 50.' },
      ),
      pauses: Type.Array(
        Type.Object({
          ...{ id: Id('Id of the pause.'), ...part },
          created_at: Timestamp('When it was paused.'),
          backup_at: Nullable(Timestamp('When the backup was made that the database was restored from, which paused it; null otherwise.')),
        }),
        { description: 'What is paused.' },
      ),
    },
    { description: 'The queue of all teams. It shows no mail.' },
  ),
)

/** Said of a part that names nothing. */
export const NO_PART = 'Name a part of the queue, or say with `all` that you mean all of it.'

export const QueuePart = Named(
  'QueuePart',
  Type.Object(
    {
      class: Type.Optional(Enum([...LANE_CLASSES], { description: 'The class of mail; absent: each.' })),
      team_id: Type.Optional(Type.String({ format: 'uuid', description: 'Id of a team; absent: each.' })),
      destination: Type.Optional(Type.String({ maxLength: 255, description: 'A domain of recipients, or `relay`; absent: each.' })),
      all: Type.Optional(Type.Boolean({ description: 'Says that the whole queue is meant, where nothing else is named.' })),
    },
    { description: 'A part of the queue.' },
  ),
)

export const Health = Named(
  'Health',
  Type.Object(
    {
      object: Kind('health'),
      is_ready: Type.Boolean({ description: 'Whether this process takes requests.' }),
      checks: Type.Record(Type.String(), Type.String(), { description: 'For each part `ok`, or what is wrong.' }),
      free_bytes: Nullable(Type.Number({ description: 'Free space on the disk; null if that is not known.' })),
      versions: Type.Record(Type.String(), Type.String(), { description: 'Versions of what runs, by name.' }),
      workers: Type.Array(
        Type.Object({
          id: Id('Id of the worker.'),
          beats: Type.Number({ description: 'How often it has said that it lives.' }),
          deliveries: count('Deliveries that it has.'),
        }),
        { description: 'The workers that are alive.' },
      ),
      partitions: Type.Array(
        Type.Object({
          table: Type.String({ description: 'Name of the table.' }),
          days: count('Days that it has.'),
          first: Type.String({ description: 'The oldest day.' }),
          last: Type.String({ description: 'The newest day.' }),
          bytes: Type.Number({ description: 'Its size.' }),
        }),
        { description: 'The tables that are divided by days.' },
      ),
    },
    { description: 'How the installation is, as this process sees it.' },
  ),
)

export const Deliverability = Named(
  'Deliverability',
  Type.Object(
    {
      object: Kind('deliverability'),
      status: Enum([...FINDING_STATES], { description: 'The worst of all findings.' }),
      checked_at: Timestamp('When it was checked. A check is kept for a minute.'),
      note: Nullable(Type.String({ description: 'Why little or nothing was checked.' })),
      findings: Type.Array(
        Type.Object({
          check: Enum([...CHECKS], { description: 'What was checked.' }),
          subject: Type.String({ description: 'What was looked at: a name, an address, a list.' }),
          state: Enum([...FINDING_STATES], { description: 'How it stands.' }),
          found: Type.String({ description: 'What was found.' }),
          advice: Nullable(Type.String({ description: 'What to do; null if there is nothing to do.' })),
        }),
        { description: 'The worst first.' },
      ),
    },
    { description: 'What makes mail of the installation arrive, as `posthaste doctor` checks it.' },
  ),
)

export const Paces = Named(
  'Paces',
  Type.Object(
    {
      object: Kind('paces'),
      data: Type.Array(
        Type.Object({
          hosts: Type.String({ description: 'The mail servers.', examples: ['mx1.example.com mx2.example.com'] }),
          connections: Type.Number({ description: 'Connections that may be in use.' }),
          paused_until: Nullable(Timestamp('Until when nothing is sent there; null if nothing waits.')),
          slowed_at: Nullable(Timestamp('When it was slowed down last; null if it never was.')),
          updated_at: Timestamp('When this was written.'),
        }),
        { description: 'What was written last first, at most 50.' },
      ),
    },
    { description: 'How fast mail servers are sent to.' },
  ),
)

export const ImageTakedown = Named(
  'ImageTakedown',
  Type.Object(
    {
      url: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'The address of the image, as it stands in a mail or on a page.',
        examples: ['https://posthaste.example.com/media/mXk2v0Z9Qb3nT5yR7wLs1A.png'],
      }),
      reason: Name({
        lengthMax: REASON_LENGTH_MAX,
        description: `Why it is taken down, which its team reads: at most ${REASON_LENGTH_MAX} characters, at least one of them visible.`,
        examples: ['It shows the login page of a bank.'],
      }),
    },
    { description: 'An image to take down.' },
  ),
)

export const ImageTakenDown = Named(
  'ImageTakenDown',
  Type.Object(
    {
      object: Kind('image'),
      id: Id('Id of the image.'),
      url: imageUrl,
      team: Type.Object(
        { id: Id('Id of the team.'), name: Type.String({ description: 'Name of the team.' }) },
        { description: 'The team whose image it is.' },
      ),
      taken_down_at: Nullable(Timestamp('When it was taken down first.')),
      taken_down_reason: Nullable(Type.String({ description: 'Why it was taken down.' })),
    },
    { description: 'An image that is no longer shown.' },
  ),
)

export const OPERATION = Resource({
  tag: OPERATOR_SECTIONS.operation,
  noun: 'Queue',
  parameter: 'queue_id',
  item: Queue,
  example: { id: EXAMPLE_ID, ...EXAMPLE_QUEUE },
})
