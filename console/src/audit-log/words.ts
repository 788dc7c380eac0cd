import { wordsOf } from '../parts/StateBadge'
import { ACT_WORDS, COMMAND_WORDS, FIELD_WORDS, RECORD_WORDS } from '../texts/audit-acts'

/** Commands have the words that were typed; what an earlier version wrote, its own name with blanks. */
export function actWords(name: string): string {
  const words = ACT_WORDS[name]
  if (words !== undefined) return words
  const [first, ...rest] = name.split('.')
  return first === 'command' ? COMMAND_WORDS(rest.join(' ')) : wordsOf(name.replaceAll(/[._-]/g, ' '))
}

export const recordWords = (type: string): string => RECORD_WORDS[type] ?? wordsOf(type)

export const fieldWords = (field: string): string => FIELD_WORDS[field] ?? wordsOf(field.replace(/_ids?$/, ''))
