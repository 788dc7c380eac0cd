/** The bytes of a text, if there is one. */
export const utf8 = (text: string | Uint8Array | null): Uint8Array | null =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text

/** The text of the first bytes, in which a character that is cut becomes U+FFFD. A string is returned whole. */
export const textUpTo = (text: string | Uint8Array | null, bytesMax: number): string | null =>
  text instanceof Uint8Array ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(text.subarray(0, bytesMax)) : text
