import { expect, it } from 'vitest'
import { openRawSocket } from '../support/clients/raw-socket.ts'
import { useTestService } from '../support/servers/use-test-service.ts'

const service = useTestService()

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
  ['HTTP/1.0 with two', 'GET /health/live HTTP/1.0\r\nHost: x\r\nHost: x\r\n'],
])('a request of %s is a 400', async (_what, head) => {
  expect(await answerTo(head)).toMatchObject({
    status: 400,
    body: { statusCode: 400, name: 'validation_error', message: 'The request must have exactly one `Host` header.' },
  })
})

it.each([
  ['HTTP/1.1 with one Host', 'GET /health/live HTTP/1.1\r\nHost: x\r\n'],
  ['HTTP/1.0 without a Host', 'GET /health/live HTTP/1.0\r\n'],
])('a request of %s is answered', async (_what, head) => {
  expect(await answerTo(head)).toMatchObject({ status: 200 })
})
