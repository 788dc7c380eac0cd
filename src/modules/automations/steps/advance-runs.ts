// Takes claimed runs one act further: what they were told, what the time is, and what follows from it are stored in one transaction with the act itself.

import { isMissingReference } from '../../../db/database-errors.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { createExpiringCache } from '../../../lib/cache.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { PropertyRow } from '../../audience/properties/properties.repository.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import type { EventsContext } from '../../events/events.context.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { TemplatesContext } from '../../templates/templates.context.ts'
import type { AutomationsContext } from '../automations.context.ts'
import type { Decision } from '../engine/decide.ts'
import { dateFields, eventsWithDates } from '../graph/date-fields.ts'
import type { Graph } from '../graph/graph.ts'
import type { Advance } from '../runs/advances.repository.ts'
import type { Claimed, FactsOfRuns } from '../runs/due-runs.repository.ts'
import { batchContactActions, type Changing, knownContact } from './contact-actions.ts'
import { type Asking, makeEmails } from './email-steps.ts'
import { ended, findEnd, type LoadedRun, passTime, replayFacts, toAdvance } from './steps.ts'

type Context = PlatformContext &
  AccountsContext &
  SecretsContext &
  DomainsContext &
  SuppressionsContext &
  AudienceContext &
  TemplatesContext &
  EmailsContext &
  EventsContext &
  AutomationsContext

