// Turns the emails of a request into drafts, and says what is wrong with those that cannot be accepted.
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import { doInPieces, type Work } from '../../lib/main-thread.ts'
import { createBodyCheck } from '../../lib/validation/body-validator.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import { KEY_DOMAIN_DELETED, notOfKey, notVerified } from '../domains/sender-policy.ts'
import { draftEmail, type EmailDraft, type EmailRefusal, type ValidatedEmails, type WrittenEmail } from './email-draft.ts'
import type { EmailsContext } from './emails.context.ts'
import { EmailSend } from './emails.schema.ts'

type Context = PlatformContext & DomainsContext & AudienceContext & EmailsContext

type ValidationDependencies = Pick<Context, 'clock' | 'config' | 'gateways' | 'repositories'>
type Sender = Pick<Caller, 'teamId' | 'domainId'>

/** An email of a request, or why it cannot be accepted. `draft`: of a message that was submitted. */
type Entry = WrittenEmail | { draft: EmailDraft } | { refusal: EmailRefusal }

/** The entries of a batch, whose forms have not been validated, each checked for itself. */
export function checkedEntries(entries: EmailSend[]): Exclude<Entry, { draft: EmailDraft }>[] {
  return entries.map((input) => {
    const problem = checkBody(input)
    return problem === null ? { input, template: null } : { refusal: { kind: 'validation', message: problem } }
  })
}

const checkBody = createBodyCheck(EmailSend)

/** Judges one email, whose form was validated with its request. */
export const validateEmail = (context: ValidationDependencies, holder: Sender, input: EmailSend): Promise<ValidatedEmails> =>
  validateEmails(context, holder, [{ input, template: null }])

/** Judges emails whose forms were validated, each for itself. */
export async function validateEmails(context: ValidationDependencies, holder: Sender, written: Entry[]): Promise<ValidatedEmails> {
  const entries = await doInPieces(makeDrafts(context, written))
  const drafts = entries.filter((entry) => isDraft(entry))
  const known = await knownTopics(context.repositories, holder.teamId, drafts)
  const problemOfKey = await keyProblems(context, holder)
  const senders = await sendersAmong(context, holder.teamId, drafts)
  const refusalOf = (entry: EmailDraft | EmailRefusal): EmailRefusal | null => {
    if (!isDraft(entry)) return entry
    if (!isOfTopic(entry, known)) return { kind: 'validation', message: UNKNOWN_TOPIC }
    const message =
      problemOfKey(entry.fromDomain) ?? (senders === 'any' || senders.has(entry.fromDomain) ? null : notVerified(entry.fromDomain))
    return message === null ? null : { kind: 'forbidden', message }
  }
  const refusals = entries.map(refusalOf)
  return {
    drafts: entries.filter((entry, index): entry is EmailDraft => refusals[index] === null),
    refusals: refusals.flatMap((refusal, index) => (refusal ? [{ index, ...refusal }] : [])),
  }
}

/** The draft of each entry, or the first thing that is wrong with it. */
function* makeDrafts(context: ValidationDependencies, written: Entry[]): Work<(EmailDraft | EmailRefusal)[]> {
  const drafts: (EmailDraft | EmailRefusal)[] = []
  for (const entry of written)
    drafts.push('refusal' in entry ? entry.refusal : 'draft' in entry ? entry.draft : yield* makeDraft(context, entry))
  return drafts
}

function* makeDraft({ clock, gateways }: ValidationDependencies, { input, template }: WrittenEmail): Work<EmailDraft | EmailRefusal> {
  try {
    return yield* draftEmail(input, { now: clock.now(), urlProblem: (url) => gateways.remoteFiles.checkUrl(url), template })
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { kind: 'validation', message: error.message }
  }
}

const isDraft = (entry: EmailDraft | EmailRefusal): entry is EmailDraft => 'recipients' in entry

/** The topic of an email must be one of its team when it is accepted. If it is deleted afterwards, the email fails when it is due. */
const isOfTopic = ({ topicId }: EmailDraft, known: Set<string>): boolean => topicId === null || known.has(topicId)

const UNKNOWN_TOPIC = 'The `topic_id` field is not the id of one of your topics.'

/** Asks nothing when no draft has a topic. */
async function knownTopics({ topics }: ValidationDependencies['repositories'], teamId: string, drafts: EmailDraft[]): Promise<Set<string>> {
  const ids = new Set(drafts.flatMap(({ topicId }) => topicId ?? []))
  return ids.size === 0 ? new Set() : topics.known(teamId, [...ids])
}

/** Why the key may not send from a domain. A subdomain of the key's own is another domain, and so is one that was registered again. */
async function keyProblems(
  { repositories }: ValidationDependencies,
  { teamId, domainId }: Sender,
): Promise<(fromDomain: string) => string | null> {
  if (domainId === null) return () => null
  const name = await repositories.domains.nameOf(teamId, domainId)
  if (name === null) return () => KEY_DOMAIN_DELETED
  return (fromDomain) => (fromDomain === name ? null : notOfKey(fromDomain, name))
}

/** The domains that the team may send from. */
async function sendersAmong(
  { config, repositories }: ValidationDependencies,
  teamId: string,
  drafts: EmailDraft[],
): Promise<Set<string> | 'any'> {
  if (config.senderPolicy === 'any') return 'any'
  return repositories.domains.sendersAmong(teamId, [...new Set(drafts.map(({ fromDomain }) => fromDomain))])
}
