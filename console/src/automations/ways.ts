import { CONNECTION_NAMES } from '../texts/automations'

/** The way by which a step was left, such as "Yes", or why it was skipped, if its output says only that. */
export function wayOf(output: object | null): string | null {
  const { met, timed_out: timedOut, why } = (output ?? {}) as { met?: unknown; timed_out?: unknown; why?: unknown }
  if (typeof why === 'string' && Object.keys(output ?? {}).length === 1) return why
  if (typeof met === 'boolean') return CONNECTION_NAMES[met ? 'condition_met' : 'condition_not_met']
  return typeof timedOut === 'boolean' ? CONNECTION_NAMES[timedOut ? 'timeout' : 'event_received'] : null
}
