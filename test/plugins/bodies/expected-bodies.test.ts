import { afterEach, expect, it } from 'vitest'
import { emailInput } from '../../support/builders/emails.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024
const service = shared(() => startTestService())
let raw: RawSocket | undefined
afterEach(() => raw?.close())

type Head = { path?: string; token?: string; type?: string; bytes?: number; more?: string }

async function begin({ path = '/emails', token = service.token, type = 'application/json', bytes = 60 * MIB, more = '' }: Head) {
  raw = await openRawSocket(service.url)
  raw.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n${more}Expect: 100-continue\r\n\r\n`,
  )
  return raw
}

it.each<[string, number, Head]>([
  ['a key', 401, { token: '' }],
  ['a path', 404, { path: '/nothing' }],
  ['its size', 413, { bytes: 400 * MIB }],
  ['its type', 415, { type: 'text/csv' }],
  ['its encoding', 415, { more: 'Content-Encoding: gzip\r\n' }],
  ['a key for repetitions', 400, { more: `Idempotency-Key: ${'x'.repeat(257)}\r\n` }],
  ['the type of a form', 415, { path: '/contacts/imports' }],
])('a client whose body is refused for %s is not asked for it, and its connection ends', async (_what, status, head) => {
  const client = await begin(head)
  expect(await client.answer()).toMatchObject({ status, headers: { connection: 'close' } })
  await client.ended()
})

it('a client whose head is good is asked for its body once, and keeps its connection', async () => {
  const body = JSON.stringify(emailInput())
  const client = await begin({ bytes: body.length })
  expect(await client.answer()).toMatchObject({ status: 100 })
  client.write(body)
  expect(await client.answer()).toMatchObject({ status: 200 })
  client.write(`GET /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`)
  expect(await client.answer()).toMatchObject({ status: 200 })
})
