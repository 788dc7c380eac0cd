import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Graph } from '../../../../src/modules/automations/graph/graph.ts'
import { type GraphLayout, layoutGraph, STEP_HEIGHT, STEP_WIDTH } from '../../../../src/modules/automations/graph/graph-layout.ts'
import { chain, condition, connection, delay, trigger } from '../../../support/builders/automations.ts'

/** Graphs of conditions whose connections lead to later steps, each reached from one before it. */
const graphs = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { maxLength: 40 }).map((drawn): Graph => {
  const steps = [trigger(), ...drawn.map((_, index) => condition(`${index}`))]
  const taken = new Set<string>()
  const connections = drawn.flatMap(([back, forth, isTwice], index) => {
    const from = index === 0 ? 'start' : `${back % index}`
    const type = from === 'start' ? 'default' : taken.has(`${from} condition_met`) ? 'condition_not_met' : 'condition_met'
    const found = taken.has(`${from} ${type}`) ? [] : [connection(from, `${index}`, type)]
    taken.add(`${from} ${type}`)
    const to = index + 1 + (forth % (drawn.length - index))
    return isTwice && to < drawn.length && !taken.has(`${index} condition_not_met`)
      ? [...found, connection(`${index}`, `${to}`, 'condition_not_met')]
      : found
  })
  return { steps, connections }
})

const overlaps = ({ steps }: GraphLayout) =>
  steps.some((one, index) =>
    steps.slice(index + 1).some((other) => Math.abs(one.x - other.x) < STEP_WIDTH && Math.abs(one.y - other.y) < STEP_HEIGHT),
  )

describe('a drawn graph', () => {
  it('has the steps of a chain below each other', () => {
    const { steps, connections, ...size } = layoutGraph(chain([trigger(), delay('a'), delay('b')]))
    expect(steps.map(({ step, x, y }) => ({ key: step.key, x, y }))).toEqual([
      { key: 'start', x: 12, y: 12 },
      { key: 'a', x: 12, y: 128 },
      { key: 'b', x: 12, y: 244 },
    ])
    expect(connections.map(({ points }) => points)).toEqual([
      [
        { x: 120, y: 68 },
        { x: 120, y: 128 },
      ],
      [
        { x: 120, y: 184 },
        { x: 120, y: 244 },
      ],
    ])
    expect(size).toEqual({ width: 240, height: 312 })
  })

  it('has branches side by side, and the step in which they join below both', () => {
    const steps = [trigger(), condition('if'), delay('yes'), delay('no'), delay('join')]
    const connections = [
      connection('start', 'if'),
      connection('if', 'yes', 'condition_met'),
      connection('if', 'no', 'condition_not_met'),
      connection('yes', 'join'),
      connection('no', 'join'),
    ]
    const placed = new Map(layoutGraph({ steps, connections }).steps.map(({ step, x, y }) => [step.key, { x, y }]))
    expect(placed).toEqual(
      new Map([
        ['start', { x: 134, y: 12 }],
        ['if', { x: 134, y: 128 }],
        ['yes', { x: 12, y: 244 }],
        ['no', { x: 256, y: 244 }],
        ['join', { x: 134, y: 360 }],
      ]),
    )
  })

  it('leads a connection that skips a step around it', () => {
    const steps = [trigger(), condition('if'), delay('yes'), delay('end')]
    const connections = [
      connection('start', 'if'),
      connection('if', 'yes', 'condition_met'),
      connection('if', 'end', 'condition_not_met'),
      connection('yes', 'end'),
    ]
    const layout = layoutGraph({ steps, connections })
    const yes = layout.steps.find(({ step }) => step.key === 'yes')
    const [, passed] = layout.connections[2]?.points ?? []
    expect(layout.connections[2]?.points.length).toBe(4)
    expect(passed?.x).toBeGreaterThan((yes?.x ?? 0) + STEP_WIDTH)
  })

  it('has no step upon another one, nor outside, and every connection leads down', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const layout = layoutGraph(graph)
        const isInside = layout.steps.every(
          ({ x, y }) => x >= 0 && y >= 0 && x + STEP_WIDTH <= layout.width && y + STEP_HEIGHT <= layout.height,
        )
        const leadsDown = layout.connections.every(({ points }) => points.every(({ y }, index) => y > (points[index - 1]?.y ?? -1)))
        expect({ overlaps: overlaps(layout), isInside, leadsDown }).toEqual({ overlaps: false, isInside: true, leadsDown: true })
      }),
    )
  })
})
