import Negotiator from 'negotiator'

/** The available language that a reader prefers (RFC 9110, section 12.5.4); the first one if they prefer none of them. Regions do not count. */
export function preferredLanguage<Language extends string>(
  header: string | undefined,
  languages: readonly [Language, ...Language[]],
): Language {
  const [preferred] = new Negotiator({ headers: { 'accept-language': header ?? '' } }).languages([...languages])
  return languages.find((language) => language === preferred) ?? languages[0]
}
