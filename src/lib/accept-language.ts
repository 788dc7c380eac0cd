/** The language that a reader wants most of those there are (RFC 9110, section 12.5.4); the first of them when they want none. */
export function preferredLanguage<Language extends string>(
  header: string | undefined,
  languages: readonly [Language, ...Language[]],
): Language {
  const wanted = (header ?? '')
    .toLowerCase()
    .split(',')
    .map(wish)
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  for (const { language } of wanted) {
    const known = languages.find((name) => name === language)
    if (known) return known
  }
  return languages[0]
}

/** `de-AT;q=0.8`: German, with this weight. Regions are not told apart. */
function wish(entry: string): { language: string; weight: number } {
  const [range = '', ...parameters] = entry.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  return { language: range.split('-', 1)[0] ?? '', weight: weight === undefined ? 1 : Number(weight) }
}
