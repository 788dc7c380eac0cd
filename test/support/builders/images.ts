// Small images, made here byte by byte, so that a test says what is in them.
import { crc32, deflateSync } from 'node:zlib'
import type { TestService } from '../servers/service.ts'

/** A PNG of one color. */
export function png({ width = 4, height = 3, chunks = [] as Buffer[] } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * width, 0x40)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return Buffer.concat([PNG_START, pngChunk('IHDR', header), ...chunks, pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))])
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A GIF of two colors, whose frames are shown for different times. */
export function gif({ width = 2, height = 2, delays = [0], comment = '' } = {}): Buffer {
  const screen = Buffer.alloc(7)
  screen.writeUInt16LE(width, 0)
  screen.writeUInt16LE(height, 2)
  screen[4] = 0x80
  const colors = Buffer.from([0, 0, 0, 255, 255, 255])
  const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([3, 1, 0, 0, 0])])
  const said = comment === '' ? [] : [Buffer.from([0x21, 0xfe, comment.length]), Buffer.from(comment, 'latin1'), Buffer.from([0])]
  const frames = delays.map((delay, index) => gifFrame({ width, height, delay, color: index % 2 }))
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    colors,
    ...(delays.length > 1 ? [loop] : []),
    ...said,
    ...frames,
    Buffer.from([0x3b]),
  ])
}

function gifFrame({ width, height, delay, color }: { width: number; height: number; delay: number; color: number }): Buffer {
  const control = Buffer.from([0x21, 0xf9, 4, 0, delay & 255, delay >> 8, 0, 0])
  const place = Buffer.alloc(10)
  place[0] = 0x2c
  place.writeUInt16LE(width, 5)
  place.writeUInt16LE(height, 7)
  // Codes of three bits, which are begun anew before each pixel, so that they stay so short.
  const codes = Array.from({ length: width * height }, () => [4, color])
    .flat()
    .concat(5)
  const bits = codes.map((code) => code.toString(2).padStart(3, '0').split('').reverse().join('')).join('')
  const data = Buffer.from(
    (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0').split('').reverse().join(''), 2)),
  )
  const blocks: Buffer[] = []
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255)
    blocks.push(Buffer.from([block.length]), block)
  }
  return Buffer.concat([control, place, Buffer.from([2]), ...blocks, Buffer.from([0])])
}

/** A JPEG of 8 x 8 gray pixels, with a comment and a place where it was taken. */
export const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
  'base64',
)

/** A lossless WebP of one white pixel. */
export const WEBP = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

/** A WebP of one color takes as few bytes, however large it is. */
export function largeWebp({ width, height }: { width: number; height: number }): Buffer {
  const file = Buffer.from(WEBP)
  const at = file.indexOf('VP8L') + 9
  file.writeUInt32LE(((file.readUInt32LE(at) & 0xf0000000) | ((height - 1) << 14) | (width - 1)) >>> 0, at)
  return file
}

export const IMAGE_IN_BASE64 = png().toString('base64')

export type StoredImage = { id: string; url: string; content_type: string; width: number; height: number; frames: number; bytes: number }

export async function storeImage(
  { call }: Pick<TestService, 'call'>,
  content: Buffer,
  fields: Record<string, unknown> = {},
): Promise<StoredImage> {
  const { status, body, text } = await call('POST', '/images', { body: { content: content.toString('base64'), ...fields } })
  if (status !== 201) throw new Error(`The image was not stored: ${text}`)
  return body as StoredImage
}

/** What anyone gets at its address. */
export async function showImage({ url: service }: Pick<TestService, 'url'>, address: string, init: RequestInit = {}) {
  const response = await fetch(`${service}${new URL(address).pathname}`, init)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
