// Names and short codes in a response header: separated by commas, percent-encoded, and bounded, because proxies refuse long headers.

/** The limit for the value of a header that names something: `x-ignored-fields`, `x-warnings`. */
export const HEADER_CODES_BYTES_MAX = 512

/** As many of the names, in their order, as fit. */
export function headerOfNames(names: readonly string[]): string {
  const kept: string[] = []
  for (const encoded of names.map(encodeName)) {
    if ([...kept, encoded].join(SEPARATOR).length <= HEADER_CODES_BYTES_MAX) kept.push(encoded)
  }
  return kept.join(SEPARATOR)
}

/** A code such as `segment_empty`; `about` is what it is about, such as the id of a record or the name of a placeholder. */
export type Warning = { code: string; about?: string }

/** `code` or `code=about`, as in the header, each once. */
export const warningCodes = (warnings: readonly Warning[]): string[] => [
  ...new Set(warnings.map(({ code, about }) => (about === undefined ? code : `${code}=${encodeName(about)}`))),
]

/** The value of `x-warnings`: `code` or `code=about` each. If not all fit, the last one is `more=` with the number of those left out. */
export function headerOfWarnings(warnings: readonly Warning[]): string {
  const all = warningCodes(warnings)
  const whole = all.join(SEPARATOR)
  if (whole.length <= HEADER_CODES_BYTES_MAX) return whole
  const kept: string[] = []
  let length = `more=${all.length}`.length
  for (const text of all) {
    length += text.length + SEPARATOR.length
    if (length > HEADER_CODES_BYTES_MAX) break
    kept.push(text)
  }
  return [...kept, `more=${all.length - kept.length}`].join(SEPARATOR)
}

const SEPARATOR = ', '

/** Brackets, as in `tags[0]`, may stand in a header. */
const encodeName = (name: string): string => encodeURIComponent(name.toWellFormed()).replaceAll('%5B', '[').replaceAll('%5D', ']')
