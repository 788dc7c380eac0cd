// Takes a message apart as it is read (RFC 2045, 2046), in bounded memory whatever comes: files are passed on piece by piece.
import { once } from 'node:events'
import type { Readable, Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type MimeNode, Splitter, type SplitterChunk } from '@zone-eu/mailsplit'

/** Stores a file, and says how long it was. */
export type StoreFile = (content: Readable) => Promise<{ blobKey: string; bytes: number }>

/** `place`: of the part, from 0 in the order of the message. */
export type BodyPart = { kind: 'text' | 'html'; node: MimeNode; place: number; bytes: Buffer; isCut: boolean }
export type FilePart = { node: MimeNode; blobKey: string; bytes: number }

/** What a message may have too much of. `parts`: or too long a header in one. */
export type Excess = 'levels' | 'parts' | 'files' | 'text'

/** `excesses`: why something was left out. */
export type Parts = { root: MimeNode | null; nodes: number; bodies: BodyPart[]; files: FilePart[]; excesses: Set<Excess> }

/** A header of a message with ten thousand recipients has a third of it. */
export const HEAD_BYTES_MAX = 1024 * 1024
export const PARTS_MAX = 1_000
/** Each line that may end a part is compared with the boundaries of all levels above it. Programs write four levels, forwarding adds some. */
export const LEVELS_MAX = 20
/** Each is a file on the disk, which takes more room than a part of a few bytes. */
export const FILES_MAX = 200
/** The limit for all text, and for all HTML. Providers show a tenth of a megabyte. */
export const BODY_BYTES_MAX = 5 * 1024 * 1024
/** After so many parts of a message that is read whole, which waits for nothing, others get a turn. */
const PARTS_AT_ONCE = 50

/**
 * `watch` is shown each piece. `keepsNamed`: a text with a name is a file, even if it is not said to be attached.
 */
type SplitOptions = { watch?: ((chunk: SplitterChunk) => void) | undefined; keepsNamed?: boolean }

/**
 * @param message a small one can be handed in whole, which is quicker
 * @throws what the source throws, and what storing a file throws.
 */
export async function splitMessage(
  message: Readable | Buffer,
  storeFile: StoreFile,
  { watch, keepsNamed = false }: SplitOptions = {},
): Promise<Parts> {
  const source = Buffer.isBuffer(message) ? atOnce(message) : streamed(message)
  const parts: Parts = { root: null, nodes: 0, bodies: [], files: [], excesses: new Set() }
  const room = fullRoom()
  let sink = null as Sink | null
  try {
    for await (const chunk of source.chunks) {
      watch?.(chunk)
      if (chunk.type === 'node') {
        parts.root ??= chunk
        parts.nodes += 1
        await sink?.end()
        sink = null
        const excess = parts.nodes > PARTS_MAX ? 'parts' : isTooDeep(chunk) ? 'levels' : null
        if (excess !== null) {
          parts.excesses.add(excess)
          break
        }
        sink = chooseSink(chunk, { parts, room, storeFile, keepsNamed })
      } else if (sink !== null && sink.node === chunk.node && (chunk.type === 'body' || sink.takesAll)) await sink.write(chunk.value)
    }
  } catch (error) {
    if (source.failure !== null || !isTooMuch(error)) throw source.failure ?? error
    parts.excesses.add('parts')
  } finally {
    source.end()
    await sink?.end()
  }
  if (parts.bodies.some(({ isCut }) => isCut)) parts.excesses.add('text')
  return parts
}

/** How much more is kept of each kind. */
type Room = Record<BodyPart['kind'], number>
const fullRoom = (): Room => ({ text: BODY_BYTES_MAX, html: BODY_BYTES_MAX })

type Source = { chunks: AsyncIterable<SplitterChunk>; failure: unknown; end(): void }

const LIMITS = { ignoreEmbedded: true, maxHeadSize: HEAD_BYTES_MAX }

