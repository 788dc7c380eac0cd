// Passkeys of people: added while signed in, and used to sign in or to confirm.
import type { SignedIn } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { createId, digestToken } from '../../../lib/ids.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { requireFresh } from '../sessions/confirmation.ts'
import { creationOptions, requestOptions, type Site, siteOf, statedBy, type Verdict, verifyCreation, verifyUse } from './ceremonies.ts'
import { CHALLENGE_OVER, createChallenge, openChallenge, type Purpose } from './challenges.ts'
import { type KnownPasskey, PASSKEYS_PER_PERSON_MAX, type PasskeyRow } from './passkeys.repository.ts'
import type { NewPasskeyCredential, PasskeyCredential } from './passkeys.schema.ts'

type Needs = Pick<
  PlatformContext & SecretsContext & AccountsContext,
  'repositories' | 'clock' | 'links' | 'publicUrl' | 'log' | 'installationMails'
>
export type Options = { options: Record<string, unknown>; expiresAt: Date }

export const NEEDS_NAME =
  'Passkeys need a name: browsers make none for an IP address. Ask your operator to give PUBLIC_URL the name of a host.'
export const TOO_MANY_PASSKEYS = `You have ${PASSKEYS_PER_PERSON_MAX} passkeys, as many as one person may have. Remove one first.`
const NOT_ACCEPTED =
  'This passkey was not accepted. If it was removed here, or made when this installation had another address, sign in with a link and add a new one.'
const KNOWN = 'This passkey is known here already.'
const COUNTER_WENT_BACK =
  'This passkey was refused because its counter went back: there may be a copy of it. Sign in with a link, remove it, and add a new one.'

/** @throws Failure `forbidden` */
function requireSite({ publicUrl }: Pick<Needs, 'publicUrl'>): Site {
  const site = siteOf(publicUrl)
  if (site === null) throw new Failure('forbidden', NEEDS_NAME)
  return site
}

const adding = ({ sessionId }: SignedIn): Purpose => ({ what: 'add', by: sessionId })
const confirming = ({ sessionId }: SignedIn): Purpose => ({ what: 'confirm', by: sessionId })
const signingIn = (browserSecret: string): Purpose => ({ what: 'sign-in', by: digestToken(browserSecret) })

/** @throws Failure `confirmationRequired`, or `forbidden` if the person has as many as they may */
export async function optionsToAdd(context: Needs, person: SignedIn): Promise<Options> {
  const { passkeys } = context.repositories
  const site = requireSite(context)
  requireFresh(person, context)
  if ((await passkeys.countOf(person.id)) >= PASSKEYS_PER_PERSON_MAX) throw new Failure('forbidden', TOO_MANY_PASSKEYS)
  const { challenge, expiresAt } = createChallenge(context, adding(person))
  const known = await passkeys.credentialsOf(person.id, site.host)
  return { options: await creationOptions(site, { challenge, person, known }), expiresAt }
}

type Added = { name: string; credential: NewPasskeyCredential; from: { address: string; browser: string } }

/** Adds a passkey, and tells its person by mail. */
export async function addPasskey(context: Needs, person: SignedIn, { name, credential, from }: Added): Promise<PasskeyRow> {
  const { repositories, clock } = context
  const site = requireSite(context)
  requireFresh(person, context)
  const { clientDataJSON, transports = [] } = credential.response
  const made = await verified(context, { site, purpose: adding(person), clientDataJSON }, (challenge) =>
    verifyCreation(site, credential, challenge),
  )
  const added = await repositories.passkeys.addAcrossTeams({
    ...{ ...made, transports, id: createId(clock), personId: person.id, name, host: site.host },
    ...{ ...from, createdAt: clock.now() },
  })
  if (added === 'tooMany') throw new Failure('forbidden', TOO_MANY_PASSKEYS)
  if (added === 'known') throw invalid(KNOWN)
  await tellOfNew(context, person, added)
  return added
}

/** Someone else may have sat at the browser. The passkey is there: the log says if its person could not be told. */
async function tellOfNew(
  { installationMails, clock, log }: Needs,
  { id: personId, email }: SignedIn,
  { name, host, address }: PasskeyRow,
): Promise<void> {
  const text = `The passkey "${name}" was added to your account of Posthaste at ${host}, from ${address}. It signs in without a mail.\n\nIf it was not you: sign in, remove it under Sessions, and end all other sessions.\n`
  const expiresAt = new Date(clock.now().getTime() + DAY_MS)
  try {
    await installationMails.send({ kind: 'notice', to: email, subject: 'A passkey was added', text, secret: '', expiresAt })
  } catch (error) {
    log.error({ err: error, personId }, 'person not told of a passkey that was added')
  }
}

