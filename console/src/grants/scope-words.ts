import { SCOPE_SENTENCES, SCOPE_WORDS, SECTION_WORDS } from '../texts/scopes'

/** What an app may do, in a few sentences: what it sends and does first, then what it reads and changes. */
export function scopeSentences(scopes: readonly string[]): string[] {
  const [reads, writes] = [sectionsOf(scopes, 'read'), sectionsOf(scopes, 'write')]
  return [
    ...scopes.flatMap((scope) => SCOPE_WORDS[scope] ?? []),
    ...sentence(
      SCOPE_SENTENCES.change,
      writes.filter((section) => reads.includes(section)),
    ),
    ...sentence(
      SCOPE_SENTENCES.changeOnly,
      writes.filter((section) => !reads.includes(section)),
    ),
    ...sentence(
      SCOPE_SENTENCES.read,
      reads.filter((section) => !writes.includes(section)),
    ),
  ]
}

const sectionsOf = (scopes: readonly string[], act: 'read' | 'write'): string[] =>
  scopes.filter((scope) => SCOPE_WORDS[scope] === undefined && scope.endsWith(`:${act}`)).map((scope) => scope.slice(0, -act.length - 1))

function sentence(of: (what: string) => string, sections: readonly string[]): string[] {
  const words = sections.map((section) => SECTION_WORDS[section] ?? section.replaceAll('-', ' '))
  const last = words.at(-1)
  if (last === undefined) return []
  return [of(words.length === 1 ? last : `${words.slice(0, -1).join(', ')}${SCOPE_SENTENCES.and}${last}`)]
}
