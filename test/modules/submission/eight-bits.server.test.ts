// What the next server is told of a message whose body may have bytes that are not ASCII (RFC 6152).
import { afterEach, expect, it } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { type SubmissionService, startSubmissionService } from '../../support/servers/mail-services.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/servers/smtp-sink.ts'

let next: ScriptedServer
let service: SubmissionService
afterEach(async () => {
  await service.close()
  await next.close()
})

it.each([
  ['offers 8BITMIME is told so of what was submitted, and of no other email', true, ' BODY=8BITMIME', 'Grüße'],
  ['does not offer it gets it in seven bits, and is told nothing', false, '', 'Gr=C3=BC=C3=9Fe'],
])('a server that %s', async (_what, isOffered, parameter, body) => {
  const [senders, bodies]: [string[], string[]] = [[], []]
  next = await startScriptedServer({
    greeting: '220 sink',
    reply: (command) => (command === 'EHLO' && !isOffered ? { line: '250 sink' } : null),
    onCommand: (line) => line.startsWith('MAIL ') && senders.push(line),
    onMessage: (raw) => bodies.push(Buffer.from(raw.slice(raw.indexOf('\r\n\r\n') + 4), 'latin1').toString()),
  })
  service = await startSubmissionService({ environment: { SMTP_RELAY_URL: `smtp://127.0.0.1:${next.port}` } })
  const content = 'From: a@example.com\r\nTo: ada@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße'
  service.startWorker()

  expect(await service.handIn(Buffer.from(content))).toMatch(/^250 /)
  await expect.poll(() => senders).toEqual([`MAIL FROM:<a@example.com>${parameter}`])
  await expect.poll(() => bodies).toEqual([body])
  await send(service, { to: 'ada@example.org' })
  await expect.poll(() => senders).toHaveLength(2)
  expect(senders[1]).toMatch(/^MAIL FROM:<[^>]+>$/)
  const eml = Buffer.from('Subject: Grüße\r\n\r\nHi\r\n').toString('base64')
  await send(service, { to: 'ada@example.org', attachments: [{ filename: 'a.eml', content: eml }] })
  await expect.poll(() => bodies).toHaveLength(3)
  expect(senders[2]).toBe(`MAIL FROM:<hello@example.com>${parameter}`)
  expect(bodies[2]?.includes(isOffered ? 'Content-Type: message/rfc822' : 'Content-Type: application/octet-stream')).toBe(true)
  expect(bodies[2]?.includes(isOffered ? 'Subject: Grüße' : eml)).toBe(true)
})
