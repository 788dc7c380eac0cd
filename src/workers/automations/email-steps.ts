// Makes the emails that runs ask for. Those of steps that follow each other are stored together, each with the key of its own step.
import type { Context } from '../../context.ts'
import type { ActStep, Decision } from '../../lib/automations/engine/decide.ts'
import { createId, LOWEST_ID } from '../../lib/ids.ts'
import type { Advance } from '../../repositories/automations/advances.ts'
import type { Claimed } from '../../repositories/automations/due-runs.ts'
import { assemble } from '../../services/accept-email.ts'
import { type EmailOfStep, MADE_BYTES_MAX, type MadeEmail, makeAutomationEmails } from '../../services/automation-emails.ts'
import { judgeEmails } from '../../services/judge-emails.ts'
import { unsubscribeUrl } from '../../services/unsubscribe-links.ts'
import { acted, advanceOf, followsEmails, type LoadedRun } from './steps.ts'

type EmailStep = Extract<ActStep, { type: 'send_email' }>

/** A run that is at a step which sends an email. */
export type Asking = { loaded: LoadedRun; decision: Decision; step: EmailStep }

/** The limit for one run in one commit. */
const STEPS_MAX = 10
/** The limit for all runs in one commit. A run that would exceed it asks again. */
const EMAILS_MAX = 300

export function asking(loaded: LoadedRun, decision: Decision): Asking | null {
  const { action } = decision
  return action.kind === 'act' && action.step.type === 'send_email' ? { loaded, decision, step: action.step } : null
}

type Emails = Advance['emails']

/** `left`: runs whose emails would be too large together with these. At least one run gets further. */
export async function makeEmails(
  context: Context,
  asked: Asking[],
  properties: Claimed['properties'],
): Promise<{ advances: Advance[]; left: Asking[] }> {
  const advances: Advance[] = []
  let left: Asking[] = []
  let together = asked.map((each) => ({ ...each, emails: [] as Emails }))
  const all: Emails = []
  for (let round = 1; together.length > 0; round += 1) {
    const at = context.clock.now()
    const made = await makeRound(context, together, properties)
    if (round === 1) left = asked.filter(({ loaded }) => !made.has(loaded.run.id))
    const after = together.flatMap((each) => {
      const email = made.get(each.loaded.run.id)
      return email ? [{ loaded: each.loaded, ...withEmail(context, each, { email, at }) }] : round === 1 ? [] : [each]
    })
    all.push(...after.flatMap(({ emails }) => emails.slice(-1)))
    const mayContinue = left.length === 0 && round < STEPS_MAX && bytesOf(all) < MADE_BYTES_MAX
    const next = mayContinue ? after.flatMap((each) => againOf(each)) : []
    together = next.slice(0, Math.max(0, EMAILS_MAX - all.length))
    const continued = new Set(together.map(({ loaded }) => loaded))
    for (const { loaded, decision, emails } of after) if (!continued.has(loaded)) advances.push(advanceOf(loaded, decision, { at, emails }))
  }
  return { advances, left }
}

type Made = { loaded: LoadedRun; decision: Decision; emails: Emails }

function againOf({ loaded, decision, emails }: Made): (Asking & { emails: Emails })[] {
  const again = asking(loaded, decision)
  return again ? [{ ...again, emails }] : []
}

const bytesOf = (emails: Emails): number =>
  emails.reduce((sum, { acceptance }) => sum + acceptance.emails.reduce((bytes, { contentBytes }) => bytes + contentBytes, 0), 0)

/** Keyed by the ids of their runs. At least one is made. */
const makeRound = (context: Context, asked: Asking[], properties: Claimed['properties']): Promise<Map<string, MadeEmail>> =>
  makeAutomationEmails(
    context,
    asked.flatMap((each) => requestOf(each)),
    {
      judge: (teamId, written) => judgeEmails(context, { teamId, domainId: null }, written),
      unsubscribeUrlOf: (recipient) => unsubscribeUrl(context, recipient),
      propertiesOf: (teamId) => properties.get(teamId) ?? [],
    },
  )

function requestOf({ loaded: { run, contact }, decision: { state }, step: { config } }: Asking): EmailOfStep[] {
  if (!run.contact) return []
  const known = { event: run.payload, contact, heard: state.heard }
  return [{ id: run.id, teamId: run.teamId, config, class: run.automation?.class ?? 'transactional', known, contact: run.contact }]
}

function withEmail(
  context: Context,
  { loaded, decision, step, emails }: Asking & { emails: Emails },
  { email, at }: { email: MadeEmail; at: Date },
): { decision: Decision; emails: Emails } {
  const { run, graph } = loaded
  const { key } = step
  if ('failed' in email)
    return { decision: acted(loaded, decision, { key, outcome: { status: 'failed', error: email.failed } }, at), emails }
  if ('skipped' in email)
    return { decision: acted(loaded, decision, { key, outcome: { status: 'skipped', output: { why: email.skipped } } }, at), emails }
  const id = createId(context.clock)
  const acceptance = assemble(context, {
    holder: { teamId: run.teamId, apiKeyId: LOWEST_ID },
    emails: [{ draft: email.draft, id }],
    attachments: [],
    reply: { id },
    idempotency: { operation: 'automations', key: `${run.id}/${key}`, body: null },
    class: run.automation?.class ?? 'transactional',
  })
  const output = {
    to: email.draft.to,
    email_id: id,
    template: { id: email.draft.template?.id ?? step.config.template.id, variables: email.variables },
  }
  return {
    decision: acted(loaded, decision, { key, outcome: { status: 'completed', output } }, at),
    emails: [...emails, { id, acceptance, isFollowed: followsEmails(graph) }],
  }
}
