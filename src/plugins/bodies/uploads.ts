// Reads multipart/form-data for the operations that accept a file. The file goes into the blob store as it arrives; the rest is a body like any
// other. Only a few run at once, because each holds a connection and the disk for as long as its client likes.
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { Clock } from '../../lib/clock.ts'
import { createEncodingGuess } from '../../lib/csv/text-encoding.ts'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { createBytePace } from '../../lib/limits/byte-pace.ts'
import { UPLOAD_MS_MAX } from '../../lib/limits/upload-time.ts'
import type { Upload, UploadedFile } from '../../routes/operation.ts'
import { formBody, listFields } from '../../schemas/bodies/form-body.ts'
import { type Patience, type Repeat, readForm } from './multipart-form.ts'

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
    const upload = uploadOf(request)
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
    if (!uploadOf(request) || request.raw.complete || reply.getHeader('connection') !== 'close') return
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
    const upload = uploadOf(request)
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
      if (form.file) hold(request, { blobKey, bytes: form.file.bytes, encoding: encoding.encoding() })
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
        if (owner === 'nobody') throw new Failure('unreadableBody', 'The connection ended before the file was taken.')
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
export const uploadOf = ({ routeOptions: { config } }: FastifyRequest): Upload | undefined => config.upload ?? config.operation?.upload

const isDue = (chunk: Buffer, bytes: number): boolean => bytes % DISK_LOOKED_AT_EVERY_BYTES < chunk.length

const isForm = ({ headers }: FastifyRequest): boolean => /^multipart\/form-data *(;|$)/i.test(headers['content-type'] ?? '')

const tooLarge = ({ part, bytesMax }: Upload): Failure =>
  new Failure('bodyTooLarge', `The \`${part}\` field is too large: at most ${bytesMax / MIB} MB are taken. Send it in several files.`)

const lowDisk = (): Failure =>
  new Failure('unavailable', 'The server is almost out of disk space and takes no files.', {
    retryAfterSeconds: FULL_DISK_RETRY_AFTER_SECONDS,
  })
