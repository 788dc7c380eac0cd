import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readReport } from '../../../../src/modules/bounces/reports/report.ts'
import { leastCpuMs } from '../../../support/clocks/cpu.ts'
import { specimens } from './corpus.ts'

const CHUNK_BYTES = 64 * 1024

async function* bytesOf(...texts: readonly (string | Uint8Array)[]) {
  for (const text of texts) {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
  }
}

const REPORT_HEAD = [
  'From: MAILER-DAEMON@mx.example.com',
  'Subject: Undelivered Mail Returned to Sender',
  'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
  '',
  '--b',
  '',
  'Sorry.',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.com',
  '',
  '',
].join('\r\n')

const failed = (address: string) => `Final-Recipient: rfc822; ${address}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`

const RETURNED = '--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <m1@example.org>\r\n\r\n'

const addressesOf = (report: Awaited<ReturnType<typeof readReport>>) =>
  report.kind === 'bounce' ? report.recipients.map(({ address }) => address) : []

describe('a hostile report', () => {
  it('of two thousand recipients names them all', async () => {
    const addresses = Array.from({ length: 2_000 }, (_, place) => `user${place}@example.com`)
    const report = await readReport(bytesOf(REPORT_HEAD, addresses.map(failed).join(''), RETURNED))
    expect(addressesOf(report)).toEqual(addresses)
  })

  it('of two thousand recipients without parts names them all', async () => {
    const addresses = Array.from({ length: 2_000 }, (_, place) => `user${place}@example.com`)
    const lines = addresses.map((address) => `<${address}>:\r\n550 User unknown\r\n\r\n`).join('')
    const report = await readReport(bytesOf('From: MAILER-DAEMON@mx.example.com\r\nSubject: failure notice\r\n\r\n', lines))
    expect(addressesOf(report)).toEqual(addresses)
  })

  it('of thousands of blocks about one recipient is read as one, and not for long', async () => {
    const blocks = Array.from({ length: 9_000 }, (_, place) => `X${place}: a\r\n\r\n`).join('')
    const spentMs = await leastCpuMs(async () => {
      const report = await readReport(bytesOf(REPORT_HEAD, 'Final-Recipient: rfc822; anna@example.com\r\n\r\n', blocks))
      expect(addressesOf(report)).toEqual(['anna@example.com'])
    }, 3_000)
    expect(spentMs).toBeLessThan(3_000)
  })

  it('that names one address thousands of times names it once', async () => {
    const names = Array.from({ length: 5_000 }, () => 'anna@example.com').join(',')
    const head = `From: MAILER-DAEMON@mx.example.com\r\nX-Failed-Recipients: ${names}\r\nSubject: Mail delivery failed\r\n\r\n`
    const text = `  anna@example.com\r\n${'    it is not so\r\n\r\n'.repeat(100)}`
    expect(addressesOf(await readReport(bytesOf(head, text)))).toEqual(['anna@example.com'])
  })

  it('of 40 MB is read only as far as the head of the returned message', async () => {
    let read = 0
    async function* endless() {
      yield Buffer.from(REPORT_HEAD + failed('anna@example.com') + RETURNED)
      for (; read < 40_000_000; read += CHUNK_BYTES) yield Buffer.alloc(CHUNK_BYTES, 'x\r\n')
    }
    expect(await readReport(endless())).toMatchObject({ kind: 'bounce', original: { messageIds: ['<m1@example.org>'] } })
    expect(read).toBeLessThan(1_000_000)
  })

  it('of 40 MB in its first part is left after half of one', async () => {
    let read = 0
    async function* endless() {
      yield Buffer.from('From: MAILER-DAEMON@mx.example.com\r\nSubject: failure notice\r\n\r\n<anna@example.com>:\r\n550 User unknown\r\n')
      for (; read < 40_000_000; read += CHUNK_BYTES) yield Buffer.alloc(CHUNK_BYTES, 'x\r\n')
    }
    expect(addressesOf(await readReport(endless()))).toEqual(['anna@example.com'])
    expect(read).toBeLessThan(700_000)
  })

  it('of a hundred nested parts is read to the innermost', async () => {
    const levels = Array.from({ length: 100 }, (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`)
    const head = 'From: MAILER-DAEMON@mx.example.com\r\nSubject: failure notice\r\n'
    expect(addressesOf(await readReport(bytesOf(head, levels.join(''), '\r\n<anna@example.com>: 550 User unknown')))).toEqual([
      'anna@example.com',
    ])
  })

  it('of a thousand parts is read as far as two hundred', async () => {
    const parts = Array.from({ length: 1_000 }, () => '--b\r\n\r\n<anna@example.com>: 550 User unknown\r\n')
    const head = 'From: MAILER-DAEMON@mx.example.com\r\nSubject: failure notice\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'
    expect(addressesOf(await readReport(bytesOf(head, ...parts)))).toEqual(['anna@example.com'])
  })
})

const RUNS = Number(process.env.FUZZ_RUNS ?? 3_000)

/** Counts this thread only, because the machine does other work. */
const CPU_MS_MAX = 100

const PIECES = [
  ...specimens().flatMap(({ raw }) => raw.split(/(?<=\n)/)),
  ...[
    '--b\n',
    '--b--\n',
    '\n',
    '\r\n',
    '\r',
    '\0',
    'Content-Type: multipart/report; boundary=b\n',
    'Content-Type: message/delivery-status\n\n',
  ],
  ...[
    'Content-Transfer-Encoding: base64\n',
    'Content-Transfer-Encoding: quoted-printable\n',
    'Final-Recipient: rfc822;',
    'Action: failed\n',
  ],
  ...['Content-Type: message/feedback-report\n\n', 'Content-Type: text/html; charset=utf-16\n\n', '=?utf-8?b?', '<', '@', ':', '%', '='],
]

const piece = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(...PIECES).map((text) => text.repeat(50)) },
)

const damaged = fc
  .tuple(fc.constantFrom(...specimens().map(({ raw }) => raw)), fc.nat(), fc.nat(40), fc.string({ unit: 'binary', maxLength: 20 }))
  .map(([raw, at, length, other]) => raw.slice(0, at % raw.length) + other + raw.slice((at % raw.length) + length))

const KINDS = ['bounce', 'complaint', 'delay', 'success', 'auto_reply', 'challenge', 'other']

describe('any message', () => {
  it.each([
    ['of pieces of reports', fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))],
    ['that was a report before something happened to it', damaged],
  ])('%s is read without a failure, and in time', { timeout: 0 }, async (_name, messages) => {
    await readReport(bytesOf('warm'))
    await fc.assert(
      fc.asyncProperty(messages, async (message) => {
        const spentMs = await leastCpuMs(async () => expect(KINDS).toContain((await readReport(bytesOf(message))).kind), CPU_MS_MAX)
        expect(spentMs).toBeLessThan(CPU_MS_MAX)
      }),
      { numRuns: RUNS / 2 },
    )
  })
})
