// Makes the emails of automations: which contacts get theirs, and what it says.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { MINUTE_MS } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId, LOWEST_ID } from '../../../lib/ids.ts'
import { isBlank } from '../../../lib/text.ts'
import { notEmpty } from '../../../mail/address-forms.ts'
import { SUBJECT_LENGTH_MAX } from '../../../mail/headers.ts'
import type { PropertyOfContacts } from '../../../mail/rendering/contact-placeholders.ts'
import { FILLED_BYTES_MAX } from '../../../mail/rendering/rendering.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { TopicRefusal } from '../../audience/topics/topic-refusals.repository.ts'
import { unsubscribeUrl } from '../../audience/unsubscribe/unsubscribe-links.service.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import { assemble } from '../../emails/accept-email.service.ts'
import type { EmailDraft, EmailRefusal, ValidatedEmails, WrittenEmail } from '../../emails/email-draft.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { validateEmails } from '../../emails/validate-emails.service.ts'
import { countedAddresses } from '../../limits/quota-periods.ts'
import type { TakenQuota } from '../../limits/quotas.service.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { SuppressionOrigin } from '../../suppressions/suppressions.schema.ts'
import { sentenceAboutMissing, templateSource } from '../../templates/filled-template.ts'
import { templateReference, type VariableValues } from '../../templates/template-variables.schema.ts'
import type { SendableTemplate } from '../../templates/template-versions.repository.ts'
import type { TemplatesContext } from '../../templates/templates.context.ts'
import type { ActStep, Decision } from '../engine/decide.ts'
import type { SendEmailConfig } from '../graph/graph.ts'
import { isVariable, type Known, parseReference, referredValue } from '../graph/references.ts'
import type { Advance } from '../runs/advances.repository.ts'
import type { Claimed } from '../runs/due-runs.repository.ts'
import { acted, followsEmails, type LoadedRun, toAdvance } from './steps.ts'

type Context = PlatformContext &
  SecretsContext &
  DomainsContext &
  AccountsContext &
  SuppressionsContext &
  AudienceContext &
  TemplatesContext &
  EmailsContext

type Dependencies = Pick<Context, 'gateways' | 'repositories' | 'templateContents'>

/** The limit for emails that are made together, in HTML and text. A larger email is made alone. */
export const MADE_BYTES_MAX = 4 * 1024 * 1024

export type EmailMaking = {
  /** Says of emails whether they may be sent. */
  validate: (teamId: string, written: (WrittenEmail | { refusal: EmailRefusal })[]) => Promise<ValidatedEmails>
  unsubscribeUrlOf: (recipient: { teamId: string; email: string; topicId: string | null }) => string
  propertiesOf: (teamId: string) => readonly PropertyOfContacts[]
}

/** An email that a step asks for. The id is the caller's. */
export type EmailOfStep = {
  id: string
  teamId: string
  config: SendEmailConfig
  class: 'transactional' | 'bulk'
  known: Known
  contact: RecipientContact
  /** In a simulation: reasons that do not count, because they would be gone by then. */
  ignored?: TopicRefusal[]
}

export type RecipientContact = {
  email: string
  unsubscribed: boolean
  addressHash: string
  firstName: string | null
  lastName: string | null
  properties: Record<string, string | number>
}

/** `skipped`: why the contact does not get it. `failed`: why no one can. */
export type MadeEmail = { draft: EmailDraft; variables: VariableValues } | { skipped: string } | { failed: string }

