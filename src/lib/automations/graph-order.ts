import { CONNECTIONS_OF, type Graph, type Step } from './graph.ts'

/** The steps in graph order: each after all that lead to it, and the steps of a branch together. Of a graph without cycles, from its trigger. */
export function stepsInOrder({ steps, connections }: Graph): Step[] {
  const stepOf = new Map(steps.map((step) => [step.key, step]))
  const order: Step[] = []
  const seen = new Set<string>()

  const visit = (step: Step): void => {
    seen.add(step.key)
    const types = CONNECTIONS_OF[step.type]
    const following = types.flatMap((type) => connections.filter(({ from, type: given }) => from === step.key && given === type))
    // A step enters after all that follow it; so the last branch is visited first, and the whole is turned around.
    for (const { to } of following.toReversed()) {
      const next = stepOf.get(to)
      if (next && !seen.has(to)) visit(next)
    }
    order.push(step)
  }

  const trigger = steps.find(({ type }) => type === 'trigger')
  if (trigger) visit(trigger)
  return order.toReversed()
}
