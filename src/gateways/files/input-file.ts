import { open } from 'node:fs/promises'
import { createEncodingGuess, createTextDecoder, type EncodingGuess, type TextEncoding } from '../../lib/csv/text-encoding.ts'

/** What is looked at to find the encoding of an input that can be read only once. */
const LOOKED_AT_BYTES_MAX = 4 * 1024 * 1024

/** `pieces` is the text, piece by piece. */
export type TextInput = { encoding: TextEncoding; pieces: AsyncIterable<string> }

/**
 * Finds the encoding of a file and opens it; `-` is standard input.
 * @throws Failure if it is no text
 */
export async function openText(path: string): Promise<TextInput> {
  const guess = createEncodingGuess(path === '-' ? 'The standard input' : `The file "${path}"`)
  if (path === '-') return openStream(process.stdin, guess)
  const file = await open(path)
  try {
    if (!(await file.stat()).isFile()) return await openStream(file.createReadStream(), guess)
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) guess.see(chunk)
    const encoding = guess.encoding()
    return { encoding, pieces: decoded(file.createReadStream({ start: 0 }), encoding) }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** What arrives after the bytes that are looked at cannot change the encoding. */
async function openStream(source: AsyncIterable<Buffer>, guess: EncodingGuess): Promise<TextInput> {
  const chunks = source[Symbol.asyncIterator]()
  const seen: Buffer[] = []
  for (let bytes = 0; bytes < LOOKED_AT_BYTES_MAX; ) {
    const next = await chunks.next()
    if (next.done) break
    guess.see(next.value)
    bytes += next.value.length
    seen.push(next.value)
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* seen
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  const encoding = guess.encoding()
  return { encoding, pieces: decoded(all(), encoding) }
}

async function* decoded(chunks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = createTextDecoder(encoding)
  for await (const chunk of chunks) yield decoder.push(chunk)
  yield decoder.end()
}
