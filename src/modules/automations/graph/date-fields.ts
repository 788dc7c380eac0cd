// Which fields of events the rules of an automation compare as dates: those that their events declare so. Other texts are only texts.
import type { FieldRule, Graph, Rule } from './graph.ts'
import { namedInStep, toTime } from './references.ts'

/** Names of the events whose schemas decide; empty for most automations, whose rules name no time. */
export function eventsWithDates({ steps }: Graph): string[] {
  const rules = steps.flatMap((step) => {
    const { rule } = namedInStep(step)
    return rule ? rulesIn(rule.value) : []
  })
  const asks = rules.some((rule) => (rule.operator === 'eq' || rule.operator === 'neq') && toTime(rule.value) !== null)
  if (!asks) return []
  const names = steps.flatMap((step) => (step.type === 'trigger' || step.type === 'wait_for_event' ? [step.config.event_name] : []))
  return [...new Set(names)]
}

const rulesIn = (rule: Rule): FieldRule[] => ('rules' in rule ? rule.rules.flatMap(rulesIn) : [rule])

/** The fields as rules name them. */
export function dateFields({ steps }: Graph, schemas: ReadonlyMap<string, Readonly<Record<string, string>>>): Set<string> {
  const fieldsOf = (name: string) => Object.entries(schemas.get(name) ?? {}).flatMap(([field, type]) => (type === 'date' ? [field] : []))
  return new Set(
    steps.flatMap((step) => {
      if (step.type === 'trigger') return fieldsOf(step.config.event_name).map((field) => `event.${field}`)
      if (step.type !== 'wait_for_event') return []
      return fieldsOf(step.config.event_name).map((field) => `wait_events.${step.config.event_name}.${field}`)
    }),
  )
}
