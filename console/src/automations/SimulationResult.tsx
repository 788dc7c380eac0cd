import { Accordion, Group, Stack, Text, Timeline } from '@mantine/core'
import { MessageFrame } from '../parts/MessageFrame'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { STEP_NAMES, SIMULATION_TEXTS as TEXTS } from '../texts/automations'
import type { Simulation } from './simulation'

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
        {steps.map(({ key, type, status: state, started_at, waits_until, error }) => (
          <Timeline.Item key={key} title={`${key}: ${STEP_NAMES[type] ?? type}`}>
            <Group gap="xs">
              <StateBadge state={state} />
              <Text size="sm" c="dimmed">
                <Time at={started_at} />
                {waits_until !== null && (
                  <>
                    , {TEXTS.waitsUntil} <Time at={waits_until} />
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
              {html === null ? (
                <Text component="pre" size="sm" m={0} style={{ whiteSpace: 'pre-wrap' }}>
                  {text}
                </Text>
              ) : (
                <MessageFrame html={html} title={subject} height={320} />
              )}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}