const GRAPHS_MAX = 200
/** A graph never changes; this only lets go of those that no run needs any longer. */
const GRAPH_MS = 600_000
/** What decisions need beside the rows of a run. */
export function createGraphCache({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const graphs = createExpiringCache<Graph>({ entriesMax: GRAPHS_MAX, clock })

  /** Reads the schemas of events, if a rule asks for them. They are not cached, because a change of a schema counts at once. */
  async function datesOf(teamId: string, graph: Graph): Promise<ReadonlySet<string> | undefined> {
    const names = eventsWithDates(graph)
    return names.length === 0 ? undefined : dateFields(graph, await repositories.events.schemasOf(teamId, names))
  }

  return {
    datesOf,

    /** Null if it is gone with its automation. */
    async graphOf(teamId: string, versionId: string): Promise<Graph | null> {
      const known = graphs.get(versionId)
      if (known) return known
      const found = await repositories.automationRuns.graphOf(teamId, versionId)
      if (found) graphs.set(versionId, found, GRAPH_MS)
      return found
    },

    /** Reads the properties of these teams. They are not cached, because a condition sees a property as soon as it exists. */
    async propertiesOf(teamIds: string[]): Promise<Map<string, PropertyRow[]>> {
      const found = [...new Set(teamIds)].map(async (teamId) => [teamId, await repositories.contactProperties.all(teamId)] as const)
      return new Map(await Promise.all(found))
    },
  }
}

export type GraphCache = ReturnType<typeof createGraphCache>

type Decided = { loaded: LoadedRun; decision: Decision }

/** What is not handed in is read. */
export type Advancing = Pick<Claimed, 'runs'> & Partial<Claimed> & { workerId: string; graphCache: GraphCache }

/** Claimed runs, decided and stored. */
export async function advanceRuns(context: Context, { workerId, graphCache, runs, ...known }: Advancing): Promise<void> {
  const at = context.clock.now()
  const advances: Advance[] = []
  const going: Going[] = []
  const [properties, facts] = await Promise.all([
    known.properties ?? graphCache.propertiesOf(runs.map(({ teamId }) => teamId)),
    known.facts ?? context.repositories.dueRuns.readFacts(runs.map(({ id }) => id)),
  ])
  for (const run of runs) {
    const graph = await graphCache.graphOf(run.teamId, run.versionId)
    const end = findEnd(run)
    if (end) advances.push(toAdvance({ run, graph: NO_GRAPH, facts: [] }, ended(run, end, at), { at }))
    else if (graph && run.contact) {
      const dates = await graphCache.datesOf(run.teamId, graph)
      going.push({ run, graph, contact: knownContact(run.contact, properties.get(run.teamId) ?? []), ...(dates && { dates }) })
    } else throw new Error('A run has no graph')
  }
  const decided = await decideAll(context, { going, facts, at })
  const asked: Asking[] = []
  const changing: Changing[] = []
  for (const each of decided) {
    const { loaded, decision } = each
    if (decision.action.kind !== 'act') advances.push(toAdvance(loaded, decision, { at }))
    else if (decision.action.step.type === 'send_email') asked.push({ ...each, step: decision.action.step })
    else changing.push({ ...each, step: decision.action.step, properties: properties.get(loaded.run.teamId) ?? [] })
  }
  const { failed, batches } = batchContactActions(context, changing, context.clock.now())
  await storeTogether(context, workerId, { advances: [...advances, ...failed], asked, properties })
  await eachBesides(batches, (batch) => context.repositories.automationContactActs.do(workerId, batch))
}

/** Transactions that change contacts, at a time: they mostly wait for the database. */
const BATCHES_AT_ONCE_MAX = 5

/** A few at a time; all are ended when it answers. @throws the first error */
async function eachBesides<Item>(items: Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const lanes = Array.from({ length: BATCHES_AT_ONCE_MAX }, async () => {
    for (const item of left) await act(item)
  })
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected')
  if (failed) throw failed.reason
}

type Going = Omit<LoadedRun, 'facts' | 'hasMoreFacts'>

const NO_GRAPH = { steps: [], connections: [] }

type Deciding = { going: Going[]; facts: FactsOfRuns; at: Date }

async function decideAll({ repositories }: Context, { going, facts: { facts, unread }, at }: Deciding): Promise<Decided[]> {
  const byRun = Map.groupBy(facts, ({ runId }) => runId)
  const noted = going.map((each): Decided => {
    const loaded = { ...each, facts: byRun.get(each.run.id) ?? [], hasMoreFacts: unread.has(each.run.id) }
    return { loaded, decision: replayFacts(loaded, at) }
  })
  // An event that has come but is not told yet was there before the time was over.
  const waits = noted.flatMap(({ loaded: { run }, decision: { action } }) =>
    action.kind === 'wait' && action.until !== null && action.until <= at
      ? [{ runId: run.id, contactId: run.contactId, eventName: action.eventName }]
      : [],
  )
  // Telling moves an event from the queue to the facts, perhaps after these were read. So look at the queue first, then at the facts again.
  const expecting = waits.length > 0 ? await repositories.dueRuns.expecting(waits) : new Set<string>()
  const since = waits.length > 0 ? await repositories.dueRuns.readFacts(waits.map(({ runId }) => runId)) : NOTHING_TOLD
  const factsNow = Map.groupBy(since.facts, ({ runId }) => runId)
  const hasNews = ({ run, facts: known, hasMoreFacts }: LoadedRun) =>
    hasMoreFacts || expecting.has(run.id) || since.unread.has(run.id) || (factsNow.get(run.id)?.length ?? 0) > known.length
  return noted.map(({ loaded, decision }) => ({ loaded, decision: hasNews(loaded) ? decision : passTime(loaded, decision, at) }))
}

const NOTHING_TOLD: FactsOfRuns = { facts: [], unread: new Set() }

/** If a reservation was called in meanwhile, nothing is stored, and the runs are looked at again. */
async function storeCounted({ repositories, quotas }: Context, workerId: string, advances: Advance[]): Promise<void> {
  const taken = advances.flatMap(({ teamId, emails }) =>
    emails.flatMap(({ acceptance }) => acceptance.quotaUses.map((quota) => ({ teamId, quota }))),
  )
  const end = (how: 'accepted' | 'lost') => {
    for (const { teamId, quota } of taken) quotas.end(teamId, quota, how)
  }
  try {
    await repositories.automationAdvances.store(workerId, advances)
    end('accepted')
  } catch (error) {
    if (isMissingReference(error)) end('lost')
    throw error
  }
}

/** Emails follow in further commits if they are too large together. */
async function storeTogether(
  context: Context,
  workerId: string,
  { advances, asked, properties }: { advances: Advance[]; asked: Asking[]; properties: Claimed['properties'] },
): Promise<void> {
  let [ready, left] = [advances, asked]
  while (ready.length + left.length > 0) {
    const made = await makeEmails(context, left, properties)
    if (left.length > 0 && made.advances.length === 0) throw new Error('No email of these runs was made')
    await storeCounted(context, workerId, [...ready, ...made.advances])
    if (made.advances.some(({ emails }) => emails.length > 0)) context.wakeWorkers()
    ready = []
    left = made.left
  }
}
