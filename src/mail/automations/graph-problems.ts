// Judges how the steps of an automation are connected.
import { CONNECTIONS_OF, type Connection, type Graph, type Step } from '../../lib/automations/graph.ts'
import { quoted, quotedValue } from '../../lib/quotation.ts'

/** The first thing that is wrong, as a sentence that names the step and the rule; null if nothing is. */
export function graphProblem(graph: Graph): string | null {
  return repeatedKey(graph) ?? triggerProblem(graph) ?? connectionProblem(graph) ?? cycleProblem(graph) ?? reachProblem(graph)
}

function repeatedKey({ steps }: Graph): string | null {
  const places = new Map<string, number>()
  for (const [index, { key }] of steps.entries()) {
    const first = places.get(key)
    if (first !== undefined) return `Step ${quoted(key)}: its key is also that of \`steps[${first}]\`. Each step needs a key of its own.`
    places.set(key, index)
  }
  return null
}

function triggerProblem({ steps }: Graph): string | null {
  const [first, second] = steps.filter(({ type }) => type === 'trigger')
  if (!first) return 'The `steps` field must have a step of type `trigger`, which begins every run.'
  return second ? `Step ${quoted(second.key)}: it is a second trigger, after ${quoted(first.key)}. An automation has exactly one.` : null
}

function connectionProblem({ steps, connections }: Graph): string | null {
  const byKey = new Map(steps.map((step) => [step.key, step]))
  const left = new Set<string>()
  for (const [index, connection] of connections.entries()) {
    const { from, to, type } = connection
    const [source, target] = [byKey.get(from), byKey.get(to)]
    if (!source) return `The \`connections[${index}].from\` field is not the key of a step.${quotedValue(from)}`
    if (!target) return `The \`connections[${index}].to\` field is not the key of a step.${quotedValue(to)}`
    if (source === target) return `Step ${quoted(from)}: \`connections[${index}]\` leads from it to itself.`
    if (target.type === 'trigger') return `Step ${quoted(to)}: \`connections[${index}]\` leads to it, and nothing comes before a trigger.`
    const problem = typeProblem(source, connection)
    if (problem !== null) return problem
    const way = `${type} ${from}`
    if (left.has(way))
      return `Step ${quoted(from)}: several connections of type \`${type}\` lead from it. A step has at most one of each type.`
    left.add(way)
  }
  return null
}

function typeProblem(source: Step, { type }: Connection): string | null {
  const types = CONNECTIONS_OF[source.type]
  if (!types.includes(type))
    return `Step ${quoted(source.key)}: a connection of type \`${type}\` leads from it. A \`${source.type}\` step has ${types.map((name) => `\`${name}\``).join(' and ')}.`
  if (source.type === 'wait_for_event' && type === 'timeout' && source.config.timeout === undefined)
    return `Step ${quoted(source.key)}: a connection of type \`timeout\` leads from it, and its configuration has no \`timeout\`.`
  return null
}

/** Every connection has been checked: its steps exist. */
function cycleProblem({ steps, connections }: Graph): string | null {
  const following = followingSteps(connections)
  const done = new Set<string>()

  /** The keys of a cycle, if one is reached from `key`. `path`: how. */
  function cycleFrom(key: string, path: string[]): string[] | null {
    if (path.includes(key)) return path.slice(path.indexOf(key))
    if (done.has(key)) return null
    for (const next of following.get(key) ?? []) {
      const cycle = cycleFrom(next, [...path, key])
      if (cycle) return cycle
    }
    done.add(key)
    return null
  }

  for (const { key } of steps) {
    const [first = '', ...others] = cycleFrom(key, []) ?? []
    if (others.length > 0)
      return `Step ${quoted(first)}: connections lead from it back to it, through ${quoted(others.at(-1) ?? '')}. Every way through an automation must have an end.`
  }
  return null
}

function reachProblem({ steps, connections }: Graph): string | null {
  const following = followingSteps(connections)
  const reached = new Set<string>()
  const waiting = steps.filter(({ type }) => type === 'trigger').map(({ key }) => key)
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    reached.add(key)
    waiting.push(...(following.get(key) ?? []).filter((next) => !reached.has(next)))
  }
  const lost = steps.find(({ key }) => !reached.has(key))
  return lost ? `Step ${quoted(lost.key)}: no connection leads to it from the trigger.` : null
}

function followingSteps(connections: Connection[]): Map<string, string[]> {
  const following = new Map<string, string[]>()
  for (const { from, to } of connections) following.set(from, [...(following.get(from) ?? []), to])
  return following
}
