// How people confirm that it is them: by a code that is mailed to their address, or that someone at the server tells them.
import { randomInt } from 'node:crypto'
import type { SignedIn } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { MINUTE_MS } from '../../../lib/clock.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { digestToken } from '../../../lib/ids.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'

type Needs = Pick<
  PlatformContext & SecretsContext & AccountsContext,
  'repositories' | 'clock' | 'links' | 'publicUrl' | 'installationMails'
>
/** `sessionId` null: any of the person. */
type Digested = { personId: string; sessionId: string | null; code: string; expiresAt: Date }
type Confirming = Pick<SignedIn, 'id' | 'email' | 'sessionId'>

export const CODE_MS = 10 * MINUTE_MS
const CODE_DIGITS = 8
const CODE_TRIES_MAX = 5

/**
 * Mails a code, which works in this session only. Returns when it ends.
 * @throws Failure `rateLimited` if no more codes may be mailed now. The last one stays, with the tries that are left: each code is a few more guesses.
 */
export async function mailCode(context: Needs, person: Confirming, clientAddress: string): Promise<Date> {
  const { repositories, clock, installationMails, publicUrl } = context
  const code = newCode()
  const expiresAt = new Date(clock.now().getTime() + CODE_MS)
  const digest = digestOf(context, { personId: person.id, sessionId: person.sessionId, code, expiresAt })
  const text = `The code that confirms at ${new URL(publicUrl).host} that it is you:\n\n${code}\n\nIt works once, for 10 minutes. If you did not ask for it, someone else is signed in as you: end your sessions.\n`
  const refused = await installationMails.send({
    ...{ kind: 'code', to: person.email, subject: 'Your code', text, secret: code, expiresAt, clientAddress },
    begin: () => repositories.confirmations.setAcrossTeams(person.id, { digest, tries: CODE_TRIES_MAX, expiresAt }),
  })
  if (refused) throw tooManyCodes(refused.nextAt.getTime() - clock.now().getTime())
  return expiresAt
}

/** A code for any session of a person, in place of the one that was mailed: for the command line, where mail does not leave or does not arrive. */
export async function createCode(context: Pick<Needs, 'repositories' | 'clock' | 'links'>, personId: string): Promise<string> {
  const code = newCode()
  const expiresAt = new Date(context.clock.now().getTime() + CODE_MS)
  const digest = digestOf(context, { personId, sessionId: null, code, expiresAt })
  await context.repositories.confirmations.setAcrossTeams(personId, { digest, tries: CODE_TRIES_MAX, expiresAt })
  return code
}

const newCode = (): string => String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')

/** Confirms the session. @throws Failure `validation` if it is another code, or none is to be entered */
export async function confirmByCode(context: Needs, person: Confirming, typed: string): Promise<Date> {
  const { repositories, clock } = context
  const now = clock.now()
  const found = await repositories.confirmations.tryAcrossTeams(person.id, now)
  if (found === null) throw invalid(NO_CODE)
  const tried = { personId: person.id, code: typed.replaceAll(/\s/g, ''), expiresAt: found.expiresAt }
  const isRight = [person.sessionId, null].some((sessionId) => digestOf(context, { ...tried, sessionId }) === found.digest)
  if (!isRight || !(await repositories.confirmations.takeAcrossTeams(person.id, found.digest)))
    throw invalid(found.tries > 0 ? WRONG_CODE : NO_MORE_TRIES)
  await repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, now)
  return now
}

const tooManyCodes = (waitMs: number): Failure =>
  new Failure('rateLimited', 'As many codes were mailed within an hour as may be. Enter the last one, or wait and try again.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  })

const NO_CODE = 'No code can be entered now: it was used, has expired, or was tried too often. Ask for a new one.'
const WRONG_CODE = 'This is not the code that was mailed last, or not for this session. Look into the newest mail.'
const NO_MORE_TRIES = 'This is not the code, and it was tried too often. Ask for a new one.'

/** Eight digits are soon guessed, so the digest is of a signature: without the keys of the installation, the database does not tell the code. */
const digestOf = ({ links }: Pick<Needs, 'links'>, { personId, sessionId, code, expiresAt }: Digested): string =>
  digestToken(links.sign('session', { confirmation: { person: personId, session: sessionId, code } }, expiresAt))
