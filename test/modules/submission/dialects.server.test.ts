// The ways in which programs talk SMTP that people send mail with.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { openSmtpClient } from '../../support/clients/smtp-client.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const service = shared(() => startSubmissionService())

const run = promisify(execFile)
const QUEUED = /queued as ([0-9a-f-]{36})/

const retrieve = async (id = '') => (await service.call('GET', `/emails/${id}`)).body
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Says each line, and returns the reply to the last. A line with a `\0` is not said, but upgrades the connection. */
async function talk(port: number, lines: string[]): Promise<string> {
  const client = await openSmtpClient(port)
  try {
    let reply = await client.reply()
    for (const line of lines) {
      if (line === 'TLS') await client.upgrade()
      else reply = await client.say(line)
    }
    return reply
  } finally {
    client.close()
  }
}

describe('nodemailer', () => {
  it.each([
    ['with STARTTLS', () => ({ port: service.port, secure: false, requireTLS: true })],
    ['over TLS', () => ({ port: service.tlsPort, secure: true })],
  ])('hands in an email %s', async (_how, place) => {
    const transport = createTransport({
      ...{ host: '127.0.0.1', ...place(), tls: { rejectUnauthorized: false } },
      auth: { user: 'posthaste', pass: service.token },
    })
    const sent = await transport.sendMail({
      ...{ from: 'Acme <hello@example.com>', to: 'ada@example.com', cc: 'Grace <grace@example.com>', bcc: 'secret@example.com' },
      ...{ subject: 'Grüße', text: 'Hello', html: '<p>Hello</p>', headers: { 'X-Tags': 'category=receipt' } },
      attachments: [{ filename: 'ü.txt', content: 'file' }],
      icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR' },
    })
    transport.close()
    expect(await retrieve(QUEUED.exec(sent.response)?.[1])).toMatchObject({
      ...{ to: ['ada@example.com'], cc: ['Grace <grace@example.com>'], bcc: ['secret@example.com'], subject: 'Grüße' },
      ...{ text: 'Hello', html: '<p>Hello</p>', tags: [{ name: 'category', value: 'receipt' }] },
    })
  })

  it('learns why a message was refused', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: service.port,
      tls: { rejectUnauthorized: false },
      auth: { user: 'a', pass: 're_wrong' },
    })
    await expect(transport.sendMail({ from: 'a@example.com', to: 'b@example.com', text: 'x' })).rejects.toMatchObject({
      code: 'EAUTH',
      responseCode: 535,
    })
  })
})

describe('by hand', () => {
  it('PHPMailer, as WordPress has it: STARTTLS, LOGIN, one recipient after the other, 8bit', async () => {
    const reply = await talk(service.port, [
      ...['EHLO wordpress.example', 'STARTTLS', 'TLS', 'EHLO wordpress.example', 'AUTH LOGIN', base64('apikey'), base64(service.token)],
      ...['MAIL FROM:<wordpress@example.com>', 'RCPT TO:<ada@example.com>', 'RCPT TO:<grace@example.com>', 'DATA'],
      [
        'Date: Mon, 23 Nov 2026 12:00:00 +0000',
        'To: ada@example.com',
        'From: WordPress <wordpress@example.com>',
        'Cc: grace@example.com',
        'Subject: [Blog] Password Reset',
        'Message-ID: <abc@blog.example>',
        'X-Mailer: PHPMailer 6.9.3 (https://github.com/PHPMailer/PHPMailer)',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=UTF-8',
        'Content-Transfer-Encoding: 8bit',
        '',
        'Someone has requested a password reset.',
        '',
        '.',
      ].join('\r\n'),
    ])
    expect(await retrieve(QUEUED.exec(reply)?.[1])).toMatchObject({
      ...{ from: 'WordPress <wordpress@example.com>', to: ['ada@example.com'], cc: ['grace@example.com'], bcc: [] },
      ...{ subject: '[Blog] Password Reset', text: 'Someone has requested a password reset.\n\n' },
    })
  })

  it('Django: PLAIN with the answer in the command, SIZE, several messages on one connection', async () => {
    const message = (subject: string) => [
      ...['mail FROM:<webmaster@example.com> size=300', 'rcpt TO:<ada@example.com>', 'data'],
      [
        'Content-Type: text/plain; charset="utf-8"',
        'MIME-Version: 1.0',
        'Content-Transfer-Encoding: 7bit',
        `Subject: ${subject}`,
        ...['From: webmaster@example.com', 'To: ada@example.com', 'Date: Mon, 23 Nov 2026 12:00:00 -0000'],
        ...['Message-ID: <1@django.example>', '', 'Hello', '.'],
      ].join('\r\n'),
    ]
    const reply = await talk(service.port, [
      ...['ehlo [127.0.0.1]', 'STARTTLS', 'TLS', 'ehlo [127.0.0.1]', `AUTH PLAIN ${base64(`\0django\0${service.token}`)}`],
      ...[...message('First'), 'rset', ...message('Second')],
    ])
    expect(await retrieve(QUEUED.exec(reply)?.[1])).toMatchObject({ subject: 'Second', from: 'webmaster@example.com' })
  })

  it('a program that pipelines', async () => {
    const client = await service.signIn()
    client.write('MAIL FROM:<a@example.com>\r\nRCPT TO:<ada@example.com>\r\nDATA\r\n')
    for (const code of ['250', '250', '354']) expect(await client.reply()).toMatch(new RegExp(`^${code} `))
    client.write('From: a@example.com\r\n\r\n..dots\r\n.\r\nQUIT\r\n')
    const reply = await client.reply()
    expect(await client.reply()).toMatch(/^221 /)
    expect(await retrieve(QUEUED.exec(reply)?.[1])).toMatchObject({ text: '.dots\n' })
  })
})

const PYTHON = `
import smtplib, ssl, sys
from email import policy
from email.message import EmailMessage
port, tls_port, key = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
message = EmailMessage()
message['From'] = 'Acme <hello@example.com>'
message['To'] = 'ada@example.com'
message['Bcc'] = 'secret@example.com'
message['Subject'] = 'Gr\\u00fc\\u00dfe'
message.set_content('Hello')
message.add_alternative('<p>Gr\\u00fc\\u00dfe</p>', subtype='html')
message.add_attachment(b'file', maintype='application', subtype='pdf', filename='a.pdf')
with smtplib.SMTP('127.0.0.1', port) as smtp:
    smtp.starttls(context=context); smtp.login('any', key); smtp.send_message(message)
with smtplib.SMTP_SSL('127.0.0.1', tls_port, context=context) as smtp:
    smtp.login('any', key); smtp.sendmail('a@example.com', ['ada@example.com'], message.as_bytes(policy=policy.SMTP))
`

it("Python's smtplib hands in emails over both ports", async ({ skip }) => {
  const hasPython = await run('python3', ['--version']).then(
    () => true,
    () => false,
  )
  if (!hasPython) skip('python3 is missing')
  await run('python3', ['-c', PYTHON, String(service.port), String(service.tlsPort), service.token])
  const { data } = (await service.call('GET', '/emails?limit=2')).body as { data: object[] }
  const expected = { from: 'Acme <hello@example.com>', to: ['ada@example.com'], subject: 'Grüße' }
  expect(data).toMatchObject([
    { ...expected, bcc: [] },
    { ...expected, bcc: ['secret@example.com'] },
  ])
})
