import type { Static } from '@sinclair/typebox'
import type { ShownStep } from '../lib/automations/run-steps.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { AutomationRunRow, AutomationRunSummaryRow } from '../repositories/automations/run-records.ts'
import type { AutomationRun, AutomationRunStep, AutomationRunSummary } from '../schemas/automation-runs.ts'

export const toAutomationRunSummary = (row: AutomationRunSummaryRow): Static<typeof AutomationRunSummary> => ({
  id: row.id,
  status: row.status,
  reason: row.reason,
  contact_id: row.contactId,
  started_at: toTimestamp(row.startedAt),
  completed_at: toTimestamp(row.completedAt),
  created_at: toTimestamp(row.createdAt),
})

export const toAutomationRun = (row: AutomationRunRow, steps: ShownStep[]): Static<typeof AutomationRun> => ({
  object: 'automation_run',
  ...toAutomationRunSummary(row),
  event: row.eventName,
  steps: steps.map((step) => toRunStep(step, row.createdAt)),
})

function toRunStep({ step, status, reached }: ShownStep, runCreatedAt: Date): Static<typeof AutomationRunStep> {
  const startedAt = timestampOf(reached?.startedAt ?? null)
  return {
    key: step.key,
    type: step.type,
    status,
    started_at: startedAt,
    completed_at: timestampOf(reached?.completedAt ?? null),
    output: reached?.output ?? null,
    error: reached?.error == null ? null : { message: reached.error },
    created_at: startedAt ?? toTimestamp(runCreatedAt),
  }
}

const timestampOf = (text: string | null): string | null => (text === null ? null : toTimestamp(new Date(text)))
