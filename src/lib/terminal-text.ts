/**
 * Foreign text for a terminal, without what the terminal would act on (control characters), what reorders or hides words (U+202E, U+200B), and what
 * begins a line that could pass for one of ours.
 */
export const terminalText = (text: string): string => text.replaceAll(OBEYED, ' ')

/** Writes each of these characters in another way. */
export const withObeyedWritten = (text: string, written: (character: string) => string): string => text.replaceAll(OBEYED, written)

const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
