// Makes the emails of automations: which contacts get theirs, and what it says.
import type { Context } from '../context.ts'
import type { PropertyOfContacts } from '../lib/audience/property-of-contacts.ts'
import type { SendEmailConfig } from '../lib/automations/graph.ts'
import { isVariable, type Known, parseReference, referredValue } from '../lib/automations/references.ts'
import { isBlank } from '../lib/blank.ts'
import { Failure } from '../lib/failure.ts'
import { templateReference } from '../lib/template-references.ts'
import { type EmailDraft, type EmailRefusal, type JudgedEmails, notEmpty, type WrittenEmail } from '../mail/email-draft.ts'
import { FILLED_BYTES_MAX } from '../mail/rendering/rendering.ts'
import { templateSource } from '../mail/templates/template-source.ts'
import { sentenceAboutMissing } from '../mail/templates/unfilled-sentences.ts'
import type { SendableTemplate } from '../repositories/templates/template-versions.ts'
import type { TopicRefusal } from '../repositories/topics/topic-refusals.ts'
import { SUBJECT_LENGTH_MAX } from '../schemas/emails.ts'
import type { SuppressionOrigin } from '../schemas/suppressions.ts'
import type { VariableValues } from '../schemas/template-variables.ts'

type Dependencies = Pick<Context, 'gateways' | 'repositories' | 'templateContents'>

/** The limit for emails that are made together, in HTML and text. A larger email is made alone. */
export const MADE_BYTES_MAX = 4 * 1024 * 1024

export type EmailMaking = {
  /** Says of emails whether they may be sent. */
  judge: (teamId: string, written: (WrittenEmail | { refusal: EmailRefusal })[]) => Promise<JudgedEmails>
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
  { judge, unsubscribeUrlOf, propertiesOf }: EmailMaking,
): Promise<Map<string, MadeEmail>> {
  const [made, ofTeams] = await Promise.all([refusalsOf(context, requests), templatesOfTeams(context, requests)])
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
    const { drafts, refusals } = await judge(teamId, written)
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
  'opted out': 'The contact does not want email of this topic.',
  'not opted in': 'The contact has not opted in to this topic.',
}

const SUPPRESSION_REASONS: Record<SuppressionOrigin, string> = {
  bounce: 'The address is on the suppression list: an earlier email to it bounced.',
  complaint: 'The address is on the suppression list: an earlier email to it was reported as spam.',
  manual: 'The address is on the suppression list: your team added it.',
}

async function refusalsOf({ repositories }: Dependencies, requests: EmailOfStep[]): Promise<Map<string, MadeEmail>> {
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
  const { values, referred } = valuesOf(config, known)
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
function valuesOf({ template: { variables = {} } }: SendEmailConfig, known: Known): { values: VariableValues; referred: Set<string> } {
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
