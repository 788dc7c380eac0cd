import { List, Stack, Text } from '@mantine/core'
import { SegmentName, TemplateName } from '../parts/names'
import { PageLink } from '../parts/PageLink'
import { CONNECTION_NAMES, STEP_NAMES, AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import { Counts } from './Counts'
import { stepWords } from './editor/sentences'
import { type Graph, type Step, type StepCounts, stepsInOrder } from './graph'

/** What the drawing shows, for people who use a keyboard or a screen reader, and to look something up. */
export function StepList({ graph, counts }: { graph: Graph; counts?: ReadonlyMap<string, StepCounts> }) {
  return (
    <List type="ordered" spacing="sm" size="sm" aria-label={TEXTS.stepList}>
      {stepsInOrder(graph).map((step) => {
        const counted = counts?.get(step.key)
        return (
          <List.Item key={step.key}>
            <Stack gap={2}>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <b>{step.key}</b>: <Words step={step} />
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {TEXTS.next}: {nextOf(step, graph)}
              </Text>
              {counted && <Counts counts={counted} />}
            </Stack>
          </List.Item>
        )
      })}
    </List>
  )
}

/** What it does, in the words of the editor. What it names leads to its page. */
function Words({ step }: { step: Step }) {
  if (step.type === 'send_email')
    return (
      <>
        {STEP_NAMES.send_email}{' '}
        <PageLink to={`/templates/${step.config.template.id}`} size="sm">
          <TemplateName id={step.config.template.id} />
        </PageLink>
      </>
    )
  if (step.type === 'add_to_segment')
    return (
      <>
        {STEP_NAMES.add_to_segment}{' '}
        <PageLink to={`/segments/${step.config.segment_id}`} size="sm">
          <SegmentName id={step.config.segment_id} />
        </PageLink>
      </>
    )
  return <bdi>{stepWords(step)}</bdi>
}

function nextOf({ key }: Step, { connections }: Graph): string {
  const next = connections.filter(({ from }) => from === key)
  if (next.length === 0) return TEXTS.end
  return next.map(({ to, type }) => (CONNECTION_NAMES[type] ? `${CONNECTION_NAMES[type]} → ${to}` : to)).join('; ')
}
