// Saves automations: a graph is stored only if every run could go through it, and if all that it names exists.
import type { Context } from '../context.ts'
import type { Graph } from '../lib/automations/graph.ts'
import { nameOfCopy } from '../lib/copied-names.ts'
import { invalid } from '../lib/failure.ts'
import { templateReference } from '../lib/template-references.ts'
import { namedInGraph, referenceProblem } from '../mail/automations/graph-references.ts'
import { type GivenGraph, readGraph } from '../mail/automations/read-graph.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import { AUTOMATION_NAME_LENGTH_MAX, AUTOMATIONS_MAX, type AutomationCreate, type AutomationUpdate } from '../schemas/automations.ts'
import { requireSending } from '../schemas/oauth-scopes.ts'

type Dependencies = Pick<Context, 'repositories'>

/** @throws Failure about the first thing that is wrong */
export async function createAutomation(context: Dependencies, holder: KeyHolder, input: AutomationCreate): Promise<{ id: string }> {
  const { teamId } = holder
  // Writing an automation is one right, letting it send another.
  if (input.status === 'enabled') requireSending(holder)
  const automation = {
    name: input.name,
    status: input.status ?? 'disabled',
    class: input.class ?? 'transactional',
    reentry: input.reentry ?? 'always',
    maxRunsPerContact: input.max_runs_per_contact ?? null,
    graph: await usableGraph(context, teamId, input),
  } as const
  return created(await context.repositories.automations.create(teamId, automation, AUTOMATIONS_MAX))
}

/**
 * @returns null if the team has no such automation
 * @throws Failure about the first thing that is wrong
 */
export async function changeAutomation(
  context: Dependencies,
  holder: KeyHolder,
  { id, input }: { id: string; input: AutomationUpdate },
): Promise<{ id: string } | null> {
  const { teamId } = holder
  const { automations } = context.repositories
  const { name, status, class: kind, reentry, max_runs_per_contact: maxRunsPerContact, steps, connections } = input
  if ((steps === undefined) !== (connections === undefined))
    throw invalid(`Missing \`${steps === undefined ? 'steps' : 'connections'}\` field: \`steps\` and \`connections\` change together.`)
  const change = {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(kind !== undefined && { class: kind }),
    ...(reentry !== undefined && { reentry }),
    ...(maxRunsPerContact !== undefined && { maxRunsPerContact }),
    ...(steps && connections && { graph: await usableGraph(context, teamId, { steps, connections }) }),
  }
  const statusThen = status ?? (holder.grant ? (await automations.find(teamId, id))?.status : undefined)
  if (statusThen === 'enabled') requireSending(holder)
  if (Object.keys(change).length === 0) throw invalid('The request body must have at least one field of an automation to change.')
  return automations.update(teamId, id, change)
}

/** A disabled copy. Returns null if the team has no such automation. */
export async function duplicateAutomation({ repositories }: Dependencies, teamId: string, id: string): Promise<{ id: string } | null> {
  const nameOf = (name: string) => nameOfCopy(name, AUTOMATION_NAME_LENGTH_MAX)
  const copy = await repositories.automations.duplicate(teamId, id, { nameOf, automationsMax: AUTOMATIONS_MAX })
  return copy && created(copy)
}

function created(result: { id: string } | 'full'): { id: string } {
  if (result === 'full') throw invalid(`A team can have at most ${AUTOMATIONS_MAX} automations. Delete one first.`)
  return result
}

/** What it names may be deleted a moment later, as it may be while runs wait. Runs look for it again. */
async function usableGraph({ repositories }: Dependencies, teamId: string, given: GivenGraph): Promise<Graph> {
  const graph = readGraph(given)
  const named = namedInGraph(graph)
  const templates =
    named.templates.length === 0 ? [] : await repositories.templateVersions.sendable(teamId, named.templates.map(templateReference))
  const { topics, segments } = await repositories.namedInFilters.named(teamId, named)
  const properties = await repositories.contactProperties.all(teamId)
  const problem = referenceProblem(graph, { templates, topicIds: topics, segments, properties })
  if (problem !== null) throw invalid(problem)
  return graph
}
