// Takes claimed runs one act further: what they were told, what the time is, and what follows from it are stored in one transaction with the act itself.
import type { Context } from '../../context.ts'
import type { ActStep, Decision } from '../../lib/automations/engine/decide.ts'
import { createId, LOWEST_ID } from '../../lib/ids.ts'
import type { PropertyOfContacts } from '../../mail/rendering/contact-placeholders.ts'
import type { Advance } from '../../repositories/automations/advances.ts'
import type { ClaimedRun } from '../../repositories/automations/due-runs.ts'
import { assemble } from '../../services/accept-email.ts'
import { type ContactStep, knownContact, outcomeOf } from '../../services/automation-acts.ts'
import { type EmailOfStep, makeAutomationEmails } from '../../services/automation-emails.ts'
import { judgeEmails } from '../../services/judge-emails.ts'
import { unsubscribeUrl } from '../../services/unsubscribe-links.ts'
import { contactActOf } from './contact-acts.ts'
import type { Knowledge } from './known.ts'
import { acted, advanceOf, ended, endOf, followsEmails, type LoadedRun, passTime, takeNote } from './steps.ts'

type Decided = { loaded: LoadedRun; decision: Decision }
type Asking = Decided & { step: Extract<ActStep, { type: 'send_email' }> }
type Properties = readonly PropertyOfContacts[]

/** Claimed runs, decided and stored. */
export async function advanceRuns(
  context: Context,
  { workerId, knowledge, runs }: { workerId: string; knowledge: Knowledge; runs: ClaimedRun[] },
): Promise<void> {
  const at = context.clock.now()
  const advances: Advance[] = []
  const going: Going[] = []
  const properties = await knowledge.propertiesOf(runs.map(({ teamId }) => teamId))
  for (const run of runs) {
    const graph = await knowledge.graphOf(run.teamId, run.versionId)
    const end = endOf(run)
    if (end) advances.push(advanceOf({ run, graph: NO_GRAPH, facts: [] }, ended(run, end, at), { at }))
    else if (graph && run.contact) going.push({ run, graph, contact: knownContact(run.contact, properties.get(run.teamId) ?? []) })
    else throw new Error('A run has no graph')
  }
  const decided = await decideAll(context, going, at)
  const asking: Asking[] = []
  const alone: (Decided & { step: ContactStep })[] = []
  for (const each of decided) {
    const { loaded, decision } = each
    if (decision.action.kind !== 'act') advances.push(advanceOf(loaded, decision, { at }))
    else if (decision.action.step.type === 'send_email') asking.push({ ...each, step: decision.action.step })
    else alone.push({ ...each, step: decision.action.step })
  }
  await storeTogether(context, workerId, { advances, asking })
  await actBesides(alone, (each) =>
    actAlone(context, workerId, { ...each, properties: properties.get(each.loaded.run.teamId) ?? [] }, context.clock.now()),
  )
}

/** Steps that change contacts, at a time: each has a transaction of its own, which mostly waits for the database. */
const ACTS_AT_ONCE_MAX = 5

/** A few at a time; all are ended when it answers. @throws the first error */
async function actBesides<Item>(items: Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const lanes = Array.from({ length: ACTS_AT_ONCE_MAX }, async () => {
    for (const item of left) await act(item)
  })
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected')
  if (failed) throw failed.reason
}

type Going = Omit<LoadedRun, 'facts' | 'isToldMore'>

const NO_GRAPH = { steps: [], connections: [] }

async function decideAll({ repositories }: Context, going: Going[], at: Date): Promise<Decided[]> {
  if (going.length === 0) return []
  const { facts, unread } = await repositories.dueRuns.factsOf(going.map(({ run }) => run.id))
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
  const expecting = waits.length > 0 ? await repositories.dueRuns.expecting(waits) : new Set<string>()
  return noted.map(({ loaded, decision }) => ({
    loaded,
    decision: loaded.isToldMore || expecting.has(loaded.run.id) ? decision : passTime(loaded, decision, at),
  }))
}

