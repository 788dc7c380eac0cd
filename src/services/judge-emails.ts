// Turns the emails of a request into drafts, and says what is wrong with those that cannot be accepted.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { draftEmail, type EmailDraft, type JudgedEmails } from '../mail/email-draft.ts'
import { createBodyCheck } from '../schemas/bodies/body-validator.ts'
import { EmailSend } from '../schemas/emails.ts'

type Dependencies = Pick<Context, 'clock' | 'gateways' | 'repositories'>

/** Judges one email, whose form was validated with its request. */
export const judgeEmail = (context: Dependencies, teamId: string, input: EmailSend): Promise<JudgedEmails> =>
  judged(context, teamId, [draftOf(context, input)])

/** Judges the entries of a batch, each for itself. Their forms have not been validated. */
export const judgeEmails = (context: Dependencies, teamId: string, entries: EmailSend[]): Promise<JudgedEmails> =>
  judged(
    context,
    teamId,
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

async function judged({ repositories }: Dependencies, teamId: string, entries: (EmailDraft | string)[]): Promise<JudgedEmails> {
  const known = await knownTopics(repositories, teamId, entries)
  const outcomes = entries.map((entry) => (typeof entry === 'string' || isOfTopic(entry, known) ? entry : UNKNOWN_TOPIC))
  return {
    drafts: outcomes.filter((outcome) => typeof outcome !== 'string'),
    refusals: outcomes.flatMap((outcome, index) => (typeof outcome === 'string' ? [{ index, message: outcome }] : [])),
  }
}

/** The topic of an email must be one of its team when it is accepted. If it is deleted afterwards, the email fails when it is due. */
const isOfTopic = ({ topicId }: EmailDraft, known: Set<string>): boolean => topicId === null || known.has(topicId)

const UNKNOWN_TOPIC = 'The `topic_id` field is not the id of a topic of yours.'

/** Asks nothing when no draft has a topic. */
async function knownTopics(
  { topics }: Dependencies['repositories'],
  teamId: string,
  entries: (EmailDraft | string)[],
): Promise<Set<string>> {
  const ids = new Set(entries.flatMap((entry) => (typeof entry === 'string' ? [] : (entry.topicId ?? []))))
  return ids.size === 0 ? new Set() : topics.known(teamId, [...ids])
}
