// Saves automations: a graph is stored only if every run could go through it, and if all that it names exists.

import type { Caller } from '../../http/operation.ts'
import { changedMeanwhile } from '../../lib/changed-meanwhile.ts'
import { invalid } from '../../lib/failure.ts'
import { nameOfCopy } from '../../lib/text.ts'
import { requireSending } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { writerOf } from '../audit/writers.service.ts'
import { templateReference } from '../templates/template-variables.schema.ts'
import type { TemplatesContext } from '../templates/templates.context.ts'
import type { AutomationsContext } from './automations.context.ts'
import { AUTOMATION_NAME_LENGTH_MAX, type AutomationCreate, type AutomationUpdate } from './automations.schema.ts'
import type { Graph } from './graph/graph.ts'
import { type GraphInput, readGraph, referenceProblem } from './graph/read-graph.ts'
import { namedInGraph } from './graph/references.ts'

type Context = AudienceContext & AuditContext & TemplatesContext & AutomationsContext

type Dependencies = Pick<Context, 'repositories'>

/** @throws Failure about the first thing that is wrong */
export async function createAutomation(context: Dependencies, holder: Caller, input: AutomationCreate): Promise<{ id: string }> {
  const { teamId } = holder
  // Writing an automation is one right, letting it send another.
  if (input.status === 'enabled') requireSending(holder)
  const automation = {
    name: input.name,
    status: input.status ?? 'disabled',
    class: input.class ?? 'transactional',
    reentry: input.reentry ?? 'always',
    maxRunsPerContact: input.max_runs_per_contact ?? null,
  } as const
  const author = await writerOf(context.repositories, holder)
  return retryWhileGone(async () => {
    const graph = await usableGraph(context, teamId, readGraph(input))
    return context.repositories.automations.create(teamId, { ...automation, graph, author })
  })
}

/**
 * @returns null if the team has no such automation
 * @throws Failure about the first thing that is wrong
 */
export async function updateAutomation(
  context: Dependencies,
  holder: Caller,
  { id, input }: { id: string; input: AutomationUpdate },
): Promise<{ id: string } | null> {
  const { teamId } = holder
  const { automations } = context.repositories
  const { name, status, class: kind, reentry, max_runs_per_contact: maxRunsPerContact, steps, connections } = input
  const graph = await givenGraph(context, teamId, { steps, connections })
  const change = {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(kind !== undefined && { class: kind }),
    ...(reentry !== undefined && { reentry }),
    ...(maxRunsPerContact !== undefined && { maxRunsPerContact }),
    ...(graph && { graph }),
  }
  const statusThen = status ?? (holder.scopes ? (await automations.find(teamId, id))?.status : undefined)
  if (statusThen === 'enabled') requireSending(holder)
  if (Object.keys(change).length === 0) throw invalid('The request body must have at least one field to change.')
  const author = await writerOf(context.repositories, holder)
  const expectedVersionId = input.expected_version?.toLowerCase() ?? null
  return retryWhileGone(async () => {
    const result = await automations.updateAutomation(teamId, id, change, { author, expectedVersionId })
    if (result !== null && typeof result === 'object' && 'changedMeanwhile' in result)
      throw changedMeanwhile('automation', result.changedMeanwhile)
    // Says which step names what is gone.
    if (result === 'reference deleted') await usableGraph(context, teamId, graph ?? (await automations.find(teamId, id))?.graph ?? NO_STEPS)
    return result
  })
}

/**
 * The graph of a body in which it may be left out.
 *
 * @throws Failure about the first thing that is wrong
 */
export async function givenGraph(
  context: Pick<AudienceContext & TemplatesContext & AutomationsContext, 'repositories'>,
  teamId: string,
  { steps, connections }: { [Part in keyof GraphInput]?: GraphInput[Part] | null | undefined },
): Promise<Graph | undefined> {
  if ((steps == null) !== (connections == null))
    throw invalid(`Missing \`${steps == null ? 'steps' : 'connections'}\` field: change \`steps\` and \`connections\` together.`)
  return steps && connections ? usableGraph(context, teamId, readGraph({ steps, connections })) : undefined
}

const NO_STEPS: Graph = { steps: [], connections: [] }

/** What was gone may be there again, such as an alias that another template has got. */
const SAVES_MAX = 3

/** Saves again what was refused because something that it names was deleted, until that is said of a step. */
async function retryWhileGone<Result>(save: () => Promise<Result | 'reference deleted'>): Promise<Result> {
  for (let count = 0; count < SAVES_MAX; count += 1) {
    const result = await save()
    if (result !== 'reference deleted') return result
  }
  throw invalid(CHANGING)
}

const CHANGING = 'Something that the steps name was deleted and created at the same time. Check the steps, and retry.'

/** A disabled copy. Returns null if the team has no such automation. */
export async function duplicateAutomation({ repositories }: Dependencies, holder: Caller, id: string): Promise<{ id: string } | null> {
  const nameOf = (name: string) => nameOfCopy(name, AUTOMATION_NAME_LENGTH_MAX)
  return repositories.automations.duplicate(holder.teamId, id, { nameOf, author: await writerOf(repositories, holder) })
}

/**
 * What it names may be deleted a moment later: an enabled automation is disabled by that, and the runs that have begun look for it again.
 * @throws Failure about the first step that names what the team does not have
 */
async function usableGraph(
  { repositories }: Pick<AudienceContext & TemplatesContext, 'repositories'>,
  teamId: string,
  graph: Graph,
): Promise<Graph> {
  const named = namedInGraph(graph)
  const templates =
    named.templates.length === 0 ? [] : await repositories.templateVersions.sendable(teamId, named.templates.map(templateReference))
  const { topics, segments } = await repositories.namedInFilters.named(teamId, named)
  const properties = await repositories.contactProperties.all(teamId)
  const problem = referenceProblem(graph, { templates, topicIds: topics, segments, properties })
  if (problem !== null) throw invalid(problem)
  return graph
}
