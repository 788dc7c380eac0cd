/**
 * Text of others for a terminal: without what it would obey (control characters), what turns words around or hides (U+202E, U+200B), and what
 * begins a line that seems to be of ours.
 */
export const terminalText = (text: string): string => text.replaceAll(OBEYED, ' ')

/** The same, where each of them can be written in another way. */
export const withObeyedWritten = (text: string, written: (character: string) => string): string => text.replaceAll(OBEYED, written)

const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