/** Emails follow in further commits if they are too large together. */
async function storeTogether(
  context: Context,
  workerId: string,
  { advances, asking }: { advances: Advance[]; asking: Asking[] },
): Promise<void> {
  let [ready, left] = [advances, asking]
  while (ready.length + left.length > 0) {
    const made = await makeEmails(context, left, context.clock.now())
    if (left.length > 0 && made.size === 0) throw new Error('No email of these runs was made')
    await context.repositories.automationAdvances.store(workerId, [...ready, ...made.values()])
    if ([...made.values()].some(({ email }) => email !== null)) context.wakeWorkers()
    ready = []
    left = left.filter(({ loaded }) => !made.has(loaded.run.id))
  }
}

/** By the ids of their runs. At least one is made. */
async function makeEmails(context: Context, asked: Asking[], at: Date): Promise<Map<string, Advance>> {
  if (asked.length === 0) return new Map()
  const made = await makeAutomationEmails(
    context,
    asked.flatMap(({ loaded, decision, step }) => requestOf(loaded, decision, step)),
    {
      judge: (teamId, written) => judgeEmails(context, { teamId, domainId: null }, written),
      unsubscribeUrlOf: (recipient) => unsubscribeUrl(context, recipient),
    },
  )
  return new Map(
    asked.flatMap(({ loaded, decision, step }): [string, Advance][] => {
      const { run, graph } = loaded
      const email = made.get(run.id)
      if (!email) return []
      if ('failed' in email || 'skipped' in email) {
        const outcome =
          'failed' in email
            ? { status: 'failed' as const, error: email.failed }
            : { status: 'skipped' as const, output: { why: email.skipped } }
        return [[run.id, advanceOf(loaded, acted(loaded, decision, { key: step.key, outcome }, at), { at })]]
      }
      const id = createId(context.clock)
      const acceptance = assemble(context, {
        holder: { teamId: run.teamId, apiKeyId: LOWEST_ID },
        emails: [{ draft: email.draft, id }],
        attachments: [],
        reply: { id },
        idempotency: { operation: 'automations', key: `${run.id}/${step.key}`, body: null },
        class: run.automation?.class ?? 'transactional',
      })
      const output = {
        to: email.draft.to,
        email_id: id,
        template: { id: email.draft.template?.id ?? step.config.template.id, variables: email.variables },
      }
      const after = acted(loaded, decision, { key: step.key, outcome: { status: 'completed', output } }, at)
      return [[run.id, advanceOf(loaded, after, { at, email: { id, acceptance, isFollowed: followsEmails(graph) } })]]
    }),
  )
}

function requestOf({ run, contact }: LoadedRun, { state }: Decision, { config }: Asking['step']): EmailOfStep[] {
  if (!run.contact) return []
  const known = { event: run.payload, contact, heard: state.heard }
  return [{ id: run.id, teamId: run.teamId, config, class: run.automation?.class ?? 'transactional', known, contact: run.contact }]
}

async function actAlone(
  context: Context,
  workerId: string,
  { loaded, decision, step, properties }: Decided & { step: ContactStep; properties: Properties },
  at: Date,
): Promise<void> {
  const { run, contact } = loaded
  const known = { event: run.payload, contact, heard: decision.state.heard }
  const act = await contactActOf(context, run.teamId, { step, known })
  const { automationAdvances } = context.repositories
  if ('failed' in act) {
    const outcome = { status: 'failed' as const, error: act.failed }
    return automationAdvances.store(workerId, [advanceOf(loaded, acted(loaded, decision, { key: step.key, outcome }, at), { at })])
  }
  await automationAdvances.act(workerId, { teamId: run.teamId, contactId: run.contactId, act }, (result, changed) => {
    // A condition that follows looks at the contact as it is now.
    const after = changed ? { ...loaded, contact: knownContact(changed, properties) } : loaded
    return advanceOf(loaded, acted(after, decision, { key: step.key, outcome: outcomeOf(step, result) }, at), { at })
  })
}
