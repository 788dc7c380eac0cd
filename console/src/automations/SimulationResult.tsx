import { Accordion, Group, Stack, Text, Timeline } from '@mantine/core'
import { MessageView } from '../parts/MessageView'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { STEP_NAMES, SIMULATION_TEXTS as TEXTS } from '../texts/automations'
import type { Simulation } from './simulation'
import { wayOf } from './ways'

/** The steps that the contact would go through, with their times, and the emails. */
export function SimulationResult({ simulation }: { simulation: Simulation }) {
  const { status, reason, steps, emails } = simulation
  return (
    <Stack component="section" aria-label={TEXTS.result}>
      <Group>
        <Text component="h3" fw={600} m={0}>
          {TEXTS.result}
        </Text>
        <StateBadge state={status} />
        {reason !== null && <Text size="sm">{reason}</Text>}
      </Group>
      <Timeline bulletSize={14} lineWidth={2}>
        {steps.map(({ key, type, status: state, started_at, waits_until, output, error }) => (
          <Timeline.Item key={key} title={`${key}: ${STEP_NAMES[type] ?? type}`}>
            <Group gap="xs">
              <StateBadge state={state} />
              {wayOf(output) !== null && <Text size="sm">{wayOf(output)}</Text>}
              <Text size="sm" c="dimmed">
                <Time at={started_at} form="second" />
                {waits_until !== null && (
                  <>
                    , {TEXTS.waitsUntil} <Time at={waits_until} form="second" />
                  </>
                )}
              </Text>
            </Group>
            {error !== null && (
              <Text size="sm" c="red">
                {error}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
      <Text component="h3" fw={600} m={0}>
        {TEXTS.emails}
      </Text>
      {emails.length === 0 && <Text c="dimmed">{TEXTS.noEmails}</Text>}
      <Accordion>
        {emails.map(({ step, subject, to, html, text, sent_at }) => (
          <Accordion.Item key={`${step} ${sent_at}`} value={`${step} ${sent_at}`}>
            <Accordion.Control>
              {subject}{' '}
              <Text span size="sm" c="dimmed">
                <Time at={sent_at} />
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Text size="sm" mb="xs">
                {TEXTS.to}: {to}
              </Text>
              <MessageView html={html} text={text} title={subject} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}
