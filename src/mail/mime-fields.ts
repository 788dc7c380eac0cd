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

// Header fields, and the groups of fields in the machine-readable parts of reports, which have the same form (RFC 3464, section 2.1.1).

/** Values by the name of the field in lower case, in their order, unfolded. */
export type Fields = ReadonlyMap<string, readonly string[]>

/**
 * `isHead`: the text is the header of a message, which an empty line ends. A line of white space continues the field above it there (RFC 5322, section
 * 4.2); in the parts of reports it stands between groups.
 */
export type FieldLimits = { lengthMax: number; valueLengthMax: number; isHead?: boolean }

/** Reads the fields up to the first blank line. A line that is neither a field nor a continuation is left out. */
export function readFields(text: string, { lengthMax, valueLengthMax, isHead = false }: FieldLimits = OF_REPORTS): Fields {
  const fields = new Map<string, string[]>()
  let last: string[] | null = null
  for (const line of text.slice(0, lengthMax).split(/\r?\n/)) {
    if (line.trim() === '') {
      if (isHead && line !== '') continue
      if (fields.size > 0) break
      continue
    }
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const value = last?.pop()
      const isKept = value !== undefined && value.length < valueLengthMax
      // Nothing looks into the whole value here: then each line of a long one would copy it.
      if (isKept) last?.push(value === '' ? line.trim() : `${value} ${line.trim()}`)
      else if (value !== undefined) last?.push(value)
      continue
    }
    last = null
    const colon = line.indexOf(':')
    // Only what verifiers of signatures leave out too: otherwise they would judge another From than the one that is shown.
    const name = line.slice(0, Math.max(colon, 0)).replace(BEFORE_COLON, '').toLowerCase()
    if (!FIELD_NAME.test(name)) continue
    last = fields.get(name) ?? []
    if (last.length === REPETITIONS_MAX) {
      last = null
      continue
    }
    last.push(line.slice(colon + 1).trim())
    fields.set(name, last)
  }
  return fields
}

export const firstOf = (fields: Fields, name: string): string => fields.get(name)?.[0] ?? ''

export const allOf = (fields: Fields, ...names: readonly string[]): string[] => names.flatMap((name) => fields.get(name) ?? [])

/** Headers of ordinary messages have a tenth of it. */
export const OF_REPORTS: FieldLimits = { lengthMax: 128 * 1024, valueLengthMax: 16 * 1024 }

/** `Received` repeats most, and a message with fifty of them is a loop. */
const REPETITIONS_MAX = 100

const BEFORE_COLON = /(?<![ \t])[ \t]+$/

const FIELD_NAME = /^[!-9;-~]{1,76}$/
