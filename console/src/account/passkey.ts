// Asks the device for a passkey.
import { answer, api } from '../api/client'
import { ACCOUNT_TEXTS as TEXTS } from '../texts/account'

/** Whether this browser, at this address, has what it takes. */
export const knowsPasskeys = (): boolean => window.isSecureContext && 'parseCreationOptionsFromJSON' in (window.PublicKeyCredential ?? {})

type Created = { id: string; response: { clientDataJSON: string; attestationObject: string; transports?: string[] } }

/** Makes one on the device, and gives it to the API. */
export async function addPasskey(name: string): Promise<unknown> {
  const { options } = await answer(api.POST('/me/passkeys/options'))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON)
  const made = await navigator.credentials.create({ publicKey }).catch((problem: Error) => {
    throw new Error(TEXTS.problems[problem.name] ?? problem.message)
  })
  const { id, response } = (made as PublicKeyCredential).toJSON() as Created
  const { clientDataJSON, attestationObject, transports } = response
  return answer(
    api.POST('/me/passkeys', {
      body: { name, credential: { id, response: { clientDataJSON, attestationObject, ...(transports && { transports }) } } },
    }),
  )
}

type Used = { id: string; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string } }

/** Uses one of the person's on this device, and gives the answer to the API: the session counts as confirmed then. */
export async function confirmByPasskey(): Promise<unknown> {
  const { options } = await answer(api.POST('/me/confirmation/passkey'))
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON)
  const used = await navigator.credentials.get({ publicKey }).catch((problem: Error) => {
    throw new Error(TEXTS.problems[problem.name] ?? problem.message)
  })
  const { id, response } = (used as PublicKeyCredential).toJSON() as Used
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return answer(
    api.POST('/me/confirmation/passkey/verify', {
      body: { credential: { id, response: { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) } } },
    }),
  )
}

/** "Chrome on Linux", as a name to begin with. */
export function deviceName(): string {
  const agent = navigator.userAgent
  const browser = [
    ['Firefox', /Firefox\//],
    ['Edge', /Edg\//],
    ['Chrome', /Chrome\//],
    ['Safari', /Safari\//],
  ].find(([, pattern]) => (pattern as RegExp).test(agent))?.[0]
  const system = [
    ['Android', /Android/],
    ['iPhone', /iPhone|iPad/],
    ['Windows', /Windows/],
    ['Mac', /Macintosh/],
    ['Linux', /Linux/],
  ].find(([, pattern]) => (pattern as RegExp).test(agent))?.[0]
  return [browser, system].filter(Boolean).join(' on ')
}
