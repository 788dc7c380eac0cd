// Scheduled mail is judged again when it is due: its domain, or that of its key, may have failed or been deleted meanwhile.
import type { Context } from '../../context.ts'
import { KEY_DOMAIN_GONE, noLongerVerified } from '../../mail/domains/sender-policy.ts'
import type { OutgoingEmail } from '../../repositories/emails/outgoing-emails.ts'
import { senderDomainOf } from '../../services/build-message.ts'

/** Why emails must not be tried for the first time, by their ids. */
export async function senderRefusalsOf(
  { config, repositories }: Pick<Context, 'config' | 'repositories'>,
  emails: Map<string, OutgoingEmail>,
): Promise<Map<string, string>> {
  const scheduled = [...emails.values()].filter(({ scheduledAt }) => scheduledAt !== null)
  const refusals = scheduled.map(async (email): Promise<[string, string][]> => {
    if (email.isKeyDomainGone) return [[email.id, KEY_DOMAIN_GONE]]
    if (config.senderPolicy === 'any') return []
    const domain = senderDomainOf(email)
    const allowed = await repositories.domains.sendersAmong(email.teamId, [domain])
    return allowed.has(domain) ? [] : [[email.id, noLongerVerified(domain)]]
  })
  return new Map((await Promise.all(refusals)).flat())
}
