// The sections that a stream names: those of the API, by the names that their scopes have.
import { includesScope, mayRead, READ_NUMBERS } from '../../accounts/scopes.ts'

export const LIVE_SECTIONS = [
  'emails',
  'received-emails',
  'templates',
  'domains',
  'contact-properties',
  'topics',
  'segments',
  'contacts',
  'contact-imports',
  'broadcasts',
  'events',
  'automations',
  'suppressions',
  'webhooks',
  'api-keys',
  'members',
  'oauth',
  'audit-log',
  'logs',
] as const

export type LiveSection = (typeof LIVE_SECTIONS)[number]

const KNOWN: ReadonlySet<string> = new Set(LIVE_SECTIONS)

export const isLiveSection = (name: string): name is LiveSection => KNOWN.has(name)

/** The sections whose numbers a person sees who reads nothing else of them. */
const COUNTED: ReadonlySet<LiveSection> = new Set(['emails', 'broadcasts', 'segments', 'domains'])

/** The sections of which a person with these scopes reads something. */
export const sectionsFor = (scopes: readonly string[], sections: Iterable<LiveSection>): LiveSection[] =>
  LIVE_SECTIONS.filter((section) => new Set(sections).has(section)).filter(
    (section) => mayRead({ scopes }, section) || (COUNTED.has(section) && includesScope(scopes, READ_NUMBERS)),
  )

/** Sections that stand in paths under other names, or change together with what a path names. */
const BY_PATH: Readonly<Record<string, LiveSection>> = {
  receiving: 'received-emails',
  imports: 'contact-imports',
  invitations: 'members',
  audiences: 'segments',
}

/** The sections that a request changed, by its path. */
export const sectionsOfPath = (path: string): LiveSection[] =>
  path.split('/').flatMap((part) => BY_PATH[part] ?? (isLiveSection(part) ? part : []))

/** The section of an operation, by the name of its section in the document. */
export function sectionOfTag(tag: string): LiveSection | null {
  const name = tag.toLowerCase().replaceAll(' ', '-')
  return isLiveSection(name) ? name : (BY_PATH[name] ?? null)
}
