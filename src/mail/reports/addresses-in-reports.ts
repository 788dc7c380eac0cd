// Addresses as reports write them. They are compared with addresses that were checked long ago, so that these need not be strict.

/**
 * The address of a field such as `rfc822; <a@example.com>` (RFC 3464, section 2.3), `a+2Btag@example.com` in xtext (RFC 3461, section 4), or
 * `Name <a@example.com>`. Null if it holds none.
 */
export function addressOfField(value: string): string | null {
  const semicolon = value.indexOf(';')
  const type = semicolon === -1 ? '' : value.slice(0, semicolon).trim().toLowerCase()
  const text = /^[a-z0-9-]{1,40}$/.test(type) ? value.slice(semicolon + 1) : value
  return bareAddress(text)
}

/** The first address of a text, without the marks around it. */
export function bareAddress(text: string): string | null {
  for (const word of text.slice(0, TEXT_LENGTH_MAX).split(SEPARATORS)) {
    const address = word.replace(LEADING_MARKS, '').replace(/^mailto:/i, '')
    const trimmed = trimEnd(address)
    if (ADDRESS.test(trimmed)) return trimmed
  }
  return null
}

/** RFC 3461, section 4. Only what can be nothing else: `+` is common in addresses. */
export const fromXtext = (address: string): string =>
  address.replace(/\+(2B|3D|20|22|2C|3A|3B)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const TEXT_LENGTH_MAX = 4096

const SEPARATORS =
  /[\s<>()[\]"`,;:|\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff0f\uff1a-\uff1f\u2018-\u201f«»]/u

const LEADING_MARKS = /^['.*=#-]{1,8}/

const ADDRESS = /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){0,20}$/u

function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && ".!?*=-'".includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