function streamed(message: Readable): Source {
  // With a limit of parts, those that no one has looked at yet would be discarded.
  const splitter = new Splitter({ ...LIMITS, maxChildNodes: Number.POSITIVE_INFINITY })
  const source: Source = { chunks: splitter, failure: null, end: () => void message.destroy() }
  message.once('error', (error) => {
    source.failure = error
    splitter.destroy(error)
  })
  message.pipe(splitter)
  return source
}

const atOnce = (message: Buffer): Source => ({
  chunks: new AtOnce({ ...LIMITS, maxChildNodes: PARTS_MAX }).split(message),
  failure: null,
  end: () => {},
})

/** Collects the chunks, because passing each on takes longer than splitting a small message. */
class AtOnce extends Splitter {
  /** That of the library. */
  declare maxChildNodes: number
  readonly #chunks: SplitterChunk[] = []

  override push(chunk: SplitterChunk | null): boolean {
    if (chunk === null) return false
    this.#chunks.push(chunk)
    // It ends at the next part, because no one looks at what follows.
    if (chunk.type === 'node' && isTooDeep(chunk)) this.maxChildNodes = 0
    return true
  }

  async *split(message: Buffer): AsyncGenerator<SplitterChunk> {
    const { promise: ended, resolve } = Promise.withResolvers<Error | null | undefined>()
    this._transform(message, 'latin1', (error) => {
      if (error) resolve(error)
      else this._flush(resolve)
    })
    const error = await ended
    let parts = 0
    for (const chunk of this.#chunks) {
      if (chunk.type === 'node') parts += 1
      if (chunk.type === 'node' && parts % PARTS_AT_ONCE === 0) await setImmediate()
      yield chunk
    }
    if (error) throw error
  }
}

function isTooDeep(node: MimeNode): boolean {
  let levels = 0
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode) levels += 1
  return levels > LEVELS_MAX
}

const isTooMuch = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EMAXLEN'

/** `takesAll`: also what stands outside of the parts. */
type Sink = { node: MimeNode; takesAll: boolean; write(bytes: Buffer): Promise<void>; end(): Promise<void> }

type SinkOptions = { parts: Parts; room: Room; storeFile: StoreFile; keepsNamed: boolean }

function chooseSink(node: MimeNode, { parts, room, storeFile, keepsNamed }: SinkOptions): Sink | null {
  if (node.multipart !== false) return node === parts.root ? unpartedSink(node, parts) : null
  const kind = keepsNamed && node.filename !== false ? null : bodyKind(node)
  if (kind !== null) return bodySink(node, { kind, parts, room, takesAll: false })
  if (parts.files.length < FILES_MAX) return fileSink(node, parts, storeFile)
  parts.excesses.add('files')
  return null
}

/** Null if it is a file. A text with a name is shown too, unless it is an attachment (RFC 2183, section 2). */
function bodyKind(node: MimeNode): 'text' | 'html' | null {
  const { contentType, disposition, filename } = node
  if (filename !== false && disposition !== false && disposition !== 'inline') return null
  if (disposition === 'attachment' || isInDigest(node)) return null
  if (contentType === 'text/html') return 'html'
  if (contentType === 'text/plain') return 'text'
  const isMediaType = contentType !== false && MEDIA_TYPE.test(contentType)
  return isMediaType || filename !== false || hasBoundary(node) ? null : 'text'
}

/** A type such as `text` is text (RFC 2045, section 5.2), unless a name shows that it is a file, or a boundary that it has parts. */
const hasBoundary = ({ headers }: MimeNode): boolean => headers !== false && /boundary/i.test(headers.getFirst('content-type'))

