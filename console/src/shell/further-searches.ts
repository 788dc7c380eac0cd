import { SHELL_TEXTS } from '../texts/shell'

const TEXTS = SHELL_TEXTS.further

type Further = { name: string; path: string; search: Record<string, string> }

/** Lists that look further than the search does: among all emails, by a part of a word, and among requests. */
export function furtherSearches(words: string, may: (...scopes: string[]) => boolean): Further[] {
  if (words === '') return []
  if (words.startsWith('/')) return may('logs:read') ? [{ name: TEXTS.requests(words), path: '/logs', search: { path: words } }] : []
  return [
    ...(may('emails:read') && words.includes('@') ? [{ name: TEXTS.emailsTo(words), path: '/emails', search: { to: words } }] : []),
    ...(may('emails:read') ? [{ name: TEXTS.subjects(words), path: '/emails', search: { subject: words } }] : []),
    ...(may('contacts:read') ? [{ name: TEXTS.contacts(words), path: '/contacts', search: { search: words } }] : []),
  ]
}
