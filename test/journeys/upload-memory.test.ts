import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { createPreparedPlace } from '../support/processes/places.ts'
import type { Place, ServiceProcess } from '../support/processes/processes.ts'

let place: Place

afterEach(() => place.close())

const MIB = 1024 * 1024
const FILE_BYTES = 200 * MIB
const PIECE = Buffer.from('somebody@example.com,Ada,Lovelace\n'.repeat(2_000))
const BOUNDARY = 'boundary'
/** Half of what the file has. */
const GROWTH_BYTES_MAX = 100 * MIB

async function* form(seen: () => void): AsyncGenerator<Buffer> {
  yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail,first_name,last_name\n`)
  for (let bytes = 0; bytes < FILE_BYTES; bytes += PIECE.length) {
    seen()
    yield PIECE
  }
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
}

it('a file of 200 MB is taken without being held in memory', async () => {
  place = await createPreparedPlace({ ROLES: 'api' })
  const service = await place.start()
  const send = (body: AsyncGenerator<Buffer> | string) =>
    fetch(`${service.url}/contacts/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${place.token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body,
      ...(typeof body !== 'string' && { duplex: 'half' }),
    } as RequestInit)
  const small = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n\r\n--${BOUNDARY}--\r\n`
  expect((await send(small)).status).toBe(201)

  const before = residentBytes(service)
  let most = before
  const answer = await send(form(() => (most = Math.max(most, residentBytes(service)))))

  expect(answer.status).toBe(201)
  expect(most - before).toBeLessThan(GROWTH_BYTES_MAX)
})

/** The memory that Linux reports. */
const residentBytes = ({ pid }: ServiceProcess): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
