// What a program may be allowed to do. The scope of an operation follows from its section and its method.
import { Failure } from '../lib/failure.ts'
import { TAGS } from './resources.ts'

export const FULL_ACCESS = 'full_access'
export const SEND_EMAILS = 'emails:send'
export const CHANGE_CONTACTS = 'contacts:write'

/** `API keys` becomes `api-keys`. */
const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

/** The scopes that a token needs for an operation, all of them. `full_access` stands for each. */
export const scopesOf = (operation: ScopedOperation): string[] => [
  ownScopeOf(operation),
  ...(operation.sends === true ? [SEND_EMAILS] : []),
  ...(operation.shows ?? []).map((section) => `${section}:read`),
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
}

export const includesScope = (granted: readonly string[], scope: string): boolean =>
  granted.includes(scope) || granted.includes(FULL_ACCESS)

/** Guards an operation that leads to mail only under a condition. Keys with full access may send. */
export function requireSending({ grant }: { grant?: { scopes: readonly string[] } }): void {
  if (grant && !includesScope(grant.scopes, SEND_EMAILS)) throw lackingScope(SEND_EMAILS)
}

/** Whether a credential sees what another section's operations answer, such as the bodies in a log. */
export const mayRead = ({ grant }: { grant?: { scopes: readonly string[] } }, section: string): boolean =>
  !grant || includesScope(grant.scopes, `${section}:read`)

/** The section whose record an event of a webhook shows. */
export function sectionOfEvent(type: string): string {
  return type === 'email.received' ? 'received-emails' : `${type.split('.', 1)[0]}s`
}

/**
 * Whether a credential sees a logged request: it must be able to read each section that the path names, and those that its bodies show besides. A path of
 * no section is for full access.
 */
export function mayReadRequest(reader: { grant?: { scopes: readonly string[] } }, path: string): boolean {
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
  [/^\/webhooks\/[^/]+\/(?:events|feed)(?:\/|$)/, [EVERY_SECTION]],
]

/** Sections that are called otherwise within the path of another. */
const SECTIONS_BY_NAME: Record<string, string> = { receiving: 'received-emails', imports: 'contact-imports' }

/** Whether unsubscribe links are shown to a credential as they are. Keys with full access may do everything. */
export const mayChangeContacts = ({ permission, grant }: { permission: string; grant?: { scopes: readonly string[] } }): boolean =>
  grant ? includesScope(grant.scopes, CHANGE_CONTACTS) : permission === FULL_ACCESS

export const lackingScope = (scope: string): Failure =>
  new Failure('invalidPermission', `This access token lacks the scope \`${scope}\`. Ask for access with that scope.`)

/** Every scope, with what it allows. */
export const SCOPES: ReadonlyMap<string, string> = new Map([
  [FULL_ACCESS, 'Everything that an API key with full access may do.'],
  [SEND_EMAILS, 'Send emails and broadcasts.'],
  ...TAGS.flatMap(({ name }): [string, string][] => [
    [`${slugOf(name)}:read`, `Read ${name}.`],
    [`${slugOf(name)}:write`, `Create, change and delete ${name}.`],
  ]),
])

export const SCOPE_NAMES: readonly string[] = [...SCOPES.keys()]
