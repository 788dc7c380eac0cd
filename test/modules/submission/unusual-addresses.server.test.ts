// Addresses that real people have and strict parsers refuse: POST /emails and SMTP take the same, and write them the same way.
import { beforeAll, expect, it } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'
import { startScriptedServer } from '../../support/servers/smtp-sink.ts'

const recipients: string[] = []
const next = shared(() =>
  startScriptedServer({
    greeting: '220 sink',
    reply: () => null,
    onCommand: (line) => line.startsWith('RCPT ') && recipients.push(line.slice('RCPT TO:'.length)),
  }),
)
const service = shared(() => startSubmissionService({ environment: { SMTP_RELAY_URL: `smtp://127.0.0.1:${next.port}` } }))
beforeAll(() => {
  service.startWorker()
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
  await expect.poll(() => recipients).toEqual([named, named])
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
