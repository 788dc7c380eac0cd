import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readImageHeader } from '../../../../src/modules/images/processing/image-headers.ts'
import { gif, JPEG, png, pngChunk, WEBP } from '../../../support/builders/images.ts'

const UNKNOWN = { problem: 'must be a PNG, JPEG, GIF or WebP image' }
const DAMAGED = { problem: 'must be a whole image: this one is damaged, or a part of it is missing' }
const SVG = { problem: 'must be a PNG, JPEG, GIF or WebP image: an SVG is not accepted, because it can hold programs' }

/** An animation of lossy frames, without pixels. */
function animatedWebp(frames: number, { width = 10, height = 20 } = {}): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(data.length)
    return Buffer.concat([Buffer.from(type), length, data])
  }
  const size = Buffer.alloc(6)
  size.writeUIntLE(width - 1, 0, 3)
  size.writeUIntLE(height - 1, 3, 3)
  const canvas = chunk('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), size]))
  const frame = chunk('ANMF', Buffer.concat([Buffer.alloc(6), size, Buffer.alloc(4)]))
  const body = Buffer.concat([Buffer.from('WEBP'), canvas, ...Array.from({ length: frames }, () => frame)])
  return Buffer.concat([chunk('RIFF', body)])
}

describe('the header of an image', () => {
  it.each([
    ['a PNG', png({ width: 300, height: 200 }), { type: 'image/png', width: 300, height: 200, frames: 1, isLossless: true }],
    ['a JPEG', JPEG, { type: 'image/jpeg', width: 8, height: 8, frames: 1, isLossless: false }],
    ['a GIF', gif({ width: 7, height: 5 }), { type: 'image/gif', width: 7, height: 5, frames: 1, isLossless: true }],
    ['an animated GIF', gif({ delays: [10, 20, 30] }), { type: 'image/gif', width: 2, height: 2, frames: 3, isLossless: true }],
    ['a lossless WebP', WEBP, { type: 'image/webp', width: 1, height: 1, frames: 1, isLossless: true }],
    ['an animated WebP', animatedWebp(4), { type: 'image/webp', width: 10, height: 20, frames: 4, isLossless: false }],
  ])('says of %s what it is', (_what, file, header) => {
    expect(readImageHeader(file)).toEqual(header)
  })

  it('counts a frame that reaches beyond the screen of a GIF', () => {
    const file = gif({ width: 2, height: 2 })
    const place = file.indexOf(0x2c)
    file.writeUInt16LE(60_000, place + 5)
    expect(readImageHeader(file)).toMatchObject({ width: 60_000, height: 2 })
  })

  it.each([
    ['an SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), SVG],
    ['an SVG with a mark and spaces before it', Buffer.from('\ufeff\n <!-- a --> <svg:svg >'), SVG],
    ['HTML', Buffer.from('<!doctype html><p>Hello</p>'), UNKNOWN],
    ['nothing', Buffer.alloc(0), UNKNOWN],
    ['a BMP', Buffer.from('BM6\0\0\0'), UNKNOWN],
    ['a TIFF', Buffer.from('II*\0\x08\0\0\0', 'latin1'), UNKNOWN],
    ['a PNG without its header', Buffer.concat([png().subarray(0, 8), pngChunk('IDAT', Buffer.alloc(4))]), DAMAGED],
    ['a PNG that has no pixels', png({ width: 0, height: 0 }), DAMAGED],
    ['the beginning of a JPEG', JPEG.subarray(0, 30), DAMAGED],
    ['the beginning of a GIF', gif().subarray(0, 30), DAMAGED],
    ['the beginning of a WebP', WEBP.subarray(0, 30), DAMAGED],
    ['an animated WebP without frames', animatedWebp(0), DAMAGED],
    [
      'an animated PNG',
      png({ chunks: [pngChunk('acTL', Buffer.alloc(8))] }),
      { problem: 'may not be an animated PNG: make it a GIF or WebP, which stay animated' },
    ],
  ])('refuses %s', (_what, file, problem) => {
    expect(readImageHeader(file)).toEqual(problem)
  })

  it('ends whatever follows the beginning of a format, and never throws', () => {
    const beginnings = [
      png().subarray(0, 33),
      JPEG.subarray(0, 20),
      gif().subarray(0, 13),
      animatedWebp(1).subarray(0, 30),
      Buffer.alloc(0),
    ]
    fc.assert(
      fc.property(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 2_000 }), (beginning, rest) => {
        const header = readImageHeader(Buffer.concat([beginning, rest]))
        expect('problem' in header || header.width * header.height * header.frames > 0).toBe(true)
      }),
    )
  })

  it('takes no longer for frames within frames', () => {
    const nested = Buffer.concat(
      Array.from({ length: 100_000 }, () => Buffer.concat([Buffer.from('ANMF'), Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(16)])),
    )
    const size = Buffer.alloc(4)
    size.writeUInt32LE(nested.length + 22)
    const canvas = animatedWebp(0).subarray(12)
    expect(readImageHeader(Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), canvas, nested]))).toMatchObject({ frames: 1 })
  })
})
