// What a program may be allowed to do. The scope of an operation follows from its section and its method.

import { SECTION_LIST } from '../../http/sections.ts'
import { Failure } from '../../lib/failure.ts'

export const FULL_ACCESS = 'full_access'
export const SEND_EMAILS = 'emails:send'
export const CHANGE_CONTACTS = 'contacts:write'
/** What a broadcast or an automation sends. */
export const SEND_BROADCASTS = 'broadcasts:send'
/** Counts, and the names of broadcasts, segments and domains: no personal data. */
export const READ_NUMBERS = 'numbers:read'

/** `API keys` becomes `api-keys`. */
const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

/** The scopes that a token needs for an operation, all of them. `full_access` stands for each. */
export const requiredScopes = (operation: ScopedOperation): string[] => [
  ownScopeOf(operation),
  ...(operation.sends === true ? [SEND_BROADCASTS] : []),
  ...(operation.shows ?? []).map((section) => `${section}:read`),
  ...(operation.changes ?? []).map((section) => `${section}:write`),
]

function ownScopeOf({ access, method, resource, scope }: ScopedOperation): string {
  if (scope !== undefined) return scope
  if (access === 'sending') return SEND_EMAILS
  return `${slugOf(resource.tag.name)}:${method === 'GET' ? 'read' : 'write'}`
}

type ScopedOperation = {
  access: string
  method: string
  resource: { tag: { name: string } }
  scope?: string
  sends?: true | string
  shows?: readonly string[]
  changes?: readonly string[]
}

/** Narrow scopes, each with those that include it. */
const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = {
  'emails:resend': [SEND_EMAILS],
  'contacts:subscriptions': [CHANGE_CONTACTS],
  'suppressions:delete': ['suppressions:write'],
  [SEND_BROADCASTS]: [SEND_EMAILS],
}

export const includesScope = (granted: readonly string[], scope: string): boolean =>
  granted.includes(scope) || granted.includes(FULL_ACCESS) || (INCLUDED_IN[scope] ?? []).some((wider) => granted.includes(wider))

/** A credential with scopes, or a key, which has none. */
export type Scoped = { scopes?: readonly string[] }

/** Guards an operation that leads to mail only under a condition. Keys with full access may send. */
export const requireSending = (credential: Scoped): void => requireScope(credential, SEND_BROADCASTS)

/** Guards what an operation does only under a condition. Keys have no scopes. */
export function requireScope({ scopes, person }: Scoped & { person?: { role: string } }, scope: string): void {
  if (scopes && !includesScope(scopes, scope)) throw person ? lackingRole(person) : lackingScope(scope)
}

export const lackingRole = ({ role }: { role: string }): Failure =>
  new Failure('invalidPermission', `Your role in this team (${role}) does not allow this. An owner or admin can change it.`)

/** Whether a credential sees what another section's operations answer, such as the bodies in a log. */
export const mayRead = ({ scopes }: Scoped, section: string): boolean => !scopes || includesScope(scopes, `${section}:read`)

/** The section whose record an event of a webhook shows. */
export function sectionOfEvent(type: string): string {
  if (type === 'audit.recorded') return 'audit-log'
  return type === 'email.received' ? 'received-emails' : `${type.split('.', 1)[0]}s`
}

/**
 * Whether a credential sees a logged request: it must be able to read each section that the path names, and those that its bodies show besides. A path of
 * no section is for full access.
 */
export function mayReadRequest(reader: Scoped, path: string): boolean {
  const named = path.split('/').map((part) => SECTIONS_BY_NAME[part] ?? part)
  const sections = named.filter((name) => SCOPES.has(`${name}:read`))
  const shown = SHOWN_BY_BODIES.find(([form]) => form.test(path))?.[1] ?? []
  return sections.length === 0 ? mayRead(reader, '') : [...sections, ...shown].every((section) => mayRead(reader, section))
}

/** Only full access reads a section without a name. */
const EVERY_SECTION = ''

/** Requests whose bodies show records of sections that their path does not name. */
const SHOWN_BY_BODIES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/broadcasts\/[^/]+\/(?:recipients|preview|test)(?:\/|$)/, ['contacts']],
  [/^\/automations\/[^/]+\/(?:simulate|runs)(?:\/|$)/, ['contacts', 'events', 'templates']],
  [/^\/events\/send(?:\/|$)/, ['contacts']],
  [/^\/contacts\/[^/]+\/export(?:\/|$)/, ['emails', 'events', 'automations', 'suppressions']],
  [/^\/(?:(?:segments|audiences)\/[^/]+\/)?contacts$/, ['suppressions']],
  [/^\/webhooks\/[^/]+\/(?:events|feed)(?:\/|$)/, [EVERY_SECTION]],
  [/^\/audit-log(?:\/|$)/, [EVERY_SECTION]],
]

/** Sections that are called otherwise within the path of another. */
const SECTIONS_BY_NAME: Record<string, string> = { receiving: 'received-emails', imports: 'contact-imports' }

/** Whether unsubscribe links are shown to a credential as they are. Keys with full access may do everything. */
export const mayChangeContacts = ({ permission, scopes }: Scoped & { permission: string }): boolean =>
  scopes ? includesScope(scopes, CHANGE_CONTACTS) : permission === FULL_ACCESS

export const lackingScope = (scope: string): Failure =>
  new Failure('invalidPermission', `This access token lacks the scope \`${scope}\`. Ask for access with that scope.`)

/** Every scope, with what it allows. */
export const SCOPES: ReadonlyMap<string, string> = new Map([
  [FULL_ACCESS, 'Everything that an API key with full access may do.'],
  [SEND_EMAILS, 'Send emails and broadcasts.'],
  [SEND_BROADCASTS, 'Send broadcasts, and what automations send.'],
  ['emails:resend', 'Send a stored email to its own recipients again.'],
  ['contacts:subscriptions', 'Unsubscribe contacts, and change their topics.'],
  ['suppressions:delete', 'Take addresses off the suppression list.'],
  [READ_NUMBERS, 'Read counts, and the names of broadcasts, segments and domains.'],
  ...SECTION_LIST.flatMap(({ name }): [string, string][] => [
    [`${slugOf(name)}:read`, `Read ${name}.`],
    [`${slugOf(name)}:write`, `Create, change and delete ${name}.`],
  ]),
])

export const SCOPE_NAMES: readonly string[] = [...SCOPES.keys()]
