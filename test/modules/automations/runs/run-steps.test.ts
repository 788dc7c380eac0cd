import { expect, test } from 'vitest'
import { type StepsOfRun, stepsOfRun } from '../../../../src/modules/automations/runs/run-steps.ts'
import { condition, connection, delay, reached, trigger } from '../../../support/builders/automations.ts'

const graph = {
  steps: [trigger(), condition('big'), delay('yes'), delay('no'), delay('join')],
  connections: [
    connection('start', 'big'),
    connection('big', 'yes', 'condition_met'),
    connection('big', 'no', 'condition_not_met'),
    connection('yes', 'join'),
    connection('no', 'join'),
  ],
}

const ENDED_AT = '2026-11-20T10:00:00.000Z'

const statuses = (run: { at: string | null; steps: Record<string, object> }, endedAt: string | null = null) =>
  stepsOfRun(graph, run as StepsOfRun, { endedAt }).map(({ step, status }) => `${step.key} ${status}`)

test('tells what a run may still come to from what it never will', () => {
  const steps = { start: reached(), big: reached(), no: reached({ status: 'waiting', completedAt: null }) }
  expect(statuses({ at: 'no', steps })).toEqual(['start completed', 'big completed', 'yes skipped', 'no waiting', 'join pending'])
})

test('shows what a run that has ended did not come to as skipped', () => {
  const steps = { start: reached(), big: reached(), no: reached({ status: 'failed', error: 'No.' }) }
  expect(statuses({ at: null, steps })).toEqual(['start completed', 'big completed', 'yes skipped', 'no failed', 'join skipped'])
})

test('shows the end of a run that was stopped before its state says so', () => {
  const steps = { start: reached(), big: reached(), no: reached({ status: 'waiting', completedAt: null }) }
  expect(statuses({ at: 'no', steps }, ENDED_AT)).toEqual(['start completed', 'big completed', 'yes skipped', 'no skipped', 'join skipped'])
  expect(stepsOfRun(graph, { at: 'no', steps } as StepsOfRun, { endedAt: ENDED_AT })[3]?.reached).toEqual(
    reached({ status: 'skipped', completedAt: ENDED_AT }),
  )
})
