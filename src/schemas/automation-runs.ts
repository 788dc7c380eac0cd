import { type Static, Type } from '@sinclair/typebox'
import { RUN_STATUSES } from '../lib/automations/engine/run-state.ts'
import { OUTPUT_BYTES_MAX, OUTPUT_TEXT_LENGTH_MAX } from '../lib/automations/engine/state-limits.ts'
import { STEP_TYPES } from '../lib/automations/graph.ts'
import { STEP_STATUSES } from '../lib/automations/run-steps.ts'
import { AUTOMATIONS } from './automations.ts'
import { Enum, EXAMPLE_TIME, Id, Kind, List, ListQuery, Named, Nullable, Ref, Timestamp } from './common.ts'
import { CONTACTS } from './contacts.ts'
import { EVENTS } from './events.ts'
import { TextList } from './query-lists.ts'
import { Resource } from './resource.ts'

const fields = {
  id: Id('Id of the run.'),
  status: Enum([...RUN_STATUSES], {
    description: 'State of the run. `running`: it also is while it waits. `cancelled`: it was stopped, or its contact was deleted.',
  }),
  reason: Nullable(Type.String({ description: 'Why it failed or was cancelled, in a sentence; null if it did neither.' })),
  contact_id: Id('Id of the contact who runs through the automation. It stays when the contact is deleted.'),
  started_at: Nullable(Timestamp('When it started.')),
  completed_at: Nullable(Timestamp('When it ended; null while it is running.')),
  created_at: Timestamp('When it was created.'),
}

export const AutomationRunSummary = Named(
  'AutomationRunSummary',
  Type.Object(fields, { description: 'A run of an automation, as lists show it.' }),
)

const Result = (description: string) => Nullable(Type.Record(Type.String(), Type.Unknown()), { description })

export const AutomationRunStep = Named(
  'AutomationRunStep',
  Type.Object(
    {
      key: Type.String({ description: 'Key of the step.', examples: ['welcome'] }),
      type: Enum([...STEP_TYPES], { description: 'What the step does.' }),
      status: Enum([...STEP_STATUSES], {
        description:
          'State of the step in this run. `pending`: the run may still come to it. `waiting`: for its time, or for an event. `skipped`: it was not done, or the run took another way.',
      }),
      started_at: Nullable(Timestamp('When it began; null if it has not.')),
      completed_at: Nullable(Timestamp('When it ended; null if it has not.')),
      output: Result(
        `What came of it, according to its type; null if nothing did. At most ${OUTPUT_BYTES_MAX} bytes as JSON: beyond that, texts are cut after ${OUTPUT_TEXT_LENGTH_MAX} characters, the last values are left out, and \`is_cut\` is true.`,
      ),
      error: Result('What went wrong, with a `message`; null if nothing did.'),
      created_at: Timestamp('When it began; if it has not, when the run was created.'),
    },
    { description: 'What became of a step in a run.' },
  ),
)

export const AutomationRun = Named(
  'AutomationRun',
  Type.Object(
    {
      object: Kind('automation_run'),
      ...fields,
      event: Type.String({ description: 'Name of the event that started it.', examples: [EVENTS.example.name] }),
      steps: Type.Array(Ref(AutomationRunStep), {
        description: 'The steps of the graph with which it started, each after those that lead to it.',
      }),
    },
    { description: 'One contact on its way through an automation.' },
  ),
)

export const AUTOMATION_RUNS = Resource({
  tag: AUTOMATIONS.tag,
  noun: 'Automation run',
  parameter: 'run_id',
  item: AutomationRunSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cc2',
    status: 'running',
    reason: null,
    contact_id: CONTACTS.example.id,
    started_at: EXAMPLE_TIME,
    completed_at: null,
    created_at: EXAMPLE_TIME,
  },
})

const automationId = Id('Id of the automation.')
export const AutomationRunParams = Type.Object({ automation_id: automationId, run_id: Id('Id of the run.') })
export const AutomationRunListQuery = Type.Object({
  status: TextList('Only runs of these statuses.', { enum: RUN_STATUSES }),
  ...ListQuery.properties,
})
export const AutomationRunList = List('AutomationRunList', 'runs', AutomationRunSummary)

export const EXAMPLE_RUN_STEPS: Static<typeof AutomationRunStep>[] = [
  {
    key: 'start',
    type: 'trigger',
    status: 'completed',
    started_at: EXAMPLE_TIME,
    completed_at: EXAMPLE_TIME,
    output: { event: EVENTS.example.name },
    error: null,
    created_at: EXAMPLE_TIME,
  },
  {
    key: 'pause',
    type: 'delay',
    status: 'waiting',
    started_at: EXAMPLE_TIME,
    completed_at: null,
    output: null,
    error: null,
    created_at: EXAMPLE_TIME,
  },
  {
    key: 'ask',
    type: 'send_email',
    status: 'pending',
    started_at: null,
    completed_at: null,
    output: null,
    error: null,
    created_at: EXAMPLE_TIME,
  },
]
