// The steps of an automation and which follows which.
import type { RecordOf } from '../api/queries'

type Automation = RecordOf<'/automations/{automation_id}'>
export type Step = Automation['steps'][number]
export type StepType = Step['type']
export type StepOf<Type extends StepType> = Extract<Step, { type: Type }>
export type Connection = Automation['connections'][number]
export type ConnectionType = Connection['type']
export type Graph = Pick<Automation, 'steps' | 'connections'>
export type Rule = StepOf<'condition'>['config']

/** The event of contacts that are created here, without a program that sends it. */
export const CONTACT_CREATED = 'contact.created'

/** `entered`: also where the step was skipped. `share`: how many of a hundred runs that started came to the step; null if none started. */
export type StepCounts = { entered: number; waiting: number; done: number; failed: number; skipped: number; share: number | null }

/** The ways by which a step of each type is left, from left to right. */
const WAYS: Readonly<Record<StepType, readonly ConnectionType[]>> = {
  trigger: ['default'],
  send_email: ['default'],
  delay: ['default'],
  wait_for_event: ['event_received', 'timeout'],
  condition: ['condition_met', 'condition_not_met'],
  contact_update: ['default'],
  contact_delete: ['default'],
  add_to_segment: ['default'],
}

export const STEP_TYPES = Object.keys(WAYS) as StepType[]

/** Where a connection leads, if there is one. */
export const followerOf = ({ connections }: Graph, from: string, type: ConnectionType): string | null =>
  connections.find((one) => one.from === from && one.type === type)?.to ?? null

/** The ways by which a run can leave this step: a wait without a timeout has no second one, and after a contact is deleted nothing follows. */
export function waysOf(step: Step, graph: Graph): readonly ConnectionType[] {
  const isOpen = (type: ConnectionType): boolean =>
    step.type === 'contact_delete' ? false : type === 'timeout' ? step.type === 'wait_for_event' && Boolean(step.config.timeout) : true
  return WAYS[step.type].filter((type) => isOpen(type) || followerOf(graph, step.key, type) !== null)
}

/** Each after all that lead to it, and the steps of a branch together. Those to which nothing leads are left out. */
export function stepsInOrder(graph: Graph): Step[] {
  const { steps } = graph
  const order: Step[] = []
  const seen = new Set<string>()
  const visit = (step: Step): void => {
    seen.add(step.key)
    const following = WAYS[step.type].flatMap((type) => followerOf(graph, step.key, type) ?? [])
    // A step enters after all that follow it; so the last branch is visited first, and the whole is turned around.
    for (const to of following.toReversed()) {
      const next = steps.find(({ key }) => key === to)
      if (next && !seen.has(to)) visit(next)
    }
    order.push(step)
  }
  const trigger = steps.find(({ type }) => type === 'trigger')
  if (trigger) visit(trigger)
  return order.toReversed()
}