/** By the ids of the requests: of the first of them, as many as may be made together. At least one is made. */
export async function makeAutomationEmails(
  context: Dependencies,
  requests: EmailOfStep[],
  { validate, unsubscribeUrlOf, propertiesOf }: EmailMaking,
): Promise<Map<string, MadeEmail>> {
  const [made, ofTeams] = await Promise.all([findRefusals(context, requests), templatesOfTeams(context, requests)])
  const left = requests.filter(({ id }) => !made.has(id))
  let room = MADE_BYTES_MAX
  for (const [teamId, ofTeam] of Map.groupBy(left, (request) => request.teamId)) {
    const properties = propertiesOf(teamId)
    const templates = ofTeams.get(teamId) ?? []
    const entries: Filled[] = []
    for (const request of ofTeam) {
      if (room <= 0) break
      const entry = await filledIn(context, request, { templates, properties, unsubscribeUrlOf })
      room -= bytesOf(entry)
      entries.push(entry)
    }
    const written = entries.map((entry) =>
      'failed' in entry ? { refusal: { kind: 'validation' as const, message: entry.failed } } : entry.written,
    )
    const { drafts, refusals } = await validate(teamId, written)
    const reasons = new Map(refusals.map(({ index, message }) => [index, message]))
    const inOrder = drafts.values()
    for (const [index, request] of ofTeam.slice(0, entries.length).entries()) {
      const reason = reasons.get(index)
      const entry = entries[index]
      const draft = reason === undefined ? inOrder.next().value : undefined
      if (draft && entry && 'written' in entry)
        made.set(request.id, { draft: { ...draft, headers: entry.headers }, variables: entry.variables })
      else made.set(request.id, { failed: reason ?? 'The email could not be made.' })
    }
  }
  return made
}

async function templatesOfTeams({ repositories }: Dependencies, requests: EmailOfStep[]): Promise<Map<string, SendableTemplate[]>> {
  const found = [...Map.groupBy(requests, ({ teamId }) => teamId)].map(async ([teamId, ofTeam]) => {
    const references = [...new Set(ofTeam.map(({ config }) => config.template.id))].map(templateReference)
    return [teamId, await repositories.templateVersions.sendable(teamId, references)] as const
  })
  return new Map(await Promise.all(found))
}

const TOPIC_REASONS: Record<Exclude<TopicRefusal, 'topic gone'>, string> = {
  'contact gone': 'The contact was deleted.',
  unsubscribed: 'The contact has unsubscribed from all bulk email.',
  'opted out': 'The contact has opted out of this topic.',
  'not opted in': 'The contact has not opted in to this topic.',
}

const SUPPRESSION_REASONS: Record<SuppressionOrigin, string> = {
  bounce: 'The address is on the suppression list: an earlier email to it bounced.',
  complaint: 'The address is on the suppression list: an earlier email to it was reported as spam.',
  manual: 'The address is on the suppression list: your team added it.',
}

async function findRefusals({ repositories }: Dependencies, requests: EmailOfStep[]): Promise<Map<string, MadeEmail>> {
  const recipients = requests.map(({ id, teamId, config, contact: { email, addressHash } }) => ({
    id,
    teamId,
    topicId: config.topic_id ?? null,
    isOfBroadcast: true,
    email,
    addressHash,
  }))
  const [topics, suppressed] = await Promise.all([
    repositories.topicRefusals.findAcrossTeams(recipients),
    repositories.suppressedAddresses.findAcrossTeams(recipients),
  ])
  const made = new Map<string, MadeEmail>()
  for (const [id, origin] of suppressed) made.set(id, { skipped: SUPPRESSION_REASONS[origin] })
  const ignored = new Map(requests.map((request) => [request.id, request.ignored ?? []]))
  for (const { id, contact } of requests) if (contact.unsubscribed) made.set(id, { skipped: TOPIC_REASONS.unsubscribed })
  for (const [id, refusal] of topics)
    if (ignored.get(id)?.includes(refusal) !== true)
      made.set(id, refusal === 'topic gone' ? { failed: 'Its topic was deleted.' } : { skipped: TOPIC_REASONS[refusal] })
  return made
}

const bytesOf = (entry: Filled): number =>
  'failed' in entry ? 0 : Buffer.byteLength(entry.written.input.html ?? '') + Buffer.byteLength(entry.written.input.text ?? '')

const TOO_LONG = `Its email has more than ${FILLED_BYTES_MAX / 1024 / 1024} MB of HTML and text once its template is filled in.`

