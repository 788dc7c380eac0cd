// What remains of a file that never arrives completely, observed from outside.

import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { storedFilesIn } from '../support/builders/contact-imports.ts'
import { openRawSocket, type RawSocket } from '../support/clients/raw-requests.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
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

/** Announces more than it sends. `others`: files that are there before. */
async function beginUpload({ url }: ServiceProcess, bytes: number, others: string[] = []): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(
    `POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${place.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${2 * bytes}\r\n\r\n` +
      '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n',
  )
  raw.write('ada@example.com\n'.repeat(bytes / 16))
  await until(async () => expect(await storedFiles()).toHaveLength(others.length + 1))
  return raw
}

it('a kill during an upload leaves half a file, which a start a day later removes; a stop and a full disk leave nothing', async () => {
  place = await createPreparedPlace()
  const killed = await place.start()
  await beginUpload(killed, MIB)
  const postgres = postgresPidOf(place.dataDir)
  await killed.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
  const [left = '', ...others] = await storedFiles()
  expect(others).toEqual([])

  const stopped = await place.start()
  expect(await storedFiles()).toEqual([left])
  await beginUpload(stopped, MIB, [left])
  expect(await stopped.signal('SIGTERM')).toEqual({ status: 0, signal: null })
  expect(await storedFiles()).toEqual([left])

  const aDayAgo = new Date(Date.now() - 25 * HOUR_MS)
  await utimes(left, aDayAgo, aDayAgo)
  // A process whose files may not grow beyond 40 MB fails in the same way as one with a full disk.
  const service = await place.start({ command: ['bash', '-c', `ulimit -f ${40 * 1024} && exec "$0" posthaste.js start`, process.execPath] })
  expect(await storedFiles()).toEqual([])
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
