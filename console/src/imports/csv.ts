// The beginning of a CSV file, read as the service reads it: its encoding, the likeliest delimiter, and its first rows.

const HEAD_BYTES_MAX = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|']
/** Excel writes which one it is. */
const NAMED_DELIMITER = /^sep=([,;\t|])\r?\n/i

export type FileHead = { names: string[]; example: string[] }

/** The names of the columns, and the first row below them. */
export async function headOf(file: Blob): Promise<FileHead> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES_MAX).arrayBuffer())
  const text = decode(bytes)
  const named = NAMED_DELIMITER.exec(text)
  const delimiters = named?.[1] === undefined ? DELIMITERS : [named[1]]
  const [head] = delimiters
    .map((delimiter) => rowsIn(named === null ? text : text.slice(named[0].length), delimiter, 2))
    .toSorted(([one = []], [other = []]) => other.length - one.length)
  const [names = [], example = []] = head ?? []
  return { names: names.map((name) => name.trim()), example }
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // What the slice cut in two is left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The first rows. A cell in quotes may hold delimiters, line ends and doubled quotes. */
export function rowsIn(text: string, delimiter: string, rowsMax: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = () => {
    row.push(cell)
    if (row.length > 1 || cell.trim() !== '') rows.push(row)
    row = []
    cell = ''
  }
  for (let at = 0; at < text.length && rows.length < rowsMax; at += 1) {
    const character = text[at]
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === delimiter) {
      row.push(cell)
      cell = ''
    } else if (character === '\n' || character === '\r') endRow()
    else cell += character
  }
  if (rows.length < rowsMax && (cell !== '' || row.length > 0)) endRow()
  return rows
}
