// What a file says of itself before anything of it is decoded: its type by its content, its size, and how many frames it has. A small file can name
// a picture that takes gigabytes.
import { type Problem, problem } from '../../../lib/problem.ts'

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** `isLossless`: every pixel is stored as it is. */
export type ImageHeader = { type: ImageType; width: number; height: number; frames: number; isLossless: boolean }

export function readImageHeader(bytes: Uint8Array): ImageHeader | Problem {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = READERS.find(({ begins }) => begins(file))?.read
  const header = read ? read(file) : isSvg(file) ? SVG : UNKNOWN
  if ('problem' in header) return header
  return header.width > 0 && header.height > 0 && header.frames > 0 ? header : DAMAGED
}

const UNKNOWN = problem('must be a PNG, JPEG, GIF or WebP image')
const SVG = problem('must be a PNG, JPEG, GIF or WebP image: an SVG is not accepted, because it can hold programs')
const ANIMATED_PNG = problem('may not be an animated PNG: make it a GIF or WebP, which stay animated')
export const DAMAGED = problem('must be a whole image: this one is damaged, or a part of it is missing')

/** A file that ends in the middle has no more to say. */
class Ended extends Error {}

/** @throws Ended */
const byteAt = (file: Buffer, at: number): number => {
  const byte = file[at]
  if (byte === undefined) throw new Ended()
  return byte
}
const numberAt = (file: Buffer, at: number, bytes: 2 | 3 | 4, order: 'BE' | 'LE'): number => {
  if (at + bytes > file.length) throw new Ended()
  return order === 'BE' ? file.readUIntBE(at, bytes) : file.readUIntLE(at, bytes)
}

const orDamaged =
  (read: (file: Buffer) => ImageHeader | Problem) =>
  (file: Buffer): ImageHeader | Problem => {
    try {
      return read(file)
    } catch (error) {
      if (error instanceof Ended) return DAMAGED
      throw error
    }
  }

const startsWith = (start: Buffer) => (file: Buffer) => file.subarray(0, start.length).equals(start)
const isWebp = (file: Buffer) => file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP'
const READERS = [
  { begins: startsWith(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), read: orDamaged(readPng) },
  { begins: startsWith(Buffer.from([0xff, 0xd8, 0xff])), read: orDamaged(readJpeg) },
  { begins: (file: Buffer) => /^GIF8[79]a/.test(file.toString('latin1', 0, 6)), read: orDamaged(readGif) },
  { begins: isWebp, read: orDamaged(readWebp) },
]

/** More than any prologue with its comments has. */
const SVG_START_BYTES = 4_096

const isSvg = (file: Buffer): boolean => /<(?:\w+:)?svg[\s>]/i.test(file.toString('utf8', 0, SVG_START_BYTES))

/** PNG, section 5.3: chunks of a length, a type, data and a checksum. The first one has the size, and what is animated says so before its pixels. */
function readPng(file: Buffer): ImageHeader | Problem {
  if (file.toString('latin1', 12, 16) !== 'IHDR') return DAMAGED
  for (let at = 8; ; ) {
    const length = numberAt(file, at, 4, 'BE')
    const type = file.toString('latin1', at + 4, at + 8)
    if (type === 'acTL') return ANIMATED_PNG
    if (type === 'IDAT' || type === 'IEND') break
    at += length + 12
  }
  return { type: 'image/png', width: numberAt(file, 16, 4, 'BE'), height: numberAt(file, 20, 4, 'BE'), frames: 1, isLossless: true }
}

/** Markers of JPEG (ITU-T T.81, table B.1) that begin a frame, which has the size. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
/** Markers without data. */
const ALONE = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

function readJpeg(file: Buffer): ImageHeader | Problem {
  for (let at = 2; ; ) {
    if (byteAt(file, at) !== 0xff) return DAMAGED
    while (byteAt(file, at) === 0xff) at += 1
    const marker = byteAt(file, at)
    at += 1
    if (FRAMES.has(marker)) {
      const [height, width] = [numberAt(file, at + 3, 2, 'BE'), numberAt(file, at + 5, 2, 'BE')]
      return { type: 'image/jpeg', width, height, frames: 1, isLossless: false }
    }
    if (ALONE(marker)) continue
    at += numberAt(file, at, 2, 'BE')
  }
}

/** GIF89a: a screen, then blocks. A frame can reach beyond the screen, which grows with it. */
function readGif(file: Buffer): ImageHeader | Problem {
  const header = { type: 'image/gif' as const, width: numberAt(file, 6, 2, 'LE'), height: numberAt(file, 8, 2, 'LE'), frames: 0 }
  let at = 13 + colorTableBytes(byteAt(file, 10))
  const skipData = (): void => {
    for (let length = byteAt(file, at); length > 0; length = byteAt(file, at)) at += length + 1
    at += 1
  }
  for (;;) {
    const block = byteAt(file, at)
    at += 1
    if (block === 0x3b) break
    if (block === 0x21) {
      at += 1
      skipData()
    } else if (block === 0x2c) {
      header.frames += 1
      header.width = Math.max(header.width, numberAt(file, at, 2, 'LE') + numberAt(file, at + 4, 2, 'LE'))
      header.height = Math.max(header.height, numberAt(file, at + 2, 2, 'LE') + numberAt(file, at + 6, 2, 'LE'))
      at += 9 + colorTableBytes(byteAt(file, at + 8)) + 1
      skipData()
    } else return DAMAGED
  }
  return { ...header, isLossless: true }
}

const colorTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** WebP (RFC 9649): chunks within RIFF. Each of an animation has a frame, whose pixels are in chunks of its own. */
function readWebp(file: Buffer): ImageHeader | Problem {
  const end = Math.min(file.length, numberAt(file, 4, 4, 'LE') + 8)
  if (end < numberAt(file, 4, 4, 'LE') + 8) return DAMAGED
  const found = { width: 0, height: 0, frames: 0, isLossless: false }
  const isAnimated = file.toString('latin1', 12, 16) === 'VP8X' && (byteAt(file, 20) & 2) !== 0
  const grow = ({ width, height }: { width: number; height: number }): void => {
    found.width = Math.max(found.width, width)
    found.height = Math.max(found.height, height)
  }
  const read = (from: number, to: number, { isFrame = false } = {}): void => {
    for (let at = from; at + 8 <= to; ) {
      const type = file.toString('latin1', at, at + 4)
      const length = numberAt(file, at + 4, 4, 'LE')
      const data = at + 8
      if (type === 'VP8X') grow({ width: numberAt(file, data + 4, 3, 'LE') + 1, height: numberAt(file, data + 7, 3, 'LE') + 1 })
      if (type === 'VP8 ') grow({ width: numberAt(file, data + 6, 2, 'LE') & 0x3fff, height: numberAt(file, data + 8, 2, 'LE') & 0x3fff })
      if (type === 'VP8L') {
        const bits = numberAt(file, data + 1, 4, 'LE')
        grow({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 })
        found.isLossless = true
      }
      if (type === 'ANMF' && isAnimated && !isFrame) {
        found.frames += 1
        grow({ width: numberAt(file, data + 6, 3, 'LE') + 1, height: numberAt(file, data + 9, 3, 'LE') + 1 })
        read(data + 16, Math.min(to, data + length), { isFrame: true })
      }
      at = data + length + (length % 2)
    }
  }
  read(12, end)
  return { type: 'image/webp', ...found, frames: isAnimated ? found.frames : 1 }
}