type Filled = { failed: string } | { written: WrittenEmail; variables: VariableValues; headers: Record<string, string> }

async function filledIn(
  { gateways, repositories, templateContents }: Dependencies,
  { teamId, config, known, contact, class: kind }: EmailOfStep,
  {
    templates,
    properties,
    unsubscribeUrlOf,
  }: { templates: SendableTemplate[]; properties: readonly PropertyOfContacts[]; unsubscribeUrlOf: EmailMaking['unsubscribeUrlOf'] },
): Promise<Filled> {
  const reference = templateReference(config.template.id)
  const template = templates.find(({ id, alias }) => ('id' in reference ? id === reference.id : alias === reference.alias))
  if (!template) return { failed: 'Its template was deleted.' }
  const versionId = template.publishedVersionId
  if (versionId === null) return { failed: 'Its template is a draft. Publish it first.' }
  const version = await templateContents(versionId, async () =>
    templateSource(await repositories.templateVersions.content(teamId, versionId)),
  )
  if (!version) return { failed: 'Its template was deleted.' }
  const unsubscribe = unsubscribeUrlOf({ teamId, email: contact.email, topicId: config.topic_id ?? null })
  const { values, referred } = variableValues(config, known)
  try {
    const filled = await gateways.texts.fillTemplate(
      teamId,
      { ...version, versionId },
      {
        variables: version.about.variables,
        values,
        field: 'template.variables',
        ...(config.subject !== undefined && { subject: config.subject }),
        contact: { properties, contact, links: { unsubscribeUrl: unsubscribe, viewUrl: null } },
        ofOthers: referred,
        team: await repositories.teams.valuesOf(teamId),
      },
    )
    if (filled === 'too long') return { failed: TOO_LONG }
    const [missing] = filled.missing
    if (missing !== undefined) return { failed: sentenceAboutMissing(missing, { isForContact: true }) }
    if (filled.subject === null) return { failed: 'It has no subject, and its template has none either.' }
    const input = {
      from: config.from ?? version.about.from ?? undefined,
      to: [contact.email],
      subject: filled.subject.replace(UNSAFE, ' ').slice(0, SUBJECT_LENGTH_MAX).toWellFormed(),
      html: filled.html,
      text: filled.text,
      reply_to: notEmpty(config.reply_to) ?? version.about.replyTo,
      ...(config.topic_id !== undefined && { topic_id: config.topic_id }),
    }
    if (input.from === undefined) return { failed: 'It has no sender, and its template has none either.' }
    const isForMany = kind === 'bulk' || config.topic_id !== undefined
    return {
      written: { input: { ...input, from: input.from }, template: { id: template.id, versionId } },
      variables: values,
      // One click unsubscribes (RFC 8058).
      headers: isForMany ? { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {},
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { failed: error.message }
  }
}

/** Characters of other people's values that would end the line, show nothing, or change the direction of the rest. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]+/gu

/** A reference to what is not known, or is null, gives no value. `referred`: whose values come from elsewhere. */
function variableValues(
  { template: { variables = {} } }: SendEmailConfig,
  known: Known,
): { values: VariableValues; referred: Set<string> } {
  const referred = new Set<string>()
  const values: VariableValues = {}
  for (const [key, given] of Object.entries(variables)) {
    const reference = isVariable(given) ? parseReference(given.var) : null
    const value = isVariable(given) ? reference && referredValue(reference, known) : given
    if (reference) referred.add(key)
    // A blank value of someone else counts as none, so that the fallback is used.
    if (reference ? !isBlank(value) : value !== undefined && value !== null) values[key] = value as VariableValues[string]
  }
  return { values, referred }
}

// Makes the emails that runs ask for. Those of steps that follow each other are stored together, each with the key of its own step.

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
    const quotas = await takeQuotas(context, together, { made, at })
    if (round === 1) left = asked.filter(({ loaded }) => !made.has(loaded.run.id))
    const after = together.flatMap((each) => {
      const email = made.get(each.loaded.run.id)
      const quota = quotas.get(each.loaded.run.id) ?? null
      if (quota instanceof Failure) {
        advances.push(waitingForQuota(each, quota, at))
        return []
      }
      return email ? [{ loaded: each.loaded, ...withEmail(context, each, { email, quota, at }) }] : round === 1 ? [] : [each]
    })
    all.push(...after.flatMap(({ emails }) => emails.slice(-1)))
    const mayContinue = left.length === 0 && round < STEPS_MAX && emailBytes(all) < MADE_BYTES_MAX
    const next = mayContinue ? after.flatMap((each) => retryAlone(each)) : []
    together = next.slice(0, Math.max(0, EMAILS_MAX - all.length))
    const continued = new Set(together.map(({ loaded }) => loaded))
    for (const { loaded, decision, emails } of after) if (!continued.has(loaded)) advances.push(toAdvance(loaded, decision, { at, emails }))
  }
  return { advances, left }
}

