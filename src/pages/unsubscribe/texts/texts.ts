import { preferredLanguage } from '../../../lib/accept-language.ts'
import { de } from './de.ts'
import { en, type UnsubscribeTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'

export type Reading = { language: 'en' | 'de' | 'fr' | 'es'; texts: UnsubscribeTexts }

const TEXTS: Record<Reading['language'], UnsubscribeTexts> = { en, de, fr, es }

/** The language of a reader, by the header Accept-Language. English if none of ours is wanted. */
export function readingOf(acceptLanguage: string | undefined): Reading {
  const language = preferredLanguage(acceptLanguage, ['en', 'de', 'fr', 'es'])
  return { language, texts: TEXTS[language] }
}
