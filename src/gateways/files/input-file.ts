import { open } from 'node:fs/promises'

/** The text of a file, in UTF-8, piece by piece; `-` is standard input. */
export async function* textOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const source = path === '-' ? process.stdin : (await open(path)).createReadStream()
  for await (const chunk of source) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
