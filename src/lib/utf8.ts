/** The bytes of a text, if there is one. */
export const utf8 = (text: string | Uint8Array | null): Uint8Array | null =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text

/** Of a text in UTF-8, the text of as many bytes: what is cut in the middle of a character ends in U+FFFD. Of a string, all. */
export const beginningOf = (text: string | Uint8Array | null, bytesMax: number): string | null =>
  text instanceof Uint8Array ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(text.subarray(0, bytesMax)) : text
