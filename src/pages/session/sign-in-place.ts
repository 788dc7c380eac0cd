// From where someone signs in, as they will recognize it.
import type { FastifyRequest } from 'fastify'
import type { SignIn, SignInMethod } from '../../repositories/team/sessions.ts'

/** What browsers send is half as long. */
const BROWSER_LENGTH_MAX = 300

export const signInFrom = <Method extends SignInMethod>(
  { ip, headers }: FastifyRequest,
  { method, person }: Pick<SignIn<Method>, 'method' | 'person'>,
): SignIn<Method> => ({ method, person, address: ip, browser: (headers['user-agent'] ?? '').slice(0, BROWSER_LENGTH_MAX) })

/** A browser and its system, as far as its header says; `Unknown browser` otherwise. Others call themselves Chrome and Safari too, so they come first. */
export function browserWords(header: string): string {
  const named = (names: readonly (readonly [string, string])[]) => names.find(([part]) => header.includes(part))?.[1]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser === undefined) return 'Unknown browser'
  return system === undefined ? browser : `${browser} on ${system}`
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const

const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const
