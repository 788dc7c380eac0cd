import { expect, it } from 'vitest'
import { openRawSocket } from '../support/clients/raw-requests.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())

async function answerTo(head: string) {
  const raw = await openRawSocket(service.url)
  raw.write(`${head}Connection: close\r\n\r\n`)
  const answer = await raw.answer()
  raw.close()
  return answer
}

it.each([
  ['HTTP/1.1 without a Host', 'GET /health/live HTTP/1.1\r\n'],
  ['HTTP/1.1 with two', 'GET /health/live HTTP/1.1\r\nHost: x\r\nhost: y\r\n'],
  ['HTTP/2.0, as a line of HTTP/1, without a Host', 'GET /health/live HTTP/2.0\r\n'],
  ['HTTP/1.0 with two', 'GET /health/live HTTP/1.0\r\nHost: x\r\nHost: x\r\n'],
])('a request of %s is a 400', async (_what, head) => {
  expect(await answerTo(head)).toMatchObject({
    status: 400,
    body: { statusCode: 400, name: 'validation_error', message: 'The request must have exactly one `Host` header.' },
  })
})

it.each(['a b', 'user@x', 'x/../y', 'x?y', 'x#y', 'http://x', 'x:port', '[::1', '::1', 'x\\y', '"x"', 'caf\u00e9'])(
  'a Host %j is a 400',
  async (host) => {
    expect(await answerTo(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n`)).toMatchObject({
      status: 400,
      body: {
        statusCode: 400,
        name: 'validation_error',
        message: 'The `Host` header must be a host name or an address, and a port if it is not the usual one.',
      },
    })
  },
)

it.each(['', 'x:', 'x_y.example:3000', '192.0.2.1', '[::1]:3000', '[fe80::1%25eth0]', 'EXAMPLE.com.'])(
  'a Host %j is answered',
  async (host) => {
    expect(await answerTo(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n`)).toMatchObject({ status: 200 })
  },
)

it.each([
  ['HTTP/1.1 with one Host', 'GET /health/live HTTP/1.1\r\nHost: x\r\n'],
  ['HTTP/1.0 without a Host', 'GET /health/live HTTP/1.0\r\n'],
])('a request of %s is answered', async (_what, head) => {
  expect(await answerTo(head)).toMatchObject({ status: 200 })
})
