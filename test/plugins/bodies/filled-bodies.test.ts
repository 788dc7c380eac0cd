// What small requests make of templates and broadcasts takes room, as large bodies do.
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outcome } from '../../support/builders/answers.ts'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { emailInput } from '../../support/builders/emails.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024
const READERS_MAX = 10
const HTML = `<p>${'{{{LONG}}}'.repeat(380)}</p>`
/** Six times as long in JSON as in the room that it takes: more than the kernel takes for a socket. */
const variables = { LONG: '\u0001'.repeat(5_000) }
const FULL = {
  status: 503,
  body: {
    statusCode: 503,
    name: 'service_unavailable',
    message: 'Requests of your team with bodies of 8 MB together are being read already. Please try again in a few seconds.',
  },
}

let templateId: string
const readers: RawSocket[] = []

const service = shared(() => startTestService({ environment: { REQUEST_BYTES_MAX: String(4 * MIB) } }))
beforeAll(async () => {
  templateId = await publishedTemplate(service, { subject: 'Long', html: HTML, text: '', variables: [{ key: 'LONG', type: 'string' }] })
})
afterAll(() => {
  closeReaders()
})

const render = () => service.call('POST', `/templates/${templateId}/render`, { body: { variables } })

/** Asks for an answer that is larger than what the kernel takes for a socket that is not read, and reads only its beginning. */
async function askWithoutReading(): Promise<void> {
  const reader = await openRawSocket(service.url)
  const body = JSON.stringify({ variables })
  reader.write(
    `POST /templates/${templateId}/render HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const [beginning] = await once(reader.socket, 'data')
  reader.socket.pause()
  // One that was refused itself holds nothing.
  if (String(beginning).startsWith('HTTP/1.1 200')) readers.push(reader)
  else reader.close()
}
const closeReaders = () => {
  for (const reader of readers) reader.close()
}

it('is refused while an answer of the team that is as large has not been read, and not any longer', async () => {
  await until(async () => {
    if (readers.length < READERS_MAX) await askWithoutReading()
    expect(outcome(await render())).toEqual(FULL)
  })
  const email = emailInput({ subject: undefined, html: undefined, text: undefined, template: { id: templateId, variables } })
  expect(outcome(await service.call('POST', '/emails', { body: email }))).toEqual(FULL)
  expect(outcome(await service.call('POST', '/emails/batch', { body: [email] }))).toEqual(FULL)
  const broadcastId = await createBroadcast(service)
  await service.database.execute('update broadcasts set html = $2 where id = $1', [broadcastId, 'x'.repeat(5 * MIB)])
  expect(outcome(await service.call('POST', `/broadcasts/${broadcastId}/test`, { body: { to: 'a@example.com' } }))).toEqual(FULL)
  expect(outcome(await service.call('GET', `/broadcasts/${broadcastId}/preview`))).toEqual(FULL)
  // What is small needs no room.
  const small = { ...email, template: { id: templateId, variables: { LONG: 'x' } } }
  expect((await service.call('POST', '/emails', { body: small })).status).toBe(200)
  closeReaders()
  await until(async () => expect((await render()).status).toBe(200))
})
