// What remains of a file that never arrives completely, observed from outside.

import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { storedFilesIn } from '../support/builders/stored-files.ts'
import { openRawSocket, type RawSocket } from '../support/clients/raw-socket.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/prepared-database.ts'
import { type Place, postgresPidOf, type ServiceProcess, untilGone } from '../support/processes/processes.ts'

let place: Place
const sockets: RawSocket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await place.close()
})

const MIB = 1024 * 1024
const HOUR_MS = 60 * 60 * 1_000

async function storedFiles(): Promise<string[]> {
  return (await storedFilesIn(join(place.dataDir, 'blobs'))).map(({ path }) => path)
}

/** Announces more than it sends. */
async function beginUpload({ url }: ServiceProcess, bytes: number): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(
    `POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${place.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${2 * bytes}\r\n\r\n` +
      '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n',
  )
  raw.write('ada@example.com\n'.repeat(bytes / 16))
  await until(async () => expect(await storedFiles()).toHaveLength(1))
  return raw
}

it('a service that is stopped during an upload ends in good order, and leaves nothing of the file', async () => {
  place = await createPreparedPlace()
  const service = await place.start()
  await beginUpload(service, MIB)
  expect(await service.signal('SIGTERM')).toEqual({ status: 0, signal: null })
  expect(await storedFiles()).toEqual([])
})

it('a service that is killed during an upload leaves half a file, which a start a day later removes', async () => {
  place = await createPreparedPlace()
  const service = await place.start()
  await beginUpload(service, MIB)
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
  const [left = '', ...others] = await storedFiles()
  expect(others).toEqual([])

  const next = await place.start()
  expect(await storedFiles()).toEqual([left])
  await next.signal('SIGTERM')

  const aDayAgo = new Date(Date.now() - 25 * HOUR_MS)
  await utimes(left, aDayAgo, aDayAgo)
  await place.start()
  expect(await storedFiles()).toEqual([])
})

it('an upload that fills the disk ends with a 503, nothing of it stays, and the next is taken', async () => {
  place = await createPreparedPlace()
  // A process whose files may not grow beyond 40 MB fails in the same way as one with a full disk.
  const service = await place.start({ command: ['bash', '-c', `ulimit -f ${40 * 1024} && exec "$0" posthaste.js start`, process.execPath] })
  const raw = await beginUpload(service, 48 * MIB)
  expect(await raw.answer()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '60' },
    body: { message: 'The service has no room to store files at the moment. Try again later.' },
  })
  await raw.ended()
  expect(await storedFiles()).toEqual([])

  const body = new FormData()
  body.append('file', new Blob(['email\nada@example.com\n']))
  const next = await fetch(`${service.url}/contacts/imports`, { method: 'POST', headers: { authorization: `Bearer ${place.token}` }, body })
  expect(next.status).toBe(201)
})
