import { afterEach, describe, expect, it, vi } from 'vitest'
import { FREE_BYTES_MIN } from '../../../src/io/files/disk-space.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { plain, startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const GIB = 1024 * 1024 * 1024
const clock = createMovingClock()
let freeBytes = 100 * GIB
const service = shared(() =>
  startSubmissionService({
    clock,
    freeBytesOf: async () => freeBytes,
    submissionLimits: { recipientsMax: 3, messagesPerConnectionMax: 20, messageMsMax: 10_000, checkEveryMs: 20 },
  }),
)

afterEach(() => {
  freeBytes = 100 * GIB
  clock.advance(11_000)
})

const HEAD = 'From: a@example.com\r\nTo: ada@example.com\r\n'
const PART = '--b\r\n\r\nx\r\n'
const PROGRAM = 'Content-Type: application/octet-stream; name=run.exe\r\n\r\nx\r\n'
/** A text that is not read on the main thread. */
const LARGE = `Content-Type: text/plain\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(1_050)}`
const levels = (count: number) =>
  Array.from({ length: count }, (_one, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join('')
const ACCEPTED = /^250 2\.0\.0 Ok: queued as /

const emails = async () => (await service.database.execute<{ count: number }>('select count(*)::int as count from emails'))[0]?.count
const blobs = async () => {
  const keys: string[] = []
  for await (const batch of service.service.context.gateways.blobs.keysBefore(new Date('2999-01-01'))) keys.push(...batch)
  return keys.length
}

describe('a message that cannot be sent', () => {
  it.each([
    ['no From', 'To: ada@example.com\r\n\r\nx', '554 5.6.0 The message has no `From` header.'],
    ['two Froms', `${HEAD}From: b@example.com\r\n\r\nx`, '554 5.6.0 The message has more than one `From` header.'],
    ['two Subjects', `${HEAD}Subject: a\r\nSubject: b\r\n\r\nx`, '554 5.6.0 The message has more than one `Subject` header.'],
    ['two Dates', `${HEAD}Date: a\r\ndate: b\r\n\r\nx`, '554 5.6.0 The message has more than one `Date` header.'],
    [
      'an address in To that needs SMTPUTF8',
      `From: a@example.com\r\nTo: ü@example.com\r\n\r\nx`,
      '554 5.6.0 The `To` header holds an address',
    ],
    ['two addresses in From', 'From: a@example.com, b@example.com\r\n\r\nx', '554 5.6.0 The `From` header must have one address.'],
    ['a group in From', 'From: us: a@example.com;\r\n\r\nx', '554 5.6.0 The `From` header must have one address.'],
    ['no address in From', 'From: Acme\r\n\r\nx', '554 5.6.0 The `From` header must hold an address'],
    [
      'another address in brackets as a name',
      'From: "<boss@bank.example>" <a@example.com>\r\n\r\nx',
      '554 5.6.0 The `From` header has a display name',
    ],
    ['no header at all', 'Hello\r\n', '554 5.6.0 Line 1 of the message is not a header'],
    ['a line of 999 characters', `${HEAD}\r\n${'x'.repeat(999)}`, '554 5.6.0 The message has a line of more than 998 characters'],
    ['a NUL', `${HEAD}\r\na\0b`, '554 5.6.0 The message has a NUL character'],
    ['a bare LF', `${HEAD}\r\na\nb`, '550 5.6.0 The message has a line break that is not CR LF'],
    ['a bare CR', `${HEAD}\r\na\rb`, '550 5.6.0 The message has a line break that is not CR LF'],
    ['smuggled commands', `${HEAD}\r\na\n.\nMAIL FROM:<x@y.example>\r\n`, '550 5.6.0 '],
    ['fifty Received headers', `${'Received: x\r\n'.repeat(50)}${HEAD}\r\nx`, '554 5.4.6 '],
    [
      'a header of 70 KB',
      `${HEAD}${`X-A: ${'x'.repeat(900)}\r\n`.repeat(80)}\r\nx`,
      '554 5.6.0 The headers of the message may have at most 64 KB together.',
    ],
    ['a thousand and more fields', `${HEAD}${'X: y\r\n'.repeat(1_000)}\r\nx`, '554 5.6.0 The message may have at most 1000 headers.'],
    [
      'a program',
      `${HEAD}Content-Type: application/x-msdownload; name=run.exe\r\n\r\nx`,
      '554 5.6.0 The `filename` parameter may not end in `.exe`',
    ],
    [
      'a program after a line of spaces, which some take for the end of the header',
      `${HEAD}Content-Type: text/plain\r\n \r\nContent-Disposition: attachment; filename=run.exe\r\n\r\nx`,
      '554 5.6.0 The `filename` parameter may not end in `.exe`',
    ],
    [
      'a program under a second name',
      `${HEAD}Content-Type: application/octet-stream; name=run.exe\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx`,
      '554 5.6.0 The `filename` parameter may not end in `.exe`',
    ],
    ...[
      'attachment; filename=a.txt; filename=run.exe',
      'attachment; filename=run.exe; filename=a.txt',
      "attachment; filename=a.txt; filename*=utf-8''run%2Eexe",
      'attachment; filename*=utf-8\'\'a.txt; filename="run.exe"',
      'attachment; filename=a.txt\r\nContent-Disposition: attachment; filename=run.exe',
    ].map((names) => [
      `a program under one of two names: ${JSON.stringify(names)}`,
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: ${names}\r\n\r\nx\r\n--b--\r\n`,
      '554 5.6.0 The `filename` parameter may not end in `.exe`',
    ]),
    [
      'a program with a NUL after its name',
      `${HEAD}Content-Disposition: attachment; filename*=utf-8''run.exe%00\r\n\r\nx`,
      '554 5.6.0 The `filename` parameter may not end in `.exe`',
    ],
    [
      '1,001 parts',
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${PART.repeat(1_001)}--b--`,
      '554 5.6.0 The message has more than 1000 parts',
    ],
    ['a program in 21 levels', `${HEAD}${levels(21)}${PROGRAM}`, '554 5.6.0 The message has parts in more than 20 levels.'],
    ['a program in 20 levels', `${HEAD}${levels(20)}${PROGRAM}`, '554 5.6.0 The `filename` parameter may not end in `.exe`'],
    ['a program after 80 KB', `${HEAD}${levels(1)}${LARGE}--b0\r\n${PROGRAM}`, '554 5.6.0 The `filename` parameter may not end in `.exe`'],
    [
      '21 levels after 80 KB',
      `${HEAD}${levels(1)}${LARGE}--b0\r\n${levels(22).replaceAll('=b', '=c').replaceAll('--b', '--c')}`,
      '554 5.6.0 The message has parts in more than 20 levels.',
    ],
    [
      '101 attachments',
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: image/png\r\n\r\nx\r\n'.repeat(101)}--b--\r\n`,
      '554 5.6.0 The message must have at most 100 attachments.',
    ],
  ])('has %s: it is refused, nothing of it is kept, and the connection can be used again', async (_what, content, reply) => {
    const before = [await emails(), await blobs()]
    expect(await service.handIn(content)).toContain(reply)
    expect([await emails(), await blobs()]).toEqual(before)
    const client = await service.signIn()
    await client.say('MAIL FROM:<a@example.com>')
    await client.say('RCPT TO:<ada@example.com>')
    await client.say('DATA')
    client.write(content)
    expect(await client.say('\r\n.')).toContain(reply.slice(0, 3))
    expect(await client.sendMessage('ada@example.com', `${HEAD}\r\nx`)).toMatch(ACCEPTED)
    client.close()
  })

  it('has more than 40 MB: it is refused by its announced size, and by its real one', async () => {
    const client = await service.signIn()
    expect(await client.say('MAIL FROM:<a@example.com> SIZE=4294967296')).toMatch(/^552 .*41943040/)
    const before = [await emails(), await blobs()]
    await client.say('MAIL FROM:<a@example.com>')
    await client.say('RCPT TO:<ada@example.com>')
    await client.say('DATA')
    client.write(`${HEAD}\r\n`)
    const line = Buffer.from(`${'x'.repeat(998)}\r\n`.repeat(1_049))
    for (let count = 0; count < 41; count += 1) client.write(line)
    expect(await client.say('.')).toBe('552 5.3.4 The message is larger than this server takes')
    expect([await emails(), await blobs()]).toEqual(before)
  })
})

describe('a message that is odd', () => {
  it.each([
    ['no body', `${HEAD}\r\n`],
    ['no empty line', HEAD.trimEnd()],
    ['no To', 'From: a@example.com\r\n\r\nx'],
    ['a line of 998 characters', `${HEAD}\r\n${'x'.repeat(998)}`],
    ['its own address as a name', 'From: "A@example.com" <a@example.com>\r\n\r\nx'],
    ['groups in To', 'From: a@example.com\r\nTo: undisclosed-recipients:;\r\nCc: us: b@example.com;\r\n\r\nx'],
    ['the first line of a mailbox', `From a@example.com Mon Jan  1 00:00:00 2024\r\n${HEAD}\r\nx`],
    ['a line of spaces in its header', `${HEAD}Subject: a\r\n \r\n\r\nx`],
    ['broken base64', `${HEAD}Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!x=`],
    ['a charset that does not exist', `${HEAD}Content-Type: text/plain; charset=klingon\r\n\r\n\xff`],
    ['a part that does not end', `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx`],
    ['nine hundred parts', `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${PART.repeat(900)}--b--`],
    ['twenty levels', `${HEAD}${levels(20)}\r\nx`],
    [
      'files with odd names',
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${['../../x', 'CON', ''].map((name) => `--b\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx\r\n`).join('')}--b--`,
    ],
    [
      'a signature of S/MIME',
      `${HEAD}Content-Type: multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello \r\n--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\nContent-Transfer-Encoding: base64\r\n\r\nMIIB\r\n--b--`,
    ],
    [
      'S/MIME alone',
      `${HEAD}Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\nMIIB`,
    ],
    [
      'TNEF',
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+Ig==\r\n--b--`,
    ],
    [
      'a message in a message in it',
      `${HEAD}Content-Type: message/rfc822\r\n\r\nSubject: outer\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--`,
    ],
  ])('has %s: it is accepted, and delivered as it came', async (_what, content) => {
    const email = await service.emailOf(await service.handIn(Buffer.from(content, 'latin1')))
    const [row] = await service.database.execute<{ body: Buffer }>('select body from submitted_messages where email_id = $1', [email.id])
    const end = content.indexOf('\r\n\r\n')
    expect(row?.body.toString('latin1')).toBe(end === -1 ? '' : `${content.slice(end + 4)}\r\n`)
  })
})

it('messages of one team are read two at a time if they are large, and all of them are accepted', async () => {
  const { blobs: store } = service.service.context.gateways
  const open = store.open.bind(store)
  let reading = 0
  let most = 0
  const spy = vi.spyOn(store, 'open').mockImplementation(async (...given) => {
    reading += 1
    most = Math.max(most, reading)
    const content = await open(...given)
    return content.once('close', () => {
      reading -= 1
    })
  })
  const content = `${HEAD}\r\n${`${'x'.repeat(76)}\r\n`.repeat(10_000)}`
  const replies = await Promise.all(Array.from({ length: 8 }, () => service.handIn(content)))
  spy.mockRestore()
  expect(replies).toEqual(replies.map(() => expect.stringMatching(ACCEPTED)))
  expect(most).toBeLessThanOrEqual(2)
})

describe('a client', () => {
  it('that names too many recipients sends the message again for the others', async () => {
    const client = await service.signIn()
    await client.say('MAIL FROM:<a@example.com>')
    for (const name of ['a', 'b', 'c']) expect(await client.say(`RCPT TO:<${name}@example.com>`)).toMatch(/^250 /)
    expect(await client.say('RCPT TO:<d@example.com>')).toMatch(/^452 4\.5\.3 /)
    expect(await client.say('RCPT TO:<B@example.com>')).toMatch(/^250 /)
  })

  it('that names an address which no server takes is told so', async () => {
    const client = await service.signIn()
    await client.say('MAIL FROM:<a@example.com>')
    expect(await client.say('RCPT TO:<a@[192.0.2.1]>')).toMatch(/^553 5\.1\.3 The `RCPT TO` command /)
    expect(await client.say('DATA')).toMatch(/^503 /)
  })

  it('that has sent as many messages as a connection may has to open another', async () => {
    const client = await service.signIn()
    for (let sent = 0; sent < 20; sent += 1) {
      for (const command of ['MAIL FROM:<a@example.com>', 'RCPT TO:<ada@example.com>', 'DATA']) await client.say(command)
      client.write(`${HEAD}\r\nx`)
      expect(await client.say('\r\n.')).toMatch(ACCEPTED)
    }
    expect(await client.say('MAIL FROM:<a@example.com>')).toMatch(/^421 4\.7\.0 This connection has sent enough messages/)
  })

  it('that wants BINARYMIME is told that there is none', async () => {
    const client = await service.signIn()
    expect(await client.say('MAIL FROM:<a@example.com> BODY=BINARYMIME')).toMatch(/^5\d\d /)
    expect(await client.say('MAIL FROM:<a@example.com> BODY=8BITMIME')).toMatch(/^250 /)
  })

  it('that vanishes in a message, small or large, has submitted nothing', async () => {
    const before = [await emails(), await blobs()]
    const open = service.service.submission?.connectionCount()
    for (const size of [100, 500_000]) {
      const client = await service.signIn()
      await client.say('MAIL FROM:<a@example.com>')
      await client.say('RCPT TO:<ada@example.com>')
      await client.say('DATA')
      client.write(`${HEAD}\r\n${'x'.repeat(76)}\r\n`)
      client.write(`${'x'.repeat(76)}\r\n`.repeat(size / 78))
      client.close()
    }
    await expect.poll(() => service.service.submission?.connectionCount()).toBe(open)
    await expect.poll(async () => [await emails(), await blobs()]).toEqual(before)
  })

  it('that sends a byte a second is cut off after the time of a message', async () => {
    const client = await service.signIn()
    await client.say('MAIL FROM:<a@example.com>')
    await client.say('RCPT TO:<ada@example.com>')
    await client.say('DATA')
    client.write('F')
    clock.advance(10_001)
    expect(await client.ended()).toContain('421 4.4.2 Too slow')
  })

  it('is told that the disk is full, and can try again later', async () => {
    freeBytes = 1
    clock.advance(60_000)
    const client = await service.signIn()
    expect(await client.say('MAIL FROM:<a@example.com>')).toBe(
      '452 4.3.1 This server has no room for messages at the moment, please try again later',
    )
    freeBytes = 100 * GIB
    clock.advance(60_000)
    expect(await client.sendMessage('ada@example.com', `${HEAD}\r\nx`)).toMatch(ACCEPTED)
  })

  it('is told that there is no room for a large message, also beside others, before the disk is looked at again', async () => {
    const large = `${HEAD}\r\n${`${'x'.repeat(76)}\r\n`.repeat(1_300)}`
    freeBytes = FREE_BYTES_MIN + 250_000
    clock.advance(60_000)
    const replies = [await service.handIn(large), await service.handIn(large)]
    const before = [await emails(), await blobs()]
    expect([...replies, await service.handIn(large)]).toEqual([
      ...[expect.stringMatching(ACCEPTED), expect.stringMatching(ACCEPTED)],
      '452 4.3.1 This server has no room for messages at the moment, please try again later',
    ])
    expect([await emails(), await blobs()]).toEqual(before)
    freeBytes = 100 * GIB
    clock.advance(60_000)
    expect(await service.handIn(large)).toMatch(ACCEPTED)
  })

  it('is not called slow while its message, which has arrived, waits to be read', async () => {
    const { submissions } = service.service.context.gateways
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
    const read = submissions.read.bind(submissions)
    const reading = vi.spyOn(submissions, 'read').mockImplementation(async (...given) => {
      await turn
      return read(...given)
    })
    const reply = service.handIn(`${HEAD}\r\nx`)
    await expect.poll(() => reading.mock.calls.length).toBe(1)
    clock.advance(20_000)
    const looks = vi.spyOn(clock, 'monotonicMs')
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(5)
    looks.mockRestore()
    begin()
    expect(await reply).toMatch(ACCEPTED)
    reading.mockRestore()
  })

  it('is told to sign in later while its key cannot be checked', async () => {
    const client = await service.connect()
    await service.database.execute('alter table api_keys rename to away')
    const logged = vi.spyOn(service.service.context.log, 'error')
    // Another key: the one of the other tests may already be known.
    const other = `${service.token.slice(0, -1)}${service.token.endsWith('A') ? 'B' : 'A'}`
    const reply = await client.say(`AUTH PLAIN ${plain(other)}`)
    await service.database.execute('alter table away rename to api_keys')
    expect(reply).toBe('454 4.7.0 The API key cannot be checked at the moment, please try again later')
    expect(logged.mock.calls.map(([, text]) => text)).toEqual(['API key not checked'])
    logged.mockRestore()
    expect(await client.say(`AUTH PLAIN ${plain(service.token)}`)).toMatch(/^235 /)
  })

  it('is told that the store of blobs does not take a large message or a file, and nothing was accepted', async () => {
    const before = [await emails(), await blobs()]
    const store = service.service.context.gateways.blobs
    const putBeside = store.putBeside.bind(store)
    const away = new Error('The store is away')
    const spies = [
      vi.spyOn(store, 'put').mockRejectedValue(away),
      vi.spyOn(store, 'putBeside').mockImplementation((key) => ({ ...putBeside(key), put: () => Promise.reject(away) })),
    ]
    const large = `${HEAD}\r\n${`${'x'.repeat(76)}\r\n`.repeat(2_000)}`
    for (const content of [large, `${HEAD}Content-Type: image/png\r\n\r\nx`])
      expect(await service.handIn(content)).toBe('451 4.3.0 The message could not be stored, please try again later')
    for (const spy of spies) spy.mockRestore()
    expect([await emails(), await blobs()]).toEqual(before)
    expect(await service.handIn(large)).toMatch(ACCEPTED)
  })

  it('is told that the database is down, and nothing was accepted', async () => {
    const client = await service.signIn()
    await client.say('MAIL FROM:<a@example.com>')
    await client.say('RCPT TO:<ada@example.com>')
    await client.say('DATA')
    await service.database.execute('alter table submitted_messages rename to away')
    client.write(`${HEAD}\r\nx`)
    expect(await client.say('\r\n.')).toBe('451 4.3.0 The message could not be stored, please try again later')
    await service.database.execute('alter table away rename to submitted_messages')
    expect(await client.sendMessage('ada@example.com', `${HEAD}\r\nx`)).toMatch(ACCEPTED)
  })
})
