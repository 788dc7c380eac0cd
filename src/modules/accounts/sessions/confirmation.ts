// A person confirms by a mailed code or a passkey that it is them, before what cannot be undone or opens everything. It holds for one session, for a while.
import type { Caller } from '../../../http/operation.ts'
import { type Clock, MINUTE_MS } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { FULL_ACCESS } from '../scopes.ts'

export const CONFIRMED_MS = 10 * MINUTE_MS

type Confirmed = { confirmedAt: Date | null }

/** Null if the session was not confirmed lately. */
export function confirmedUntil({ confirmedAt }: Confirmed, now: Date): Date | null {
  const until = confirmedAt && new Date(confirmedAt.getTime() + CONFIRMED_MS)
  // A clock that was set back makes no confirmation longer.
  return until && until > now && confirmedAt <= now ? until : null
}

/** Guards an operation that needs a confirmation only under a condition. Keys and programs confirm nothing. */
export function requireConfirmation({ person }: Pick<Caller, 'person'>, { clock }: { clock: Clock }): void {
  if (person) requireConfirmed(person, { clock })
}

/** @throws Failure `confirmationRequired` */
export function requireConfirmed(session: Confirmed, { clock }: { clock: Clock }): void {
  if (confirmedUntil(session, clock.now()) === null) throw new Failure('confirmationRequired', CONFIRM_FIRST)
}

/** Someone who signed in just now need not confirm again. */
export const isFresh = ({ signedInAt, confirmedAt }: Confirmed & { signedInAt: Date }, now: Date): boolean =>
  [signedInAt, confirmedAt].some((at) => confirmedUntil({ confirmedAt: at }, now) !== null)

/** @throws Failure `confirmationRequired` */
export function requireFresh(session: Confirmed & { signedInAt: Date }, { clock }: { clock: Clock }): void {
  if (!isFresh(session, clock.now())) throw new Failure('confirmationRequired', CONFIRM_FIRST)
}

/**
 * Scopes by which a program may do what a person has to confirm first, as it confirms nothing itself: make keys, invite owners, delete domains. Giving
 * one of them away needs a fresh sign-in or a confirmation. Reading contacts is left out: a program with that scope may list them all anyway.
 */
export const CONFIRMED_SCOPES: readonly string[] = [FULL_ACCESS, 'api-keys:write', 'members:write', 'domains:write']

export const needsFreshSignIn = (scopes: readonly string[]): boolean => CONFIRMED_SCOPES.some((scope) => scopes.includes(scope))

export const CONFIRM_FIRST =
  'Confirm first that it is you: ask for a code with `POST /me/confirmation`, and send it to `POST /me/confirmation/verify`. That holds for 10 minutes.'
