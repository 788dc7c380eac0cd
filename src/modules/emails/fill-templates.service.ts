// Puts what templates say into the emails that name one. It is pinned then: what becomes of the template later changes no email.
import { setImmediate } from 'node:timers/promises'
import { Failure } from '../../lib/failure.ts'
import type { TakeRoom } from '../../lib/limits/shared-room.ts'
import { asArray, notEmpty } from '../../mail/address-forms.ts'
import { MESSAGE_BYTES_MAX } from '../../mail/attachments.ts'
import { SUBJECT_LENGTH_MAX } from '../../mail/headers.ts'
import { type ContentSource, FILLED_BYTES_MAX, type ReadContent } from '../../mail/rendering/rendering.ts'
import type { TeamValues } from '../../mail/rendering/team-placeholders.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { type FilledTemplate, sentenceAboutBroken, sentenceAboutMissing, templateSource } from '../templates/filled-template.ts'
import { type TemplateReference, templateReference } from '../templates/template-variables.schema.ts'
import type { SendableTemplate, TemplateContent } from '../templates/template-versions.repository.ts'
import type { TemplatesContext } from '../templates/templates.context.ts'
import { TEMPLATES } from '../templates/templates.schema.ts'
import type { EmailRefusal, WrittenEmail } from './email-draft.ts'
import type { EmailSend } from './emails.schema.ts'

type Context = AccountsContext & TemplatesContext

type Dependencies = Pick<Context, 'gateways' | 'repositories' | 'templateContents'>

/** Filling in a larger email takes a turn of its own. */
const TURN_BYTES_MAX = 64 * 1024

/** An email of a request, or why it cannot be accepted. */
export type Entry = WrittenEmail | { refusal: EmailRefusal }

/** Asks nothing when no email names a template. */
export async function fillTemplates(
  context: Dependencies,
  teamId: string,
  { entries, takeRoom }: { entries: Entry[]; takeRoom: TakeRoom },
): Promise<Entry[]> {
  const named = new Map(entries.flatMap((entry) => nameIn(entry) ?? []).map((name) => [name, templateReference(name)]))
  if (named.size === 0) return entries
  const templates = await context.repositories.templateVersions.sendable(teamId, [...named.values()])
  const filled: Entry[] = []
  // The limit is shared by all emails of the request: a hundred small ones could name a template that makes each as large as an email can be.
  let left = MESSAGE_BYTES_MAX
  for (const entry of entries) {
    const reference = named.get(nameIn(entry) ?? '')
    const result =
      'refusal' in entry || !reference
        ? entry
        : await filledEmail(context, teamId, { input: entry.input, template: templateOf(reference, templates), bytesMax: left })
    if ('input' in result && reference) {
      const bytes = Buffer.byteLength(result.input.html ?? '') + Buffer.byteLength(result.input.text ?? '')
      left -= bytes
      // Other requests get their turn in between.
      if (bytes > TURN_BYTES_MAX) await setImmediate()
    }
    filled.push(result)
  }
  takeRoom(MESSAGE_BYTES_MAX - left)
  return filled
}

const nameIn = (entry: Entry): string | null => ('input' in entry ? (entry.input.template?.id ?? null) : null)

const templateOf = (reference: TemplateReference, templates: SendableTemplate[]): SendableTemplate | undefined =>
  templates.find(({ id, alias }) => ('id' in reference ? id === reference.id : alias === reference.alias))

async function filledEmail(
  { gateways, repositories, templateContents }: Dependencies,
  teamId: string,
  { input, template, bytesMax }: { input: EmailSend; template: SendableTemplate | undefined; bytesMax: number },
): Promise<Entry> {
  if (input.html != null || input.text != null) return refused('Give either `template`, or `html` and `text`, not both.')
  if (!template) return UNKNOWN
  const versionId = template.publishedVersionId
  if (versionId === null) return refused('This template is a draft. Publish it before you send it.')
  const version = await templateContents(versionId, async () =>
    templateSource(await repositories.templateVersions.content(teamId, versionId)),
  )
  if (!version) return UNKNOWN
  const { about } = version
  const team = await repositories.teams.valuesOf(teamId)
  const filled = await fillOrRefuse(gateways, teamId, { input, version: { ...version, versionId }, team, bytesMax })
  if ('refusal' in filled) return filled
  const { subject, html, text } = filled
  const from = input.from ?? about.from
  if (from === null) return refused('Missing `from` field: the template has none.')
  if (subject === null) return refused('Missing `subject` field: the template has none.')
  const replyTo = asArray(notEmpty(input.reply_to) ?? about.replyTo)
  return {
    input: { ...input, from, subject, html, text, reply_to: replyTo },
    template: { id: template.id, versionId },
  }
}

const UNKNOWN: Entry = { refusal: { kind: 'notFound', message: `${TEMPLATES.noun} not found` } }

const refused = (message: string): { refusal: EmailRefusal } => ({ refusal: { kind: 'validation', message } })

type Version = { versionId: string; source: ContentSource; content: ReadContent | null; about: Pick<TemplateContent, 'variables'> }

async function fillOrRefuse(
  gateways: Dependencies['gateways'],
  teamId: string,
  {
    input: { subject, template },
    version: { about, ...version },
    team,
    bytesMax,
  }: { input: EmailSend; version: Version; team: TeamValues | null; bytesMax: number },
): Promise<FilledTemplate | { refusal: EmailRefusal }> {
  const values = template?.variables ?? {}
  const filling = { variables: about.variables, values, field: 'template.variables', team, bytesMax }
  // A subject that the email has itself needs no values.
  const filled = await filledOrProblem(gateways, teamId, { version, filling: subject == null ? filling : { ...filling, subject: null } })
  if (typeof filled === 'string') return refused(filled)
  const [missing] = filled.missing
  if (missing !== undefined) return refused(sentenceAboutMissing(missing, { isForContact: false }))
  const [broken] = filled.broken
  if (broken !== undefined) return refused(sentenceAboutBroken(broken))
  if ((filled.subject?.length ?? 0) > SUBJECT_LENGTH_MAX)
    return refused(`The subject of the template has more than ${SUBJECT_LENGTH_MAX} characters once it is filled in.`)
  return { ...filled, subject: subject ?? filled.subject }
}

type FillTemplate = Dependencies['gateways']['texts']['fillTemplate']

async function filledOrProblem(
  { texts }: Dependencies['gateways'],
  teamId: string,
  { version, filling }: { version: Parameters<FillTemplate>[1]; filling: Parameters<FillTemplate>[2] },
): Promise<FilledTemplate | string> {
  try {
    const filled = await texts.fillTemplate(teamId, version, filling, { isOfRequest: true })
    if (filled !== 'too long') return filled
    return (filling.bytesMax ?? FILLED_BYTES_MAX) < FILLED_BYTES_MAX ? ALL_TOO_LONG : TOO_LONG
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return error.message
  }
}

const TOO_LONG = `The email has more than ${FILLED_BYTES_MAX / 1024 / 1024} MB of HTML and text once its template is filled in. Send shorter values, or use fewer placeholders.`

const ALL_TOO_LONG = `The emails of this request have more than ${MESSAGE_BYTES_MAX / 1024 / 1024} MB of HTML and text once their templates are filled in. Send shorter values, or fewer emails at once.`
