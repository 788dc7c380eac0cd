import { Alert, Stack, Switch, Text } from '@mantine/core'
import { STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import type { Graph, Step, StepOf } from '../graph'
import { ContactUpdateForm } from './ContactUpdateForm'
import { DurationField } from './DurationField'
import { EventSelect } from './EventSelect'
import { type Fields, fieldsOf, triggerEvent } from './fields'
import type { Known } from './known'
import { RecordSelect } from './RecordSelect'
import { RuleField } from './RuleField'
import { emptyRule } from './rule-draft'
import { SendEmailForm } from './SendEmailForm'

type StepFormProps = { step: Step; graph: Graph; known: Known; onChange: (step: Step) => void }

/** What a step needs to know, by its type. */
export function StepForm({ step, graph, known, onChange }: StepFormProps) {
  const fields = fieldsOf(known, triggerEvent(graph))
  switch (step.type) {
    case 'trigger':
      return (
        <EventSelect
          label={TEXTS.event}
          value={step.config.event_name}
          onChange={(event_name) => onChange({ ...step, config: { event_name } })}
          known={known}
        />
      )
    case 'send_email':
      return <SendEmailForm config={step.config} onChange={(config) => onChange({ ...step, config })} known={known} fields={fields} />
    case 'delay':
      return (
        <DurationField
          label={TEXTS.duration}
          value={step.config.duration}
          onChange={(duration) => onChange({ ...step, config: { duration } })}
          isFirst
        />
      )
    case 'wait_for_event':
      return <WaitForm step={step} onChange={onChange} known={known} />
    case 'condition':
      return <ConditionForm step={step} onChange={onChange} fields={fields} />
    case 'contact_update':
      return <ContactUpdateForm config={step.config} onChange={(config) => onChange({ ...step, config })} known={known} fields={fields} />
    case 'contact_delete':
      return <Alert color="orange">{TEXTS.deleteHint}</Alert>
    case 'add_to_segment':
      return <SegmentForm step={step} onChange={onChange} known={known} />
  }
}

function ConditionForm({ step, onChange, fields }: { step: StepOf<'condition'>; onChange: (step: Step) => void; fields: Fields }) {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {TEXTS.conditionHint}
      </Text>
      <RuleField rule={step.config} onChange={(config) => onChange({ ...step, config })} fields={fields} />
    </Stack>
  )
}

const TIMEOUT = '3 days'

function WaitForm({ step, onChange, known }: { step: StepOf<'wait_for_event'>; onChange: (step: Step) => void; known: Known }) {
  const { config } = step
  const { timeout, filter_rule: rule } = config
  const change = (changed: Partial<typeof config>) => onChange({ ...step, config: { ...config, ...changed } })
  const without = (name: 'timeout' | 'filter_rule') => {
    const { [name]: _before, ...others } = config
    onChange({ ...step, config: others })
  }
  // The rule of a wait tests the event that arrives, and no contact.
  const fields: Fields = { contact: [], properties: [], event: fieldsOf(known, config.event_name).event }
  return (
    <Stack gap="sm">
      <EventSelect
        label={TEXTS.waitEvent}
        value={config.event_name}
        onChange={(event_name) => change({ event_name })}
        known={known}
        hasMailEvents
      />
      <Switch
        label={TEXTS.hasTimeout}
        description={TEXTS.hasTimeoutHint}
        checked={timeout != null}
        onChange={({ currentTarget }) => (currentTarget.checked ? change({ timeout: TIMEOUT }) : without('timeout'))}
      />
      {timeout != null && <DurationField label={TEXTS.timeout} value={timeout} onChange={(text) => change({ timeout: text })} />}
      <Switch
        label={TEXTS.onlySome}
        checked={rule != null}
        onChange={({ currentTarget }) => (currentTarget.checked ? change({ filter_rule: emptyRule() }) : without('filter_rule'))}
      />
      {rule != null && <RuleField rule={rule} onChange={(filter_rule) => change({ filter_rule })} fields={fields} />}
    </Stack>
  )
}

function SegmentForm({ step, onChange, known }: { step: StepOf<'add_to_segment'>; onChange: (step: Step) => void; known: Known }) {
  const { segment_id: id } = step.config
  const isFiltered = known.segments.some((segment) => segment.id === id && segment.has_filter)
  // One that was chosen before it had a filter is still named.
  const choices = known.segments.filter((segment) => !segment.has_filter || segment.id === id)
  return (
    <Stack gap="xs">
      <RecordSelect
        label={TEXTS.segment}
        hint={TEXTS.segmentHint}
        value={id}
        options={choices.map((segment) => ({ value: segment.id, label: segment.name }))}
        onChange={(segment_id) => onChange({ ...step, config: { segment_id } })}
        page="/segments"
        create={{ to: '/segments/new', what: TEXTS.aSegment }}
        isFirst
      />
      {isFiltered && <Alert color="orange">{TEXTS.segmentFiltered}</Alert>}
    </Stack>
  )
}
