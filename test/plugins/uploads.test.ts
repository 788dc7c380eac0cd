import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { startTestService, type TestService } from '../support/service.ts'

const IDLE_MS = 300

let service: TestService
let app: FastifyInstance
let url: string

beforeAll(async () => {
  service = await startTestService()
  app = await buildApp(service.service.context, { uploads: { idleMs: IDLE_MS } })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await app.close()
  await service.close()
})

const storedFiles = async () =>
  (await readdir(service.config.blobFolder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

/** Sends the beginning of a form and never its end. */
function begin(): { answer: Promise<{ status: number | undefined; body: string }>; write(text: string): void; end(): void } {
  const sending = request(`${url}/contacts/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'multipart/form-data; boundary=b' },
  })
  const answer = new Promise<{ status: number | undefined; body: string }>((done, fail) => {
    sending.on('error', fail)
    sending.on('response', (response) => {
      let body = ''
      response.on('data', (chunk) => (body += chunk)).on('end', () => done({ status: response.statusCode, body }))
    })
  })
  answer.catch(() => {})
  sending.write('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n')
  return { answer, write: (text) => void sending.write(text), end: () => void sending.end() }
}

it('an upload of which nothing arrives any more ends with a 408, and nothing of it stays', async () => {
  const { status, body } = await begin().answer
  expect({ status, body: JSON.parse(body) }).toEqual({
    status: 408,
    body: { statusCode: 408, name: 'validation_error', message: 'Nothing of the request body arrived for 0.3 seconds.' },
  })
  await vi.waitFor(async () => expect(await storedFiles()).toEqual([]))
})

it('an upload may take longer than that as long as something arrives', async () => {
  const { answer, write, end } = begin()
  const startedAt = performance.now()
  for (let row = 0; row < 6; row++) {
    await new Promise((done) => setTimeout(done, IDLE_MS / 3))
    write(`ada${row}@example.com\n`)
  }
  write('\r\n--b--\r\n')
  end()
  expect((await answer).status).toBe(201)
  expect(performance.now() - startedAt).toBeGreaterThan(IDLE_MS)
})

it('the time for a whole request is that of an upload while one is on its way, and only then', async () => {
  const usualMs = app.server.requestTimeout
  const { answer } = begin()
  await vi.waitFor(() => expect(app.server.requestTimeout).toBeGreaterThan(usualMs))
  await answer
  await vi.waitFor(() => expect(app.server.requestTimeout).toBe(usualMs))
})
