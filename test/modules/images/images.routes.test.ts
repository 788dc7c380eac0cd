import { describe, expect, it } from 'vitest'
import { sweepBlobs } from '../../../src/server/sweeps.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { gif, JPEG, png, pngChunk, showImage, storeImage, WEBP } from '../../support/builders/images.ts'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

const HTML = Buffer.from('<!doctype html><script>alert(document.domain)</script>')
const PLACE = 'GPS 51.5072,-0.1276'
/** What says how long a frame of a GIF is shown. */
const CONTROL = Buffer.from([0x21, 0xf9, 4])
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}\+00$/)

const storing = (content: Buffer, fields: Record<string, unknown> = {}) =>
  service.call('POST', '/images', { body: { content: content.toString('base64'), ...fields } })

/** A JPEG of 4 x 8 pixels that says where it was taken, and that the camera was turned. */
function photo(): Buffer {
  const entry = (tag: number, type: number, count: number, value: number) => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt16LE(tag, 0)
    bytes.writeUInt16LE(type, 2)
    bytes.writeUInt32LE(count, 4)
    bytes.writeUInt32LE(value, 8)
    return bytes
  }
  const [said, turned] = [entry(0x010e, 2, PLACE.length + 1, 38), entry(0x0112, 3, 1, 6)]
  const tiff = Buffer.concat([Buffer.from('II*\0\x08\0\0\0\x02\0', 'latin1'), said, turned, Buffer.alloc(4), Buffer.from(`${PLACE}\0`)])
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(exif.length + 2)
  const file = Buffer.from(JPEG)
  file.writeUInt16BE(4, file.indexOf(Buffer.from([0xff, 0xc0])) + 7)
  return Buffer.concat([file.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, exif, file.subarray(2)])
}

