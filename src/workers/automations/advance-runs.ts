// Takes claimed runs one act further: what they were told, what the time is, and what follows from it are stored in one transaction with the act itself.
import type { Context } from '../../context.ts'
import type { Decision } from '../../lib/automations/engine/decide.ts'
import type { Advance } from '../../repositories/automations/advances.ts'
import type { Claimed, FactsOfRuns } from '../../repositories/automations/due-runs.ts'
import { knownContact } from '../../services/automation-acts.ts'
import { type Changing, contactActs } from './contact-acts.ts'
import { type Asking, makeEmails } from './email-steps.ts'
import type { GraphCache } from './graph-cache.ts'
import { advanceOf, ended, endOf, type LoadedRun, passTime, takeNote } from './steps.ts'

type Decided = { loaded: LoadedRun; decision: Decision }

/** What is not handed in is read. */
export type Advancing = Pick<Claimed, 'runs'> & Partial<Claimed> & { workerId: string; graphCache: GraphCache }

/** Claimed runs, decided and stored. */
export async function advanceRuns(context: Context, { workerId, graphCache, runs, ...known }: Advancing): Promise<void> {
  const at = context.clock.now()
  const advances: Advance[] = []
  const going: Going[] = []
  const [properties, told] = await Promise.all([
    known.properties ?? graphCache.propertiesOf(runs.map(({ teamId }) => teamId)),
    known.told ?? context.repositories.dueRuns.factsOf(runs.map(({ id }) => id)),
  ])
  for (const run of runs) {
    const graph = await graphCache.graphOf(run.teamId, run.versionId)
    const end = endOf(run)
    if (end) advances.push(advanceOf({ run, graph: NO_GRAPH, facts: [] }, ended(run, end, at), { at }))
    else if (graph && run.contact) {
      const dates = await graphCache.datesOf(run.teamId, graph)
      going.push({ run, graph, contact: knownContact(run.contact, properties.get(run.teamId) ?? []), ...(dates && { dates }) })
    } else throw new Error('A run has no graph')
  }
  const decided = await decideAll(context, { going, told, at })
  const asked: Asking[] = []
  const changing: Changing[] = []
  for (const each of decided) {
    const { loaded, decision } = each
    if (decision.action.kind !== 'act') advances.push(advanceOf(loaded, decision, { at }))
    else if (decision.action.step.type === 'send_email') asked.push({ ...each, step: decision.action.step })
    else changing.push({ ...each, step: decision.action.step, properties: properties.get(loaded.run.teamId) ?? [] })
  }
  const { failed, batches } = contactActs(context, changing, context.clock.now())
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

type Going = Omit<LoadedRun, 'facts' | 'isToldMore'>

const NO_GRAPH = { steps: [], connections: [] }

type Deciding = { going: Going[]; told: FactsOfRuns; at: Date }

async function decideAll({ repositories }: Context, { going, told: { facts, unread }, at }: Deciding): Promise<Decided[]> {
  const byRun = Map.groupBy(facts, ({ runId }) => runId)
  const noted = going.map((each): Decided => {
    const loaded = { ...each, facts: byRun.get(each.run.id) ?? [], isToldMore: unread.has(each.run.id) }
    return { loaded, decision: takeNote(loaded, at) }
  })
  // An event that has come but is not told yet was there before the time was over.
  const waits = noted.flatMap(({ loaded: { run }, decision: { action } }) =>
    action.kind === 'wait' && action.until !== null && action.until <= at
      ? [{ runId: run.id, contactId: run.contactId, eventName: action.eventName }]
      : [],
  )
  // Telling moves an event from the queue to the facts, perhaps after these were read. So look at the queue first, then at the facts again.
  const expecting = waits.length > 0 ? await repositories.dueRuns.expecting(waits) : new Set<string>()
  const since = waits.length > 0 ? await repositories.dueRuns.factsOf(waits.map(({ runId }) => runId)) : NOTHING_TOLD
  const factsNow = Map.groupBy(since.facts, ({ runId }) => runId)
  const hasNews = ({ run, facts: known, isToldMore }: LoadedRun) =>
    isToldMore || expecting.has(run.id) || since.unread.has(run.id) || (factsNow.get(run.id)?.length ?? 0) > known.length
  return noted.map(({ loaded, decision }) => ({ loaded, decision: hasNews(loaded) ? decision : passTime(loaded, decision, at) }))
}

const NOTHING_TOLD: FactsOfRuns = { facts: [], unread: new Set() }

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
    await context.repositories.automationAdvances.store(workerId, [...ready, ...made.advances])
    if (made.advances.some(({ emails }) => emails.length > 0)) context.wakeWorkers()
    ready = []
    left = made.left
  }
}
