// The header of a message that was submitted: which of its fields are sent, and as what.
import { describe, expect, it } from 'vitest'
import { readHead, sentHead } from '../../src/mail/message-head.ts'
import { readSubmissionHeaders } from '../../src/modules/submission/submission-headers.ts'

const RECEIVED = 'Received: from client.example by mail.example with ESMTPSA id x; Tue, 02 Jan 2024 03:04:05 +0000'
const FROM = 'From: Acme <hello@example.com>'
const DATE = 'Date: Mon, 01 Jan 2024 00:00:00 +0000'

/** What is sent of these lines, each character a byte, besides what every message has. */
function sentOf(...lines: string[]): string[] {
  const head = readHead(Buffer.from([FROM, DATE, ...lines, '', ''].join('\r\n'), 'latin1'))
  const { sender } = readSubmissionHeaders(head)
  const sent = sentHead(head, { received: RECEIVED, messageId: '<id@example.com>', date: new Date('2024-01-02T03:04:05Z'), sender }).split(
    '\r\n',
  )
  expect(sent.slice(0, 4)).toEqual([RECEIVED, 'Message-ID: <id@example.com>', FROM, DATE])
  return sent.slice(4)
}

const latin1 = (text: string) => Buffer.from(text).toString('latin1')

describe('a field is left out that', () => {
  it.each([
    ['names those who are not to be seen', ['Bcc: secret@example.com'], ['Resent-Bcc: secret@example.com']],
    ['speaks for someone else than the sender', ['Sender: boss@bank.example'], ['Resent-From: boss@bank.example', 'Resent-Date: x']],
    ['is written where a message ends', ['Return-Path: <x@example.org>'], ['Delivered-To: x@example.org']],
    [
      'says what a server found, or where the message came from',
      ['Authentication-Results-Original: mx.example.net; dmarc=pass', 'Received-SPF: pass', 'X-Received: by 2002:a05 with SMTP id x'],
      ['X-Spam-Status: No', 'X-Gm-Message-State: x', 'X-Google-DKIM-Signature: v=1', 'X-MS-Exchange-Organization-SCL: -1'],
      [
        'X-Forefront-Antispam-Report: SCL:-1',
        'X-Microsoft-Antispam: BCL:0;',
        'X-MS-TNEF-Correlator: <a@b>',
        'X-Originating-IP: [192.0.2.1]',
      ],
    ],
    [
      'says that a server has checked the message, be it ours or another',
      ['Authentication-Results: mail.example.com; dkim=pass', 'authentication-results: mx.example.net 1; spf=pass'],
      ['ARC-Authentication-Results: i=1; mx.example.net; dmarc=pass'],
    ],
    [
      'is a signature of another server, which no longer fits',
      ['DKIM-Signature: v=1; d=example.com; s=a; h=From:Message-ID;', ' bh=x; b=y'],
      ['ARC-Seal: i=1; cv=none; b=x', 'ARC-Message-Signature: i=1; b=x'],
    ],
    ['is ours to write', ['X-Original-Message-ID: <a@app.example>']],
    ['says nothing', ['Message-ID: ']],
  ])('%s', (_what, ...groups) => {
    expect(sentOf(...groups.flat(), 'X-Own: kept')).toEqual(['X-Own: kept'])
  })
})

it('fields that programs and people read are sent as they came', () => {
  const lines = [
    ...['Received: from app.example by mail.example;', '\tMon, 01 Jan 2024 00:00:00 +0000', 'In-Reply-To: <a@b>', 'References: <c@d>'],
    ...[' <a@b>', 'List-Unsubscribe: <https://a.example/?a=1>', 'Auto-Submitted: auto-generated', 'X-Priority: 1', 'X-A: 1', 'X-A: 2'],
  ]
  expect(sentOf(...lines)).toEqual(lines)
})

it('lines of white space only are left out, so that no reader takes one for the end of the header', () => {
  expect(sentOf('Subject: One', ' ', '\t ', ' two', ' ', 'X-Own:', '  ', ' kept', '\t')).toEqual([
    'Subject: One',
    ' two',
    'X-Own:',
    ' kept',
  ])
})

it('the space that old programs put before the colon is left out', () => {
  expect(sentOf('Subject : One', 'To\t: ada@example.org')).toEqual(['Subject: One', 'To: ada@example.org'])
})

it('From is written anew from the address that was judged, so that no reader sees another', () => {
  const read = readHead(Buffer.from('From: "Acme" (boss@bank.example)\r\n <hello@EXAMPLE.com>\r\n\r\n'))
  const { sender } = readSubmissionHeaders(read)
  const sent = sentHead(read, { received: RECEIVED, messageId: '<id@example.com>', date: new Date('2024-01-02T03:04:05Z'), sender })
  expect(sent.split('\r\n').slice(3)).toEqual(['From: Acme <hello@example.com>'])
})

describe('the Message-ID of the program', () => {
  it('is kept under another name', () => {
    expect(sentOf('Message-ID: <a@app.example>', 'MESSAGE-ID:<b@app.example>')).toEqual([
      'X-Original-Message-ID: <a@app.example>',
      'X-Original-Message-ID: <b@app.example>',
    ])
  })

  it('is on a line of its own if it is as long as a line can be', () => {
    const id = `<${'x'.repeat(998 - 'Message-ID: <@a>'.length)}@a>`
    expect(sentOf(`Message-ID: ${id}`)).toEqual(['X-Original-Message-ID:', ` ${id}`])
  })
})

