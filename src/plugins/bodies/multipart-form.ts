// Splits a body of multipart/form-data (RFC 7578) into its parts: one file, which is streamed, and short texts, in any order.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { Failure, invalid } from '../../lib/failure.ts'

const TEXT_BYTES_MAX = 64 * 1024
/** Names of texts. A list has one part for each of its items, or one with all of them. */
const TEXTS_MAX = 20
const TEXT_PARTS_MAX = 500
/** All texts together. They are held in memory. */
const TEXTS_BYTES_MAX = 1024 * 1024
const PART_HEADERS_MAX = 20
const PART_HEADERS_BYTES_MAX = 8 * 1024

export type FormOptions = {
  /** The name of the part that is the file. */
  part: string
  /** Names of texts that may be there several times. */
  lists: ReadonlySet<string>
  bytesMax: number
  patience: Patience
  tooLarge: () => Failure
  store: (content: Readable) => Promise<{ bytes: number }>
  /** Called with each piece of the file, and the bytes so far, before it is stored. */
  see: (chunk: Buffer, bytes: number) => Promise<void>
}

export type Repeat = (act: () => void) => () => void

export type Patience = {
  /** Called with the bytes of the body, file or not. */
  arrived(bytes: number): void
  /** The client waits for our disk, and that time does not count against it. */
  excuse(): void
  /** Why the rest is not waited for; null while it is. */
  end(): Failure | null
  /** Calls this again and again, until the function that it returns is called. */
  repeat: Repeat
}

export type Form = { file: { bytes: number } | null; fields: Map<string, string[]> }

/** When this has ended, whether it succeeded or not, nothing of the file is still being written. */
export async function readForm(request: IncomingMessage, options: FormOptions): Promise<Form> {
  const { part, lists, bytesMax, patience, tooLarge, store, see } = options
  const parser = parserOf(request, part, bytesMax)
  const fields = new Map<string, string[]>()
  let textBytes = 0
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>()
  let file: BusboyFileStream | null = null
  let storing: Promise<{ bytes: number }> | null = null
  let hasFailed = false
  /** A piece of the file waits for our disk. */
  let isStoreBusy = false

  function fail(error: unknown): void {
    if (hasFailed) return
    hasFailed = true
    request.unpipe(parser)
    file?.destroy(error instanceof Error ? error : new Error('The form could not be read'))
    reject(error)
  }

  async function* seen(content: BusboyFileStream): AsyncGenerator<Buffer> {
    let bytes = 0
    isStoreBusy = false
    for await (const chunk of content) {
      isStoreBusy = true
      bytes += chunk.length
      await see(chunk, bytes)
      yield chunk
      isStoreBusy = false
    }
  }

  parser.on('file', (_name, content) => {
    // The reader of the stream receives the error.
    content.on('error', () => {})
    // The parser continues to the end of its chunk, and a part that begins after a failure never ends.
    if (hasFailed) return
    file = content
    content.on('limit', () => fail(tooLarge()))
    isStoreBusy = true
    storing = store(Readable.from(seen(content), { objectMode: false }))
    storing.catch(fail)
  })
  parser.on('field', (name, text, _isNameCut, isCut) => {
    const texts = fields.get(name) ?? []
    textBytes += Buffer.byteLength(text)
    if (isCut) fail(invalid(`The \`${shown(name)}\` field must have at most ${TEXT_BYTES_MAX / 1024} KB.`))
    else if (textBytes > TEXTS_BYTES_MAX)
      fail(invalid(`The fields besides the file must have at most ${TEXTS_BYTES_MAX / 1024} KB together.`))
    else if (texts.length > 0 && !lists.has(name)) fail(invalid(`The \`${shown(name)}\` field is there twice.`))
    else if (texts.length === 0 && fields.size === TEXTS_MAX) fail(invalid(`The request body has more than ${TEXTS_MAX} fields.`))
    else fields.set(name, [...texts, text])
  })
  parser.on('filesLimit', () => fail(invalid(`The \`${part}\` field is there twice: send one file.`)))
  parser.on('fieldsLimit', () => fail(invalid(`The request body has more than ${TEXT_PARTS_MAX} parts.`)))
  parser.on('error', (error) => fail(new Failure('unreadableBody', NOT_A_FORM, { cause: error })))
  parser.on('finish', resolve)
  const onGone = () => {
    if (!request.readableEnded) fail(request.errored ?? new Failure('unreadableBody', NOT_A_FORM))
  }
  request.once('error', fail)
  request.once('close', onGone)
  const onData = (chunk: Buffer) => patience.arrived(chunk.length)
  const stopJudging = patience.repeat(() => {
    if (isStoreBusy) patience.excuse()
    const failure = patience.end()
    if (failure) fail(failure)
  })
  request.on('data', onData)
  request.pipe(parser)
  // A client that has disconnected already is not announced again.
  if (request.destroyed) onGone()
  try {
    await parsed
    return { file: await storing, fields }
  } catch (error) {
    await Promise.allSettled([storing])
    throw error
  } finally {
    stopJudging()
    request.off('data', onData)
    request.off('close', onGone)
    request.off('error', fail)
    // A late error of a parser without listeners would end the process.
    parser.on('error', () => {})
  }
}

const NOT_A_FORM = 'The request body is not valid multipart/form-data.'

function parserOf({ headers }: IncomingMessage, part: string, bytesMax: number) {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      // Recognized by its name, because some clients give the file no file name, and others give the texts one.
      isPartAFile: (name) => name === part,
      limits: {
        fieldSize: TEXT_BYTES_MAX,
        fields: TEXT_PARTS_MAX,
        files: 1,
        fileSize: bytesMax,
        headerPairs: PART_HEADERS_MAX,
        headerSize: PART_HEADERS_BYTES_MAX,
      },
    })
  } catch (error) {
    throw new Failure('unreadableBody', NOT_A_FORM, { cause: error })
  }
}

const NAME_SHOWN_LENGTH_MAX = 60
const shown = (name: string): string => name.slice(0, NAME_SHOWN_LENGTH_MAX).toWellFormed()