/** A limit may be raised before its period ends. */
const QUOTA_LOOKED_AT_MS = 10 * MINUTE_MS

/** The run stays at its step, and sends its email once the team may send again. */
function waitingForQuota({ loaded, decision, emails }: Asking & { emails: Emails }, { retryAfterSeconds = 0 }: Failure, at: Date): Advance {
  const wakeAt = new Date(at.getTime() + Math.min(QUOTA_LOOKED_AT_MS, retryAfterSeconds * 1_000))
  return { ...toAdvance(loaded, decision, { at, emails }), wakeAt }
}

/** What was taken for teams with limits, by the ids of the runs. */
async function takeQuotas(
  { quotas, config }: Pick<Context, 'quotas' | 'config'>,
  asked: Asking[],
  { made, at }: { made: Map<string, MadeEmail>; at: Date },
): Promise<Map<string, TakenQuota | Failure>> {
  const taken = new Map<string, TakenQuota | Failure>()
  for (const { loaded } of asked) {
    const email = made.get(loaded.run.id)
    if (!email || !('draft' in email)) continue
    const count = countedAddresses(email.draft.recipients, config.simulatorDomains)
    const quota = await quotas.take(loaded.run.teamId, { count, at })
    if (quota) taken.set(loaded.run.id, quota)
  }
  return taken
}

type Made = { loaded: LoadedRun; decision: Decision; emails: Emails }

function retryAlone({ loaded, decision, emails }: Made): (Asking & { emails: Emails })[] {
  const again = asking(loaded, decision)
  return again ? [{ ...again, emails }] : []
}

const emailBytes = (emails: Emails): number =>
  emails.reduce((sum, { acceptance }) => sum + acceptance.emails.reduce((bytes, { contentBytes }) => bytes + contentBytes, 0), 0)

/** Keyed by the ids of their runs. At least one is made. */
const makeRound = (context: Context, asked: Asking[], properties: Claimed['properties']): Promise<Map<string, MadeEmail>> =>
  makeAutomationEmails(
    context,
    asked.flatMap((each) => toEmailRequest(each)),
    {
      validate: (teamId, written) => validateEmails(context, { teamId, domainId: null }, written),
      unsubscribeUrlOf: (recipient) => unsubscribeUrl(context, recipient),
      propertiesOf: (teamId) => properties.get(teamId) ?? [],
    },
  )

function toEmailRequest({ loaded: { run, contact }, decision: { state }, step: { config } }: Asking): EmailOfStep[] {
  if (!run.contact) return []
  const known = { event: run.payload, contact, heard: state.heard }
  return [{ id: run.id, teamId: run.teamId, config, class: run.automation?.class ?? 'transactional', known, contact: run.contact }]
}

function withEmail(
  context: Context,
  { loaded, decision, step, emails }: Asking & { emails: Emails },
  { email, quota, at }: { email: MadeEmail; quota: TakenQuota | null; at: Date },
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
    quotaUses: quota ? [{ ...quota }] : [],
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
