// Makes the links of shared emails.
import type { PlatformContext } from '../../http/platform.context.ts'
import { HOUR_MS, parseDuration } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import type { InboundContext } from '../inbound/inbound.context.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'

type Context = PlatformContext & SecretsContext & EmailsContext & InboundContext

const SHARE_HOURS_MAX = 48
const SHARE_MS_MAX = SHARE_HOURS_MAX * HOUR_MS

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
