import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { AutomationRow, AutomationSummaryRow } from '../repositories/automations/automations.ts'
import type { Automation, AutomationSummary } from '../schemas/automations.ts'

export const toAutomationSummary = ({
  id,
  name,
  status,
  createdAt,
  updatedAt,
}: AutomationSummaryRow): Static<typeof AutomationSummary> => ({
  id,
  name,
  status,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
})

export const toAutomation = (row: AutomationRow): Static<typeof Automation> => ({
  object: 'automation',
  ...toAutomationSummary(row),
  class: row.class,
  reentry: row.reentry,
  max_runs_per_contact: row.maxRunsPerContact,
  disabled_reason: row.disabledReason,
  held_at: toTimestamp(row.heldAt),
  held_contact_id: row.heldContactId,
  steps: row.graph.steps,
  connections: row.graph.connections,
})