const MEDIA_TYPE = /^[!#$%&'*+.^_`{|}~0-9a-z-]{1,127}\/[!#$%&'*+.^_`{|}~0-9a-z-]{1,127}$/

/** A part of a digest that names no type is a message (RFC 2046, section 5.1.5). */
export const isInDigest = ({ parentNode, headers }: MimeNode): boolean =>
  parentNode !== false && parentNode.multipart === 'digest' && headers !== false && !headers.hasHeader('content-type')

/** A message may say that it has parts, and have none: then it is all text. */
function unpartedSink(node: MimeNode, parts: Parts): Sink {
  const sink = bodySink(node, { kind: 'text', parts: { ...parts, bodies: [] }, room: fullRoom(), takesAll: true })
  return {
    ...sink,
    async end() {
      await sink.end()
      if (parts.nodes === 1) parts.bodies.push(sink.body)
    },
  }
}

type BodyOptions = { kind: BodyPart['kind']; parts: Parts; room: Room; takesAll: boolean }

function bodySink(node: MimeNode, { kind, parts, room, takesAll }: BodyOptions) {
  const body: BodyPart = { kind, node, place: parts.nodes - 1, bytes: Buffer.alloc(0), isCut: false }
  const pieces: Buffer[] = []
  parts.bodies.push(body)
  const keep = (piece: Buffer) => {
    if (piece.length > room[kind]) body.isCut = true
    const kept = piece.subarray(0, room[kind])
    // A copy: the piece may be a view of a buffer that is many times its size.
    if (kept.length > 0) pieces.push(Buffer.from(kept))
    room[kind] -= kept.length
  }
  const decoder = node.encoding !== false && ENCODINGS.has(node.encoding) ? node.getDecoder().on('data', keep) : null
  return {
    node,
    takesAll,
    body,
    async write(bytes: Buffer) {
      if (decoder) await write(decoder, bytes)
      else keep(bytes)
    },
    async end() {
      if (decoder) await finish(decoder)
      body.bytes = Buffer.concat(pieces)
    },
  }
}

/** What is in another is as it came. */
const ENCODINGS: ReadonlySet<string> = new Set(['base64', 'quoted-printable'])

function fileSink(node: MimeNode, parts: Parts, storeFile: StoreFile): Sink {
  const decoder = node.getDecoder()
  // What fails is told by those who store it. Without a listener, it would end the process if they do not listen yet.
  decoder.on('error', () => {})
  const storing = storeFile(decoder)
  // The failure is seen at the end.
  storing.catch(() => decoder.destroy())
  return {
    node,
    takesAll: false,
    write: (bytes) => write(decoder, bytes),
    async end() {
      if (!decoder.destroyed) decoder.end()
      parts.files.push({ node, ...(await storing) })
    },
  }
}

/** The pieces are copied, because the splitter uses its buffer again. */
async function write(decoder: Transform, bytes: Buffer): Promise<void> {
  if (decoder.destroyed || decoder.write(Buffer.from(bytes))) return
  // Without the signal, the listeners of each wait would stay.
  const waiting = new AbortController()
  await Promise.race(['drain', 'close'].map((event) => once(decoder, event, { signal: waiting.signal })))
  waiting.abort()
}

async function finish(decoder: Transform): Promise<void> {
  const ended = once(decoder, 'end')
  decoder.end()
  await ended
}

/** Joins the lines that a mail program has broken so that they fit (RFC 3676). A quotation stays one, and so does a signature. */
export function unflowed(text: string, { deletesSpace }: { deletesSpace: boolean }): string {
  const paragraphs: string[][] = []
  let open: { depth: number; lines: string[] } | null = null
  for (const line of text.split('\n')) {
    const depth = depthOf(line)
    const content = unstuffed(line.slice(depth))
    const isSignature = content === '-- '
    const isFlowed = content.endsWith(' ') && !isSignature
    const piece = isFlowed && deletesSpace ? content.slice(0, -1) : content
    if (open !== null && open.depth === depth && !isSignature) open.lines.push(piece)
    else {
      open = { depth, lines: [depth === 0 ? piece : `${'>'.repeat(depth)} ${piece}`] }
      paragraphs.push(open.lines)
    }
    if (!isFlowed) open = null
  }
  return paragraphs.map((lines) => lines.join('')).join('\n')
}

function depthOf(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth += 1
  return depth
}

/** A space stands before what would look like something else. */
const unstuffed = (line: string): string => (line.startsWith(' ') ? line.slice(1) : line)
