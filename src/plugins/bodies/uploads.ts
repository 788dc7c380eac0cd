// Reads multipart/form-data for the operations that accept a file. The file goes into the blob store as it arrives; the rest is a body like any
// other. Only a few run at once, because each holds a connection and the disk for as long as its client likes.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Upload, UploadedFile } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { formBody, listFields } from '../../http/validation/form-body.ts'
import { UPLOAD_MS_MAX } from '../../io/blobs/blob-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { createEncodingGuess } from '../../lib/csv/text-encoding.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { createBytePace } from '../../lib/limits/bytes.ts'

type Context = PlatformContext

// Splits a body of multipart/form-data (RFC 7578) into its parts: one file, which is streamed, and short texts, in any order.

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

export type Form = { file: { name: string | null; bytes: number } | null; fields: Map<string, string[]> }

/** When this has ended, whether it succeeded or not, nothing of the file is still being written. */
export async function readForm(request: IncomingMessage, options: FormOptions): Promise<Form> {
  const { part, lists, bytesMax, patience, tooLarge, store, see } = options
  const parser = createParser(request, part, bytesMax)
  const fields = new Map<string, string[]>()
  let textBytes = 0
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>()
  let file: BusboyFileStream | null = null
  let storing: Promise<NonNullable<Form['file']>> | null = null
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

  parser.on('file', (_name, content, filename: string | undefined) => {
    // The reader of the stream receives the error.
    content.on('error', () => {})
    // The parser continues to the end of its chunk, and a part that begins after a failure never ends.
    if (hasFailed) return
    file = content
    content.on('limit', () => fail(tooLarge()))
    isStoreBusy = true
    storing = store(Readable.from(seen(content), { objectMode: false })).then(({ bytes }) => ({ name: filename || null, bytes }))
    storing.catch(fail)
  })
  parser.on('field', (name, text, _isNameCut, isCut) => {
    const texts = fields.get(name) ?? []
    textBytes += Buffer.byteLength(text)
    if (isCut) fail(invalid(`The \`${shown(name)}\` field must have at most ${TEXT_BYTES_MAX / 1024} KB.`))
    else if (textBytes > TEXTS_BYTES_MAX)
      fail(invalid(`The fields besides the file must have at most ${TEXTS_BYTES_MAX / 1024} KB together.`))
    else if (texts.length > 0 && !lists.has(name)) fail(invalid(`The \`${shown(name)}\` field is given twice. Give it once.`))
    else if (texts.length === 0 && fields.size === TEXTS_MAX) fail(invalid(`The request body has more than ${TEXTS_MAX} fields.`))
    else fields.set(name, [...texts, text])
  })
  parser.on('filesLimit', () => fail(invalid(`The \`${part}\` field is given twice: send one file.`)))
  parser.on('fieldsLimit', () => fail(invalid(`The request body has more than ${TEXT_PARTS_MAX} parts.`)))
  parser.on('error', (error) => fail(new Failure('malformedRequest', NOT_A_FORM, { cause: error })))
  parser.on('finish', resolve)
  const onGone = () => {
    if (!request.readableEnded) fail(request.errored ?? new Failure('malformedRequest', NOT_A_FORM))
  }
  request.once('error', fail)
  request.once('close', onGone)
  const onData = (chunk: Buffer) => patience.arrived(chunk.length)
  const stopChecking = patience.repeat(() => {
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
    stopChecking()
    request.off('data', onData)
    request.off('close', onGone)
    request.off('error', fail)
    // A late error of a parser without listeners would end the process.
    parser.on('error', () => {})
  }
}

const NOT_A_FORM = 'The request body is not valid multipart/form-data.'

function createParser({ headers }: IncomingMessage, part: string, bytesMax: number) {
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
    throw new Failure('malformedRequest', NOT_A_FORM, { cause: error })
  }
}

const NAME_SHOWN_LENGTH_MAX = 60
const shown = (name: string): string => name.slice(0, NAME_SHOWN_LENGTH_MAX).toWellFormed()

const MIB = 1024 * 1024
const UPLOADS_MAX = 4
/** Slow clients of one team leave room for the others. */
const UPLOADS_PER_TEAM_MAX = 2
/** A slower sender would hold a place for next to nothing. */
const UPLOAD_BYTES_PER_SECOND_MIN = 4 * 1024
/**
 * How far an upload may fall behind that pace: a phone that changes networks is silent for a while. It is also the longest silence. An upload that
 * slows down to half the pace ends within twice this time, however much it sent before.
 */
const BEHIND_MS_MAX = 30_000
const JUDGED_EVERY_MS = 1_000
/** The disk is checked again after this many bytes. */
const DISK_LOOKED_AT_EVERY_BYTES = 8 * MIB
const FULL_DISK_RETRY_AFTER_SECONDS = 60
const RETRY_AFTER_SECONDS = 5

/** `repeat` calls what judges the pace of an upload. */
export type UploadOptions = { repeat?: Repeat }

/** Sockets that carry a file. The time limit of an upload applies to them, and not that of a request. */
const uploading = new WeakSet<Socket>()

export const isUploading = (socket: Socket): boolean => uploading.has(socket)

