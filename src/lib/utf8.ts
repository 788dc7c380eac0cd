/** The bytes of a text, if there is one. */
export const utf8 = (text: string | null): Uint8Array | null => (text === null ? null : new TextEncoder().encode(text))

/** The text of as many bytes. What is cut in the middle of a character ends in U+FFFD. */
export const beginningOf = (bytes: Uint8Array | null, bytesMax: number): string | null =>
  bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytesMax))