describe('an image', () => {
  it('says in how many templates and broadcasts it stands that may still be sent', async () => {
    const { id, url } = await storeImage(service, png())
    const html = `<img src="${url}" alt="">`
    const published = await publishedTemplate(service, { html })
    await createTemplate(service, { alias: 'other', html: '<p>x</p>', text: url })
    await createTemplate(service, { alias: 'none' })
    await createTemplate(service, { html }, { token: service.other.token })
    await createBroadcast(service, { html })
    const usesNow = async () => (await service.call('GET', `/images/${id}`)).body
    expect(await usesNow()).toMatchObject({ sent_broadcasts: 0, unsent_broadcasts: 1, templates: 2 })

    // What is sent of it is still what was published.
    await service.call('PATCH', `/templates/${published}`, { body: { html: '<p>x</p>' } })
    expect(await usesNow()).toMatchObject({ templates: 2 })
    await service.call('POST', `/templates/${published}/publish`)
    expect(await usesNow()).toMatchObject({ templates: 1 })
  })

  it('is stored, listed, retrieved, and shown to anyone at an address that no one can guess', async () => {
    const stored = await storing(png({ width: 6, height: 4 }), { name: 'Logo' })
    expect(stored).toMatchObject({ status: 201 })
    const image = stored.body as { id: string; url: string; bytes: number }
    expect(image).toEqual({
      ...{ object: 'image', id: image.id, name: 'Logo', url: expect.stringMatching(/^http:\/\/[^/]+\/media\/[\w-]{22}\.png$/) },
      ...{ content_type: 'image/png', width: 6, height: 4, frames: 1, bytes: expect.any(Number) },
      ...{ taken_down_at: null, taken_down_reason: null, created_at: TIME },
    })
    expect((await service.call('GET', `/images/${image.id}`)).body).toEqual({
      ...image,
      sent_broadcasts: 0,
      unsent_broadcasts: 0,
      templates: 0,
    })
    const { object: _, ...summary } = image as Record<string, unknown>
    expect((await service.call('GET', '/images?limit=1')).body).toMatchObject({ data: [summary] })

    const shown = await showImage(service, image.url, { headers: { cookie: 'posthaste_session=x', authorization: 'Bearer x' } })
    expect([shown.status, shown.bytes.length]).toEqual([200, image.bytes])
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(image.bytes),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(shown.headers.has('set-cookie')).toBe(false)
    const etag = shown.headers.get('etag') ?? ''
    expect((await showImage(service, image.url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await showImage(service, image.url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(image.bytes))
  })

  it('is of its content, whatever its name is, and called so if it has no name', async () => {
    expect(await storeImage(service, gif(), { name: 'photo.png' })).toMatchObject({ content_type: 'image/gif', name: 'photo.png' })
    expect(await storeImage(service, WEBP)).toMatchObject({ content_type: 'image/webp', name: 'Image' })
    expect((await storing(png(), { content: `data:image/png;base64,${png().toString('base64')}` })).status).toBe(422)
  })

  it.each([
    ['a PNG', png()],
    ['a JPEG', JPEG],
    ['a GIF', gif()],
    ['a WebP', WEBP],
  ])('loses what follows the picture in the file: HTML after %s', async (_what, file) => {
    const { url } = await storeImage(service, Buffer.concat([file, HTML]))
    const { bytes, headers } = await showImage(service, url)
    expect(bytes.includes('script')).toBe(false)
    expect(headers.get('content-type')).toMatch(/^image\//)
  })

  it.each([
    ['a PNG', png({ chunks: [pngChunk('tEXt', Buffer.from(`Comment\0${PLACE}`))] })],
    ['a JPEG', photo()],
    ['a GIF', gif({ comment: PLACE })],
  ])('loses its metadata: %s', async (_what, file) => {
    expect(file.includes(PLACE)).toBe(true)
    const { url } = await storeImage(service, file)
    expect((await showImage(service, url)).bytes.includes(PLACE)).toBe(false)
  })

  it('is turned as its camera was', async () => {
    expect(await storeImage(service, photo())).toMatchObject({ width: 8, height: 4 })
  })

  it('stays animated, with the time of each frame', async () => {
    const image = await storeImage(service, gif({ delays: [10, 20, 30] }))
    expect(image).toMatchObject({ frames: 3, width: 2, height: 2 })
    const { bytes } = await showImage(service, image.url)
    const delays: number[] = []
    for (let at = bytes.indexOf(CONTROL); at !== -1; at = bytes.indexOf(CONTROL, at + 1))
      delays.push(bytes.readUInt16LE(at + CONTROL.length + 1))
    expect(delays).toEqual([10, 20, 30])
  })

  it.each([
    ['a PNG that would have 30,000 x 30,000 pixels', () => png({ width: 1, height: 1 }), 'It has 30000 x 30000'],
    ['a GIF with too many frames', () => gif({ delays: Array.from({ length: 300 }, () => 1) }), 'in 300 frames'],
  ])('is refused before anything of it is decoded: %s', async (_what, make, says) => {
    const file = make()
    if (file.includes('IHDR')) {
      file.writeUInt32BE(30_000, 16)
      file.writeUInt32BE(30_000, 20)
    } else for (let at = file.indexOf(0x2c); at !== -1; at = file.indexOf(0x2c, at + 1)) file.writeUInt16LE(60_000, at + 5)
    const before = performance.now()
    const { status, body } = await storing(file)
    expect([status, (body as { message: string }).message]).toEqual([422, expect.stringContaining(says)])
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  it.each([
    ['an SVG with another name', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'an SVG is not accepted'],
    ['HTML', HTML, 'must be a PNG, JPEG, GIF or WebP image'],
    ['an animated PNG', png({ chunks: [pngChunk('acTL', Buffer.alloc(8))] }), 'may not be an animated PNG'],
    ['a truncated PNG', png({ width: 200, height: 200 }).subarray(0, 100), 'a part of it is missing'],
    ['a truncated JPEG', JPEG.subarray(0, -4), 'a part of it is missing'],
    ['a truncated GIF', gif({ width: 40, height: 40 }).subarray(0, 400), 'a part of it is missing'],
    ['a truncated WebP', WEBP.subarray(0, -4), 'a part of it is missing'],
    ['a PNG whose pixels are no pixels', png().fill(0xff, 45, 60), 'this one is damaged'],
    ['more than 10 MB', Buffer.concat([png(), Buffer.alloc(10 * 1024 * 1024)]), 'may have at most 10 MB'],
    ['nothing', Buffer.alloc(0), 'must be a PNG, JPEG, GIF or WebP image'],
  ])('is refused if it is %s', async (_what, file, says) => {
    const { status, body } = await storing(file, { name: 'logo.png' })
    expect([status, (body as { message: string }).message]).toEqual([422, expect.stringContaining(says)])
  })

  it('is not there for another team, nor at another address', async () => {
    const { id, url } = await storeImage(service, png())
    const { token } = service.other
    for (const method of ['GET', 'DELETE'])
      expect(await service.call(method, `/images/${id}`, { token })).toMatchObject({ status: 404, body: { message: 'Image not found' } })
    expect((await service.call('GET', '/images', { token })).text).not.toContain(id)
    for (const address of [url.replace('.png', '.gif'), url.replace(/.\.png/, '.png'), `${url}.png`, url.replace('.png', '')]) {
      const answer = await showImage(service, address)
      expect([address, answer.status, answer.headers.get('cache-control')]).toEqual([address, 404, 'no-store'])
    }
    expect((await showImage(service, url)).status).toBe(200)
  })

  it('is gone once it was deleted, with its file', async () => {
    const { id, url } = await storeImage(service, png())
    const [row] = await service.database.execute<{ key: string }>('select blob_key as key from images where id = $1', [id])
    expect(await service.call('DELETE', `/images/${id}`)).toMatchObject({
      status: 200,
      body: { object: 'image', id, deleted: true, sent_broadcasts: 0 },
    })
    expect((await showImage(service, url)).status).toBe(404)
    expect((await service.call('DELETE', `/images/${id}`)).status).toBe(404)
    expect((await service.call('GET', `/images/${UNKNOWN_ID}`)).status).toBe(404)
    expect(await service.service.context.gateways.blobs.size(row?.key ?? '')).toBeNull()
  })

  it('is left by the sweep of files, and counts for the stored bytes of its team', async () => {
    const { teamLimits, teamStorage, teams } = service.service.context.repositories
    const { id } = await teams.create('Team with images')
    await teamLimits.setAcrossTeams(id, { stored_bytes: 1_000 })
    const own = {
      call: async (method: string, path: string, options = {}) =>
        service.call(method, path, { token: await service.createKey(id), ...options }),
    }
    const image = await storeImage(own, png())
    expect(await teamStorage.used(id)).toBe(image.bytes)
    clock.advance(3 * 24 * 3_600_000)
    await sweepBlobs(service.service.context)
    clock.advance(-3 * 24 * 3_600_000)
    expect((await showImage(service, image.url)).status).toBe(200)

    await teamLimits.setAcrossTeams(id, { stored_bytes: image.bytes + 10 })
    const full = await own.call('POST', '/images', { body: { content: png().toString('base64') } })
    expect(full).toMatchObject({ status: 403, body: { message: expect.stringContaining('10 of them are left') } })
    await own.call('DELETE', `/images/${image.id}`)
    expect(await teamStorage.used(id)).toBe(0)
  })

  it('is shown while its team is suspended, which can store none', async () => {
    const { teams } = service.service.context.repositories
    const { id } = await teams.create('Team that is suspended')
    const token = await service.createKey(id)
    const own = { call: (method: string, path: string, options = {}) => service.call(method, path, { token, ...options }) }
    const { url } = await storeImage(own, png())
    await teams.suspend(id, 'Unpaid.')
    expect((await showImage(service, url)).status).toBe(200)
    expect((await own.call('POST', '/images', { body: { content: png().toString('base64') } })).status).toBe(403)
  })
})

describe('the logo of a team', () => {
  it('is one of its images, and goes with that', async () => {
    const { id, url } = await storeImage(service, png())
    expect(await service.call('PATCH', '/team', { body: { logo_id: id } })).toMatchObject({
      status: 200,
      body: { logo_id: id, logo_url: url },
    })
    expect(await service.call('PATCH', '/team', { token: service.other.token, body: { logo_id: id } })).toMatchObject({
      status: 404,
      body: { message: 'Image not found' },
    })
    await service.call('DELETE', `/images/${id}`)
    expect((await service.call('GET', '/team')).body).toMatchObject({ logo_id: null, logo_url: null })
  })
})
