import { type RunState, stepStateOf } from '../lib/automations/engine/run-state.ts'
import type { Graph } from '../lib/automations/graph.ts'
import { stepsInOrder } from '../lib/automations/graph-order.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { AutomationSimulation } from '../schemas/automation-simulations.ts'

type Email = {
  key: string
  at: Date
  draft: { to: string[]; from: string; replyTo: string[]; subject: string; html: string | null; text: string | null }
}

export function toAutomationSimulation(
  automationId: string,
  { graph, state, emails }: { graph: Graph; state: RunState; emails: Email[] },
): AutomationSimulation {
  return {
    object: 'automation_simulation',
    automation_id: automationId,
    status: state.status,
    reason: state.reason,
    steps: stepsInOrder(graph).flatMap(({ key, type }) => {
      const step = stepStateOf(state.steps, key)
      if (!step) return []
      const { status, startedAt, completedAt, until, output, error } = step
      return [
        {
          key,
          type,
          status,
          started_at: toTimestamp(new Date(startedAt)),
          completed_at: completedAt === null ? null : toTimestamp(new Date(completedAt)),
          waits_until: until === null ? null : toTimestamp(new Date(until)),
          output,
          error,
        },
      ]
    }),
    emails: emails.map(({ key, at, draft: { to, from, replyTo, subject, html, text } }) => ({
      step: key,
      sent_at: toTimestamp(at),
      to: to[0] ?? '',
      from,
      reply_to: replyTo,
      subject,
      html,
      text,
    })),
  }
}
