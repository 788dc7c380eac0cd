// What counts as the same message when an idempotency key is used again.
import { describe, expect, it } from 'vitest'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() => startSubmissionService({ clock }))

const HEADER = [
  'From: Acme <a@example.com>',
  'To: ada@example.com',
  'Subject: Your receipt',
  'Reply-To: help@example.com',
  'X-Entity-Ref-ID: 17',
  'Date: Mon, 01 Jan 2024 00:00:00 +0000',
  'Message-ID: <1@app>',
  'Received: from app (localhost [127.0.0.1]) by mail.example.com; Mon, 01 Jan 2024 00:00:00 +0000',
  'DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=a; h=from; bh=AAAA; b=AAAA',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; charset=utf-8; boundary="one"',
].join('\r\n')
const BODY = [
  '--one\r\nContent-Type: text/html\r\n\r\n<p>Thank you</p>',
  '--one\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\n1;2',
  '--one--\r\n',
].join('\r\n')
const MESSAGE = `${HEADER}\r\n\r\n${BODY}`
/** Read in a thread. */
const LARGE = MESSAGE.replace('1;2', `${'1;2\r\n'.repeat(20_000)}end`)

let keys = 0
async function repeat(first: string, second: string): Promise<string[]> {
  keys += 1
  const withKey = (content: string) => `Idempotency-Key: repeated ${keys}\r\n${content}`
  return [await service.handIn(withKey(first)), await service.handIn(withKey(second))]
}

describe.each([
  ['a small message', MESSAGE],
  ['a large message', LARGE],
])('%s that is submitted again with its key', (_what, message) => {
  it.each<[string, (text: string) => string]>([
    ['nothing', (text) => text],
    ['its Date', (text) => text.replace('Date: Mon, 01', 'Date: Tue, 02')],
    ['its Message-ID', (text) => text.replace('<1@app>', '<2@app>')],
    ['a Received header', (text) => text.replace('by mail.', 'by other.')],
    ['a signature', (text) => text.replace('b=AAAA', 'b=BBBB')],
    ['a seal of a server', (text) => text.replace('X-Entity', 'ARC-Seal: i=1; t=1; cv=none; b=AAAA\r\nX-Entity')],
    ['a boundary', (text) => text.replaceAll('--one', '--another').replace('boundary="one"', 'boundary=another')],
  ])('gets the same answer if only %s differs', async (_field, change) => {
    const [first, second] = await repeat(message, change(message))
    expect(first).toMatch(/^250 /)
    expect(second).toBe(first)
  })

  it.each<[string, (text: string) => string]>([
    ['its Reply-To', (text) => text.replace('help@', 'other@')],
    ['a header of its own', (text) => text.replace('Ref-ID: 17', 'Ref-ID: 18')],
    ['an additional header', (text) => text.replace('X-Entity', 'List-Unsubscribe: <https://example.com/u>\r\nX-Entity')],
    ['the type of a part', (text) => text.replace('text/csv', 'text/plain')],
    ['the name of a file', (text) => text.replace('filename=a.csv', 'filename=b.csv')],
    ['the content of a file', (text) => text.replace('1;2', '1;3')],
    ['the order of its parts', (text) => text.replace(/(--one\r\nContent-Type: text\/html[\s\S]*?)(--one\r\n[\s\S]*?)(?=--one--)/, '$2$1')],
    ['the HTML', (text) => text.replace('Thank', 'Blame')],
  ])('is refused if %s differs', async (_field, change) => {
    expect(change(message)).not.toBe(message)
    const [first, second] = await repeat(message, change(message))
    expect(first).toMatch(/^250 /)
    expect(second).toMatch(/^554 5\.5\.0 This `Idempotency-Key` was used with another/)
  })
})

it('leaves no file of the message that came again', async () => {
  const { blobs } = service.service.context.gateways
  const count = async () => (await Array.fromAsync(blobs.keysBefore(new Date('2999-01-01')))).flat().length
  const before = await count()
  await repeat(LARGE, LARGE)
  const afterBoth = await count()
  keys += 1
  await service.handIn(`Idempotency-Key: repeated ${keys}\r\n${LARGE}`)
  const ofOne = (await count()) - afterBoth
  expect([ofOne > 0, afterBoth - before]).toEqual([true, ofOne])
})

it('is refused if the text of an inner part without parts of its own differs, or the sender in a header that begins like a mailbox file', async () => {
  const inner = `--one\r\nContent-Type: multipart/alternative; boundary=two\r\n\r\nThe first text\r\n${BODY}`
  const messages = [`${HEADER}\r\n\r\n${inner}`, `${HEADER.replace('From: ', 'From : ')}\r\n\r\n${BODY}`] as const
  const changed = [messages[0].replace('The first', 'Another'), messages[1].replace('Acme', 'Other')] as const
  // A key stands last here, because the line of a mailbox file would be the first.
  const withKey = (content: string) => content.replace('\r\nMIME-Version', `\r\nIdempotency-Key: inner ${keys}\r\nMIME-Version`)
  for (const [index, message] of messages.entries()) {
    keys += 1
    expect(await service.handIn(withKey(message))).toMatch(/^250 /)
    expect(await service.handIn(withKey(changed[index] ?? ''))).toMatch(/^554 5\.5\.0 This `Idempotency-Key`/)
  }
})

it('gets the same answer after the time at which it is sent has passed, and another message is refused', async () => {
  const at = new Date(clock.now().getTime() + 3_600_000).toISOString()
  const withKey = (key: string) => `Idempotency-Key: scheduled ${key}\r\nX-Scheduled-At: ${at}\r\n${MESSAGE}`
  const first = await service.handIn(withKey('one'))
  expect(first).toMatch(/^250 /)
  clock.advance(2 * 3_600_000)
  expect(await service.handIn(withKey('one'))).toBe(first)
  expect(await service.handIn(withKey('two'))).toMatch(/^554 5\.6\.0 The `X-Scheduled-At` header/)
})
