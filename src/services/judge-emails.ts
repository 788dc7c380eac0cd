// Turns the emails of a request into drafts, and says what is wrong with those that cannot be accepted.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { KEY_DOMAIN_DELETED, notOfKey, notVerified } from '../mail/domains/sender-policy.ts'
import { draftEmail, type EmailDraft, type EmailRefusal, type JudgedEmails } from '../mail/email-draft.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import { createBodyCheck } from '../schemas/bodies/body-validator.ts'
import { EmailSend } from '../schemas/emails.ts'

type Dependencies = Pick<Context, 'clock' | 'config' | 'gateways' | 'repositories'>
type Sender = Pick<KeyHolder, 'teamId' | 'domainId'>

/** Judges one email, whose form was validated with its request. */
export const judgeEmail = (context: Dependencies, holder: Sender, input: EmailSend): Promise<JudgedEmails> =>
  judged(context, holder, [draftOf(context, input)])

/** Judges the entries of a batch, each for itself. Their forms have not been validated. */
export const judgeEmails = (context: Dependencies, holder: Sender, entries: EmailSend[]): Promise<JudgedEmails> =>
  judged(
    context,
    holder,
    entries.map((entry) => problemOf(entry) ?? draftOf(context, entry)),
  )

const problemOf = createBodyCheck(EmailSend)

/** The draft, or a sentence about the first thing that is wrong with it. */
function draftOf({ clock, gateways }: Dependencies, input: EmailSend): EmailDraft | string {
  try {
    return draftEmail(input, { now: clock.now(), urlProblem: (url) => gateways.remoteFiles.problemOf(url) })
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return error.message
  }
}

async function judged(context: Dependencies, holder: Sender, entries: (EmailDraft | string)[]): Promise<JudgedEmails> {
  const drafts = entries.filter((entry) => typeof entry !== 'string')
  const known = await knownTopics(context.repositories, holder.teamId, drafts)
  const problemOfKey = await keyProblems(context, holder)
  const senders = await sendersAmong(context, holder.teamId, drafts)
  const refusalOf = (entry: EmailDraft | string): EmailRefusal | null => {
    if (typeof entry === 'string') return { kind: 'validation', message: entry }
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

/** The topic of an email must be one of its team when it is accepted. If it is deleted afterwards, the email fails when it is due. */
const isOfTopic = ({ topicId }: EmailDraft, known: Set<string>): boolean => topicId === null || known.has(topicId)

const UNKNOWN_TOPIC = 'The `topic_id` field is not the id of a topic of yours.'

/** Asks nothing when no draft has a topic. */
async function knownTopics({ topics }: Dependencies['repositories'], teamId: string, drafts: EmailDraft[]): Promise<Set<string>> {
  const ids = new Set(drafts.flatMap(({ topicId }) => topicId ?? []))
  return ids.size === 0 ? new Set() : topics.known(teamId, [...ids])
}

/** Why the key may not send from a domain. A subdomain of the key's own is another domain, and so is one that was registered again. */
async function keyProblems({ repositories }: Dependencies, { teamId, domainId }: Sender): Promise<(fromDomain: string) => string | null> {
  if (domainId === null) return () => null
  const name = await repositories.domains.nameOf(teamId, domainId)
  if (name === null) return () => KEY_DOMAIN_DELETED
  return (fromDomain) => (fromDomain === name ? null : notOfKey(fromDomain, name))
}

/** The domains that the team may send from. */
async function sendersAmong({ config, repositories }: Dependencies, teamId: string, drafts: EmailDraft[]): Promise<Set<string> | 'any'> {
  if (config.senderPolicy === 'any') return 'any'
  return repositories.domains.sendersAmong(teamId, [...new Set(drafts.map(({ fromDomain }) => fromDomain))])
}
