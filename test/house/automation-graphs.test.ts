// The console draws the ways by which a step is left, and the service checks them: each has its own table, because the console has no code of the service.
import { expect, it } from 'vitest'
import { CONNECTIONS_OF, type Connection, type StepType } from '../../src/modules/automations/graph/graph.ts'

type ConsoleGraph = {
  STEP_TYPES: StepType[]
  waysOf(step: object, graph: { steps: object[]; connections: Connection[] }): Connection['type'][]
}

/** It belongs to another project of TypeScript, so its types are not read here. */
const CONSOLE = '../../console/src/automations/graph.ts'

it('steps of the console are left as those of the service', async () => {
  const { STEP_TYPES, waysOf } = (await import(CONSOLE)) as ConsoleGraph
  const types = Object.keys(CONNECTIONS_OF) as StepType[]
  expect([...STEP_TYPES].sort()).toEqual([...types].sort())
  const every = [...new Set(Object.values(CONNECTIONS_OF).flat())]
  const connections = every.map((type) => ({ from: 'it', to: 'next', type }))
  for (const type of types) {
    const step = { key: 'it', type, config: {} }
    // All that are drawn, also those that are closed while no step follows.
    expect([type, waysOf(step, { steps: [step], connections })]).toEqual([type, CONNECTIONS_OF[type]])
  }
})
