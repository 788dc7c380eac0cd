// Addresses that real people have and strict parsers refuse: POST /emails and SMTP take the same, and write them the same way.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../support/builders/email-builders.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/servers/scripted-server.ts'
import { type SubmissionService, startSubmissionService } from '../../support/servers/submission-service.ts'

const recipients: string[] = []
let next: ScriptedServer
let service: SubmissionService
beforeAll(async () => {
  next = await startScriptedServer({
    greeting: '220 sink',
    reply: () => null,
    onCommand: (line) => line.startsWith('RCPT ') && recipients.push(line.slice('RCPT TO:'.length)),
  })
  service = await startSubmissionService({ environment: { SMTP_RELAY_URL: `smtp://127.0.0.1:${next.port}` } })
  service.startWorker()
})
afterAll(async () => {
  await service.close()
  await next.close()
})

it.each([
  ['"taro..y"@docomo.example', '<"taro..y"@docomo.example>'],
  ['taro..y@docomo.example', '<"taro..y"@docomo.example>'],
  ['.taro.@docomo.example', '<".taro."@docomo.example>'],
  ['"a b"@x.example', '<"a b"@x.example>'],
  ['"a@b \\"c\\" d"@x.example', '<"a@b \\"c\\" d"@x.example>'],
  ['"plain"@x.example', '<plain@x.example>'],
  ['ada@my_shop.example', '<ada@my_shop.example>'],
])('%s gets mail by both roads, as %s', async (address, named) => {
  recipients.length = 0
  await send(service, { to: address })
  const content = `From: hello@example.com\r\nTo: ${address}\r\nSubject: Hi\r\n\r\nHi`
  const email = await service.emailOf(await service.handIn(Buffer.from(content), { to: [address] }))
  expect(email.bcc).toEqual([])
  await expect.poll(() => recipients, { timeout: 10_000 }).toEqual([named, named])
})

it.each([
  'a b@x.example',
  '"a@x.example',
  '"a"b@x.example',
  'a@-x.example',
  '<a@x.example>',
  'a@x.example> <b@x.example',
  '"a\\"@x.example',
])('%s is no address by either', async (address) => {
  const { status } = await service.call('POST', '/emails', { body: { from: 'a@example.com', to: `<${address}>`, subject: 'x', text: 'x' } })
  expect(status).toBe(422)
  expect(await service.handIn('', { to: [address] })).toMatch(/^5\d\d /)
})