describe('bytes that are not ASCII', () => {
  it.each([
    ['in text are encoded', 'Subject: Grüße', ['Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=']],
    [
      'in names of addresses are encoded, and in domains are written in ASCII',
      'To: Jürgen <a@b.example>, x@bücher.example',
      ['To: =?UTF-8?Q?J=C3=BCrgen?= <a@b.example>, x@xn--bcher-kva.example'],
    ],
    ['in ids leave out these ids', 'References: <a@b> <ü@b>\r\n <c@d>', ['References: <a@b> <c@d>']],
    ['in the only id leave out the field', 'In-Reply-To: <ü@b>', []],
    [
      'in addresses of the web are written as these write them',
      'List-Unsubscribe: <https://a.example/ü>, <mailto:a@b>',
      ['List-Unsubscribe: <https://a.example/%C3%BC>, <mailto:a@b>'],
    ],
    [
      'in hosts of such addresses are written as the DNS has them',
      'List-Help: <https://bücher.example/a>, <mailto:hilfe@bücher.example?subject=ü>',
      ['List-Help: <https://xn--bcher-kva.example/a>,', ' <mailto:hilfe@xn--bcher-kva.example?subject=%C3%BC>'],
    ],
    [
      'in the domain after a long name of a mailbox are written as the DNS has them',
      `List-Help: <mailto:${'x'.repeat(70)}@bücher.example>`,
      ['List-Help:', ` <mailto:${'x'.repeat(70)}@xn--bcher-kva.example>`],
    ],
    [
      'in the name of a list are an encoded word, and its id stays',
      'List-Id: Grüße, täglich <news.example.com>',
      ['List-Id: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=, =?UTF-8?Q?t=C3=A4glich?=', ' <news.example.com>'],
    ],
    [
      'in a name between quotes are an encoded word without them',
      'Disposition-Notification-To: "Jürgen, Chef" <a@b.example>',
      ['Disposition-Notification-To: =?UTF-8?Q?J=C3=BCrgen=2C_Chef?= <a@b.example>'],
    ],
    [
      'in parameters are encoded, and the boundary stays',
      'Content-Type: multipart/mixed; boundary="a b"; name="ü.txt"\r\nMIME-Version: 1.0',
      [`Content-Type: multipart/mixed; boundary="a b"; name*0*=utf-8''%C3%BC.txt`, 'MIME-Version: 1.0'],
    ],
    ['where no word can be encoded become question marks', 'Received: from bücher by a; x', ['Received: from b?cher by a; x']],
  ])('%s', (_what, line, sent) => {
    expect(sentOf(...latin1(line).split('\r\n'))).toEqual(sent)
  })

  it('of old encodings are read as these', () => {
    expect(sentOf('Subject: Gr\xfc\xdfe')).toEqual(['Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?='])
  })

  it('in the local part of an address cannot be sent', () => {
    expect(() => sentOf(latin1('To: jürgen@example.org'))).toThrow(
      'The `To` header holds an address with a character that is not ASCII before its `@`.',
    )
  })
})

it('a field may have 16 KB, as one of POST /emails, and those that list people may have more', () => {
  const line = ` ${'a'.repeat(97)}`
  const field = (name: string, lines: number) => [`${name}:`, ...Array.from({ length: lines }, () => line)]
  expect(sentOf(...field('X-Own', 150))).toHaveLength(151)
  expect(sentOf(...field('To', 400))).toHaveLength(401)
  expect(() => sentOf(...field('X-Own', 170))).toThrow('The `X-Own` header has more than 16 KB.')
})

it.each([
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition', 'Content-ID'],
])('a message with two %s headers is refused, because readers differ in which they show', (name) => {
  const value = name === 'From' ? 'a@example.com' : '<a@example.com>'
  const lines = [`${name}: ${value}`, `${name.toLowerCase()}: ${value}`, ...(name === 'From' ? [] : [FROM])]
  expect(() => readSubmissionHeaders(readHead(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)))).toThrow(
    `The message has more than one \`${name}\` header.`,
  )
})

describe('the first line of a mailbox file', () => {
  const read = (text: string) => readHead(Buffer.from(text)).fields
  it('is no field, and is left out', () => {
    expect(read(`From a@example.com Mon Jan  1 00:00:00 2024\r\n${FROM}\r\n\r\n`)).toEqual([{ name: 'from', text: FROM }])
  })

  it('is not taken for a field with a space before its colon, nor the other way round', () => {
    expect(read('From : a@example.com\r\n\r\n')).toEqual([{ name: 'from', text: 'From: a@example.com' }])
  })

  it('is refused further down, with the number of the line', () => {
    expect(() => read(`To: a@example.com,\r\n b@example.com\r\n${FROM}\r\nFrom a@example.com Mon\r\n\r\n`)).toThrow(
      /^Line 4 of the message is not a header: /,
    )
    expect(() => read(`From a@example.com Mon\r\n>From b\r\n\r\n`)).toThrow(/^Line 2 of the message is not a header: /)
  })
})