/** Says nothing about who is known: the browser offers what it has. */
export async function optionsToSignIn(context: Needs, browserSecret: string): Promise<Options> {
  const site = requireSite(context)
  const { challenge, expiresAt } = createChallenge(context, signingIn(browserSecret))
  return { options: await requestOptions(site, { challenge }), expiresAt }
}

/** Whom the passkey signs in. @param browserSecret of the browser; null: it has asked for no options */
export async function personOfPasskey(context: Needs, credential: PasskeyCredential, browserSecret: string | null): Promise<string> {
  if (browserSecret === null) throw invalid(CHALLENGE_OVER)
  // Web Authentication, section 7.2, step 6: a passkey that was chosen at the device says whose it is.
  if (!credential.response.userHandle) throw invalid(NOT_ACCEPTED)
  return (await usedPasskey(context, credential, signingIn(browserSecret))).personId
}

/** @throws Failure `forbidden` if the person has none that works here */
export async function optionsToConfirm(context: Needs, person: SignedIn): Promise<Options> {
  const site = requireSite(context)
  const known = await context.repositories.passkeys.credentialsOf(person.id, site.host)
  if (known.length === 0) throw new Failure('forbidden', NO_PASSKEY)
  const { challenge, expiresAt } = createChallenge(context, confirming(person))
  return { options: await requestOptions(site, { challenge, known }), expiresAt }
}

const NO_PASSKEY = 'You have no passkey for this address. Confirm by a code: `POST /me/confirmation`.'

/** Whether the person may confirm by one. */
export async function hasPasskey(
  { repositories, publicUrl }: Pick<Needs, 'repositories' | 'publicUrl'>,
  personId: string,
): Promise<boolean> {
  const site = siteOf(publicUrl)
  return site !== null && (await repositories.passkeys.credentialsOf(personId, site.host)).length > 0
}

/** Confirms the session. @throws Failure `validation` if it is no passkey of the person */
export async function confirmByPasskey(context: Needs, person: SignedIn, credential: PasskeyCredential): Promise<Date> {
  await usedPasskey(context, credential, confirming(person), person.id)
  const now = context.clock.now()
  await context.repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, now)
  return now
}

/** @param personId whose it has to be; by default, anyone's */
async function usedPasskey(context: Needs, credential: PasskeyCredential, purpose: Purpose, personId?: string): Promise<KnownPasskey> {
  const { repositories, clock, log } = context
  const site = requireSite(context)
  const passkey = await repositories.passkeys.findAcrossTeams(credential.id, site.host)
  const isTheirs = passkey !== null && (personId === undefined || passkey.personId === personId)
  const { clientDataJSON } = credential.response
  const { counter } = await verified(context, { site, purpose, clientDataJSON }, async (challenge) =>
    isTheirs ? verifyUse(site, credential, { challenge, passkey }) : { why: 'an unknown passkey' },
  )
  if (passkey === null) throw invalid(NOT_ACCEPTED)
  if (await repositories.passkeys.usedAcrossTeams(passkey.id, counter, clock.now())) return passkey
  log.warn({ passkeyId: passkey.id, personId: passkey.personId, counter }, 'passkey refused: its counter went back')
  throw invalid(COUNTER_WENT_BACK)
}

type Stated = { site: Site; purpose: Purpose; clientDataJSON: string }

/** What the answer of the device proves. It uses its challenge up. @throws Failure `validation` */
async function verified<Verified>(
  context: Needs,
  { site, purpose, clientDataJSON }: Stated,
  verify: (challenge: string) => Promise<Verdict<Verified>>,
): Promise<Verified> {
  const stated = statedBy(clientDataJSON)
  if (stated === null) throw invalid(NOT_ACCEPTED)
  if (stated.origin !== site.origin) throw invalid(`Passkeys work at ${site.origin} only. Open this page there.`)
  const challenge = openChallenge(context, purpose, stated.challenge)
  const verdict = await verify(stated.challenge)
  if ('why' in verdict) {
    context.log.info({ why: verdict.why }, 'passkey not accepted')
    throw invalid(NOT_ACCEPTED)
  }
  if (!(await context.repositories.answeredChallenges.answerAcrossTeams(challenge))) throw invalid(CHALLENGE_OVER)
  return verdict.verified
}