export function uploads(app: FastifyInstance, { gateways, clock }: Context, { repeat = everySecond }: UploadOptions = {}): void {
  const running = new Map<FastifyRequest, string>()
  /** Files that are being written or removed. */
  const atWork = new Set<Promise<unknown>>()
  /** What happens to a file that has arrived when its request is over. */
  const endings = new WeakMap<FastifyRequest, () => void>()

  app.decorateRequest('upload', undefined)
  app.addHook('preParsing', async (request, reply) => {
    const upload = findUpload(request)
    if (!upload) return
    if (!isForm(request))
      throw new Failure('unsupportedMediaType', 'The request body must be sent with `Content-Type: multipart/form-data`.')
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > upload.bytesMax) throw tooLarge(upload)
    if (await gateways.diskSpace.isLow()) throw lowDisk()
    const team = request.routeOptions.config.upload?.teamOf(request) ?? request.holder?.teamId ?? ''
    const ofTeam = [...running.values()].filter((one) => one === team).length
    if (running.size >= UPLOADS_MAX || ofTeam >= UPLOADS_PER_TEAM_MAX) {
      // The body is not read, and would be taken for the next request, so the connection ends.
      reply.header('connection', 'close')
      throw new Failure('unavailable', 'Other files are being uploaded already. Please try again in a few seconds.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    running.set(request, team)
    const { socket } = request.raw
    uploading.add(socket)
    const leave = () => {
      running.delete(request)
      uploading.delete(socket)
      endings.get(request)?.()
    }
    reply.raw.once('close', leave)
    // A connection that ended earlier, while the key was looked up, does not announce its end again.
    if (socket.destroyed) leave()
  })
  app.addHook('onSend', async (request, reply) => {
    if (!findUpload(request) || request.raw.complete || reply.getHeader('connection') !== 'close') return
    // The place is free by then, but the time limit of a request still does not apply to the rest of the file (plugins/bodies/unread-body.ts).
    reply.raw.once('close', () => uploading.add(request.raw.socket))
  })

  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest) => untilClosing(receive(request)))
  // The process may end as soon as the service has closed, so nothing of an interrupted upload may remain.
  app.addHook('onClose', async () => {
    await Promise.allSettled(atWork)
  })

  async function receive(request: FastifyRequest): Promise<unknown> {
    const { operation } = request.routeOptions.config
    const upload = findUpload(request)
    if (!upload) throw new Failure('unsupportedMediaType', 'The request body must be sent with `Content-Type: application/json`.')
    const blobKey = createId()
    const encoding = createEncodingGuess(`The \`${upload.part}\` field`)
    try {
      const form = await readForm(request.raw, {
        ...upload,
        lists: listFields(operation?.body),
        patience: createPatience(clock, repeat),
        tooLarge: () => tooLarge(upload),
        store: (content) => gateways.blobs.put(blobKey, content),
        async see(chunk, bytes) {
          encoding.see(chunk)
          if (isDue(chunk, bytes) && (await gateways.diskSpace.isLow())) throw lowDisk()
        },
      })
      if (form.file) hold(request, { blobKey, ...form.file, encoding: encoding.encoding() })
      // The parts are checked for characters that cannot be stored, whether they were escaped or not.
      request.hasEscapes = true
      return formBody(form.fields, operation?.body, { ...(form.file && { [upload.part]: `${form.file.bytes} bytes` }) })
    } catch (error) {
      await gateways.blobs.discard([blobKey])
      throw error
    }
  }

  async function untilClosing<Result>(work: Promise<Result>): Promise<Result> {
    atWork.add(work)
    return work.finally(() => atWork.delete(work))
  }

  function hold(request: FastifyRequest, file: ReturnType<UploadedFile['take']>): void {
    let owner: 'request' | 'handler' | 'nobody' = 'request'
    request.upload = {
      take() {
        if (owner === 'nobody') throw new Failure('malformedRequest', 'The connection ended before the file was taken.')
        owner = 'handler'
        return file
      },
    }
    endings.set(request, () => {
      if (owner !== 'request') return
      owner = 'nobody'
      untilClosing(gateways.blobs.remove(file.blobKey)).catch((error) => request.log.warn({ err: error }, 'upload not removed'))
    })
    if (request.raw.socket.destroyed) endings.get(request)?.()
  }
}

function createPatience(clock: Clock, repeat: Repeat): Patience {
  const startedAtMs = clock.monotonicMs()
  const { arrived, excuse, behindMs } = createBytePace({ bytesPerSecond: UPLOAD_BYTES_PER_SECOND_MIN, clock })
  return {
    arrived,
    excuse,
    repeat,
    end() {
      if (clock.monotonicMs() - startedAtMs > UPLOAD_MS_MAX) return new Failure('requestTimeout', TOO_LONG)
      return behindMs() > BEHIND_MS_MAX ? new Failure('requestTimeout', TOO_SLOW) : null
    },
  }
}

function everySecond(act: () => void): () => void {
  const timer = setInterval(act, JUDGED_EVERY_MS)
  return () => clearInterval(timer)
}

const TOO_LONG = `The file did not arrive within ${UPLOAD_MS_MAX / 60_000} minutes. Send it in several files.`
const TOO_SLOW = `The file arrives too slowly: at least ${UPLOAD_BYTES_PER_SECOND_MIN / 1024} KB a second are needed, and a pause may last ${BEHIND_MS_MAX / 1_000} seconds.`

/** The file that a request may bring; undefined if it may bring none. */
export const findUpload = ({ routeOptions: { config } }: FastifyRequest): Upload | undefined => config.upload ?? config.operation?.upload

const isDue = (chunk: Buffer, bytes: number): boolean => bytes % DISK_LOOKED_AT_EVERY_BYTES < chunk.length

const isForm = ({ headers }: FastifyRequest): boolean => /^multipart\/form-data *(;|$)/i.test(headers['content-type'] ?? '')

const tooLarge = ({ part, bytesMax }: Upload): Failure =>
  new Failure('bodyTooLarge', `The \`${part}\` field is too large: at most ${bytesMax / MIB} MB are accepted. Send it in several files.`)

const lowDisk = (): Failure =>
  new Failure('unavailable', 'The server is almost out of disk space and accepts no files. Please try again later.', {
    retryAfterSeconds: FULL_DISK_RETRY_AFTER_SECONDS,
  })
