// Reads the graph of an automation, and refuses one that no run could go through.
import type { Connection, Graph, StepType } from '../../lib/automations/graph.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { quoted } from '../../lib/quotation.ts'
import { GRAPH_BYTES_MAX } from '../../schemas/automation-steps.ts'
import { graphProblem } from './graph-problems.ts'
import { readStep } from './step-configs.ts'

/** What the validator of the body has let through. */
export type GivenGraph = {
  steps: { key: string; type: StepType; config: Record<string, unknown> }[]
  connections: { from: string; to: string; type?: Connection['type'] | null }[]
}

/** @throws Failure about the first thing that is wrong: it names the step and the rule */
export function readGraph({ steps, connections }: GivenGraph): Graph {
  const graph: Graph = {
    steps: steps.map((step) => inStep(step.key, () => readStep(step))),
    connections: connections.map(({ from, to, type }) => ({ from, to, type: type ?? 'default' })),
  }
  const problem = graphProblem(graph)
  if (problem !== null) throw invalid(problem)
  if (Buffer.byteLength(JSON.stringify(graph)) > GRAPH_BYTES_MAX)
    throw invalid(`The \`steps\` and \`connections\` fields may have at most ${GRAPH_BYTES_MAX / 1024} KB together, as JSON.`)
  return graph
}

/** What is wrong within a step is said with its key. */
export function inStep<Result>(key: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    throw invalid(`Step ${quoted(key)}: ${error.message}`)
  }
}
