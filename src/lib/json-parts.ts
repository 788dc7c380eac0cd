// The JSON of a long text in parts, so that others get a turn between two of them.

/** A few milliseconds of a processor, also where each character is written as six. */
export const PART_LENGTH = 256 * 1_024

/** @returns what `JSON.stringify` returns, without the quotes. */
export function* jsonParts(text: string): Generator<Buffer, void> {
  for (let from = 0; from < text.length; ) {
    const to = wholeCharacters(text, Math.min(from + PART_LENGTH, text.length))
    yield Buffer.from(JSON.stringify(text.slice(from, to)).slice(1, -1))
    from = to
  }
}

/** A character of two units stays whole: half of it would be escaped. */
const wholeCharacters = (text: string, to: number): number => ((text.codePointAt(to - 1) ?? 0) > 0xff_ff ? to + 1 : to)
