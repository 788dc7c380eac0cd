import { preferredLanguage } from '../../../lib/accept-language.ts'
import { de } from './de.ts'
import { en, type UnsubscribeTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'

export type Reading = { language: 'en' | 'de' | 'fr' | 'es'; texts: UnsubscribeTexts }

const TEXTS: Record<Reading['language'], UnsubscribeTexts> = { en, de, fr, es }

/** How a reader reads, by the header Accept-Language. English for who understands none of ours. */
export function readingOf(acceptLanguage: string | undefined): Reading {
  const language = preferredLanguage(acceptLanguage, ['en', 'de', 'fr', 'es'])
  return { language, texts: TEXTS[language] }
}
