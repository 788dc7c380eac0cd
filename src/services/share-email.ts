import type { Context } from '../context.ts'
import { parseDuration } from '../lib/durations.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { EMAILS } from '../schemas/emails.ts'

const SHARE_HOURS_MAX = 48
const SHARE_MS_MAX = SHARE_HOURS_MAX * 60 * 60 * 1_000

/**
 * A link that shows an email, sent or received, to anyone who has it, for as long as is asked for, in words such as `2 hours`; 48 hours if nothing is.
 * @throws Failure about the duration, or if there is no such email
 */
export async function shareEmail(
  { repositories, clock, links, publicUrl }: Pick<Context, 'repositories' | 'clock' | 'links' | 'publicUrl'>,
  teamId: string,
  { id, expiresIn }: { id: string; expiresIn: string | null },
): Promise<string> {
  const durationMs = expiresIn === null ? SHARE_MS_MAX : parseDuration(expiresIn)
  if (durationMs === null) throw invalid('The `expires_in` field must be a duration such as `10m`, `2 hours` or `1h 30m`.')
  if (durationMs > SHARE_MS_MAX) throw invalid(`The \`expires_in\` field must be at most ${SHARE_HOURS_MAX} hours.`)
  const shared = await sharedAs(repositories, teamId, id)
  return `${publicUrl}/share/${links.sign('share', shared, new Date(clock.now().getTime() + durationMs))}`
}

/** An email that was sent or received. */
async function sharedAs(
  { emails, receivedEmails }: Context['repositories'],
  teamId: string,
  id: string,
): Promise<{ emailId: string } | { receivedEmailId: string }> {
  if (await emails.has(teamId, id)) return { emailId: id }
  if (await receivedEmails.has(teamId, id)) return { receivedEmailId: id }
  throw notFound(EMAILS.noun)
}
