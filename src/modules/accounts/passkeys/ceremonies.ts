// What Web Authentication asks of the site (sections 7.1 and 7.2): options for the browser, and whether its answer is right. The library is loaded at its
// first use, because it takes half a second and 36 MB.

import { shortId } from '../../../lib/ids.ts'
import { isAddress } from '../../../lib/peer-addresses.ts'
import { errorMessage } from '../../../lib/problem.ts'
import type { Credential, KnownPasskey } from './passkeys.repository.ts'
import type { NewPasskeyCredential, PasskeyCredential } from './passkeys.schema.ts'

/** Where passkeys work: `host` is the RP id. */
export type Site = { host: string; origin: string }

/** Null where PUBLIC_URL has an address in place of a name: browsers make no passkeys for addresses. */
export function siteOf(publicUrl: string): Site | null {
  const { hostname, origin } = new URL(publicUrl)
  return isAddress(hostname) ? null : { host: hostname, origin }
}

const load = () => import('@simplewebauthn/server')
const loadHelpers = () => import('@simplewebauthn/server/helpers')

/** Ed25519, ES256 and RS256 (COSE): all devices know one of them, and their signatures fit into a form. */
const ALGORITHMS = [-8, -7, -257]
/** A browser asks its person for no longer. The challenge ends later. */
const TIMEOUT_MS = 4 * 60_000

type Known = { credentialId: string; transports: string[] }

const descriptors = (known: readonly Known[]) =>
  known.map(({ credentialId, transports }) => ({ id: credentialId, transports: transports as [] }))

export async function creationOptions(
  { host }: Site,
  { challenge, person, known }: { challenge: string; person: { id: string; email: string; name: string }; known: readonly Known[] },
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await load()
  const options = await generateRegistrationOptions({
    ...{ rpID: host, rpName: `Posthaste at ${host}`, challenge, timeout: TIMEOUT_MS },
    ...{ userID: Buffer.from(handleOf(person.id), 'base64url'), userName: person.email, userDisplayName: person.name },
    excludeCredentials: descriptors(known),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return { ...options }
}

/** Without `known`, the browser offers all passkeys that it has for the site. */
export async function requestOptions(
  { host }: Site,
  { challenge, known = [] }: { challenge: string; known?: readonly Known[] },
): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await load()
  const asked = { rpID: host, challenge, timeout: TIMEOUT_MS, userVerification: 'required' } as const
  const options = await generateAuthenticationOptions({ ...asked, allowCredentials: descriptors(known) })
  return { ...options }
}

/** What the browser stores with a passkey, and says when someone signs in with it. */
export const handleOf = (personId: string): string => shortId(personId)

/** The challenge and the origin that the browser states; null if it is no such statement. */
export function statedBy(clientDataJSON: string): { challenge: string; origin: string } | null {
  try {
    const stated: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge, origin } = (stated ?? {}) as { challenge?: unknown; origin?: unknown }
    return typeof challenge === 'string' && typeof origin === 'string' ? { challenge, origin } : null
  } catch {
    return null
  }
}

export type Verdict<Verified> = { verified: Verified } | { why: string }

export const verifyCreation = (
  site: Site,
  { id, response }: NewPasskeyCredential,
  challenge: string,
): Promise<Verdict<Omit<Credential, 'transports'>>> =>
  judged(async () => {
    if (await statesMaker(response.attestationObject)) return { why: 'an attestation that was not asked for' }
    const { verifyRegistrationResponse } = await load()
    const { clientDataJSON, attestationObject } = response
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} }, response: { clientDataJSON, attestationObject } },
      ...expected(site, challenge),
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo?.credential.id !== id) return { why: 'the id of another credential' }
    const { publicKey, counter } = registrationInfo.credential
    return { verified: { credentialId: id, publicKey, counter } }
  })

/** The counter is compared where it is stored, in the same statement. */
export const verifyUse = (
  site: Site,
  { id, response: { userHandle, ...response } }: PasskeyCredential,
  { challenge, passkey }: { challenge: string; passkey: KnownPasskey },
): Promise<Verdict<{ counter: number }>> =>
  judged(async () => {
    if (userHandle != null && userHandle !== handleOf(passkey.personId)) return { why: 'the user handle of another person' }
    const { verifyAuthenticationResponse } = await load()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} }, response },
      ...expected(site, challenge),
      credential: { id, publicKey: passkey.publicKey, counter: 0 },
    })
    return verified ? { verified: { counter: authenticationInfo.newCounter } } : { why: 'another signature' }
  })

const expected = ({ host, origin }: Site, challenge: string) => ({
  ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host, requireUserVerification: true },
})

/**
 * We ask for no statement about the maker of the device, so a browser sends none. The library would follow addresses in the certificates of one.
 * "packed" without certificates is signed by the passkey itself.
 */
async function statesMaker(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await loadHelpers()
  const stated = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format = stated.get('fmt')
  return format !== 'none' && (format !== 'packed' || stated.get('attStmt').get('x5c') !== undefined)
}

/** The library says by errors what is wrong. They may quote what was sent. */
async function judged<Verified>(work: () => Promise<Verdict<Verified>>): Promise<Verdict<Verified>> {
  try {
    return await work()
  } catch (error) {
    return { why: errorMessage(error).slice(0, WHY_LENGTH_MAX) }
  }
}

const WHY_LENGTH_MAX = 200
