import { type Static, Type } from '@sinclair/typebox'
import { TextList } from '../../../http/list-filters.ts'
import { Resource } from '../../../http/resource.ts'
import {
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Named,
  Nullable,
  Ref,
  Timestamp,
  WholeListQuery,
} from '../../../lib/validation/common.schema.ts'
import { CONTACTS } from '../../audience/contacts/contacts.schema.ts'
import { EVENTS } from '../../events/events.schema.ts'
import { AUTOMATIONS } from '../automations.schema.ts'
import { OUTPUT_BYTES_MAX, OUTPUT_TEXT_LENGTH_MAX, RUN_STATUSES } from '../engine/run-state.ts'
import { STEP_TYPES } from '../graph/graph.ts'
import { STEP_STATUSES } from './run-steps.ts'

const fields = {
  id: Id('Id of the run.'),
  status: Enum([...RUN_STATUSES], {
    description: 'State of the run. `running` includes waiting. `cancelled`: the run was stopped, or its contact was deleted.',
  }),
  reason: Nullable(Type.String({ description: 'Why the run failed or was cancelled, in a sentence; null otherwise.' })),
  contact_id: Id('Id of the contact who runs through the automation. It is kept when the contact is deleted.'),
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
          'State of the step in this run. `pending`: the run may still reach the step. `waiting`: the step waits for a time or an event. `skipped`: the step was not done, or the run took another branch.',
      }),
      started_at: Nullable(Timestamp('When it began; null if it has not.')),
      completed_at: Nullable(Timestamp('When it ended; null if it has not.')),
      waits_until: Nullable(Timestamp('Until when it waits at the longest; null unless it waits for a time. An extension.')),
      output: Result(
        `Output of the step, by its type; null if there is none. At most ${OUTPUT_BYTES_MAX} bytes as JSON: beyond that, texts are cut after ${OUTPUT_TEXT_LENGTH_MAX} characters, the last values are left out, and \`is_cut\` is true.`,
      ),
      error: Result('What went wrong, with a `message`; null if nothing did.'),
      created_at: Timestamp('When it began; if it has not, when the run was created.'),
    },
    { description: 'A step of a run, with its outcome.' },
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
        description: 'The steps of the graph that the run started with, each after the steps that lead to it.',
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
  status: TextList('Return only runs with these statuses.', { enum: RUN_STATUSES }),
  ...WholeListQuery.properties,
})
export const AutomationRunList = List('AutomationRunList', 'runs', AutomationRunSummary)

export const EXAMPLE_RUN_STEPS: Static<typeof AutomationRunStep>[] = [
  {
    key: 'start',
    type: 'trigger',
    status: 'completed',
    started_at: EXAMPLE_TIME,
    completed_at: EXAMPLE_TIME,
    waits_until: null,
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
    waits_until: EXAMPLE_TIME,
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
    waits_until: null,
    output: null,
    error: null,
    created_at: EXAMPLE_TIME,
  },
]
