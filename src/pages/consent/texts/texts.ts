import { preferredLanguage } from '../../../lib/accept-language.ts'
import { de } from './de.ts'
import { type ConsentTexts, en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'

export type ConsentReading = { language: 'en' | 'de' | 'fr' | 'es'; texts: ConsentTexts }

const TEXTS: Record<ConsentReading['language'], ConsentTexts> = { en, de, fr, es }

/** The language of a reader, by the header Accept-Language. English if none of ours is wanted. */
export function consentReadingOf(acceptLanguage: string | undefined): ConsentReading {
  const language = preferredLanguage(acceptLanguage, ['en', 'de', 'fr', 'es'])
  return { language, texts: TEXTS[language] }
}

/** What a scope allows, in the words of the reader. A section that has no words yet has its own name. */
export function wordsOf(scope: string, { texts }: ConsentReading): string {
  if (scope === 'full_access') return texts.fullAccess
  if (scope === 'emails:send') return texts.send
  if (scope === 'contacts:read') return texts.readContacts
  if (scope === 'webhooks:write') return texts.writeWebhooks
  if (scope === 'api-keys:write') return texts.writeKeys
  const [resource = '', act] = scope.split(':', 2)
  const what = texts.resources[resource] ?? resource.replaceAll('-', ' ')
  return act === 'write' ? texts.write(what) : texts.read(what)
}
