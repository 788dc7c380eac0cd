import { authenticate } from 'mailauth'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createVerifiedDomain, resolverOf } from '../../../support/builders/domains.ts'
import { sendEmail, stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { messageOf } from '../../../support/builders/messages.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { type RelayService, startRelayService } from '../../../support/servers/mail-services.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../../support/servers/service.ts'
import type { SmtpSinkOptions } from '../../../support/servers/smtp-sink.ts'

let service: RelayService
const opened: Pick<TestService, 'close'>[] = []

afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

async function start(options: TestServiceOptions & { sink?: SmtpSinkOptions } = {}): Promise<void> {
  service = await startRelayService(options)
  opened.push(service)
  service.startWorker()
}

const rawOf = (text: string) => Buffer.from(text, 'latin1')
const verdictsOf = async (raw: Buffer, records: Record<string, string>) =>
  (await dkimVerify(raw, { resolver: resolverOf(records) })).results.map(({ status, algo, selector }) => [status.result, algo, selector])
const PASS = [
  ['pass', 'rsa-sha256', 'ph1'],
  ['pass', 'ed25519-sha256', 'ph2'],
]

describe('a message of a domain with keys', () => {
  it('is signed, the same for every recipient and at every try, and in the console', async () => {
    const clock = createShiftingClock()
    const tries: string[] = []
    const onMessage = ({ raw }: { raw: string }) => {
      tries.push(raw)
      return tries.length === 1 ? { code: 451, text: '4.7.1 Later' } : undefined
    }
    await start({ clock, sink: { onMessage } })
    const { records } = await createVerifiedDomain(service)
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }]
    const id = await sendEmail(service, { to: ['one@example.org', 'two@example.org'], html: '<p>Hi</p>', text: 'Hi', attachments })
    await until(async () => expect((await stateOf(service, id)).recipients.toSorted()).toEqual(['delivered', 'delivery_delayed']))
    clock.shift(10 * 60_000)
    await until(async () => expect((await stateOf(service, id)).recipients).toEqual(['delivered', 'delivered']))

    const [first = '', ...others] = tries
    expect(await verdictsOf(rawOf(first), records)).toEqual(PASS)
    expect(others).toEqual([first, first])
    expect(await messageOf(service, id)).toBe(first)
  })

  it('passes DMARC by SPF and by both signatures, whatever it holds', async () => {
    await start()
    const { records } = await createVerifiedDomain(service, 'xn--bcher-kva.example')
    const from = 'Bücher <hello@bücher.example>'
    const file = { filename: 'größe.bin', content: Buffer.alloc(100_000, 'é').toString('base64') }
    const emails = [
      { text: 'Hello' },
      { text: '' },
      { text: '\n\n a \n.\n..\n \n\n' },
      { text: 'x'.repeat(5_000), html: `<p>${'Grüße '.repeat(1_000)}</p>` },
      { text: 'Hello', subject: 'Ein langer Betreff für alle '.repeat(20) },
      { text: 'Hello', cc: ['山田 <cc@例え.jp>'], reply_to: ['"Smith, Jo" <jo@example.org>'] },
      { text: 'Hello', headers: { 'List-Unsubscribe': '<https://example.com/u>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } },
      { html: '<img src="cid:logo">', attachments: [file, { filename: 'logo.png', content: 'aGk=', content_id: 'logo' }] },
    ]
    for (const email of emails) await sendEmail(service, { from, ...email })
    await until(async () => expect(service.sink.messages.length).toBeGreaterThanOrEqual(emails.length))

    const resolver = resolverOf({
      ...records,
      'xn--bcher-kva.example': 'v=spf1 ip4:192.0.2.1 -all',
      '_dmarc.xn--bcher-kva.example': 'v=DMARC1; p=reject; adkim=s; aspf=s',
    })
    for (const { raw, from: sender } of service.sink.messages) {
      const { spf, dkim, dmarc } = await authenticate(rawOf(raw), { ip: '192.0.2.1', helo: 'mail.example.net', sender, resolver })
      expect({
        spf: spf ? [spf.status.result, spf.domain] : null,
        dkim: dkim.results.map(({ status, signingDomain }) => [status.result, signingDomain]),
        dmarc: dmarc ? [dmarc.status.result, dmarc.alignment.spf.result, dmarc.alignment.dkim.result] : null,
      }).toEqual({
        spf: ['pass', 'xn--bcher-kva.example'],
        dkim: [
          ['pass', 'xn--bcher-kva.example'],
          ['pass', 'xn--bcher-kva.example'],
        ],
        dmarc: ['pass', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
      })
    }
  })

  it('is signed although it is only captured', async () => {
    const captured = await startTestService({ environment: { ROLES: 'api,worker' } })
    opened.push(captured)
    const { records } = await createVerifiedDomain(captured)
    const id = await sendEmail(captured)
    await untilEvent(captured, id, 'delivered')
    const text = await messageOf(captured, id)
    expect(await verdictsOf(Buffer.from(text), records)).toEqual(PASS)
  })

  it('is signed with the keys whose record was seen', async () => {
    await start()
    const { records, addKey } = await createVerifiedDomain(service, 'example.com', { ph1: 'rsa-sha256' })
    await addKey('ph2', 'ed25519-sha256')
    await untilEvent(service, await sendEmail(service), 'delivered')
    expect(await verdictsOf(rawOf(service.sink.messages[0]?.raw ?? ''), records)).toEqual([PASS[0]])
  })
})

it.each([
  ['of another team', 'hello@example.com'],
  ['under the domain', 'hello@mail.example.com'],
  ['of nobody', 'hello@example.net'],
])('a message from a domain %s is not signed', async (what, from) => {
  await start()
  await createVerifiedDomain(service)
  const id = await sendEmail(service, { from }, what === 'of another team' ? service.other.token : service.token)
  await untilEvent(service, id, 'delivered')
  expect(service.sink.messages[0]?.raw).not.toMatch(/^dkim-signature/im)
})

it('a message waits until the keys can be looked up again', async () => {
  await start()
  const { records } = await createVerifiedDomain(service)
  const asked = vi.spyOn(service.service.context, 'senderIdentityOf')
  await service.database.execute('alter table dkim_keys rename to dkim_keys_elsewhere')
  const id = await sendEmail(service)
  await until(async () => expect(asked.mock.calls.length).toBeGreaterThan(1))
  expect((await stateOf(service, id)).recipients).toEqual(['queued'])
  await service.database.execute('alter table dkim_keys_elsewhere rename to dkim_keys')
  await untilEvent(service, id, 'delivered')
  expect(await verdictsOf(rawOf(service.sink.messages[0]?.raw ?? ''), records)).toEqual(PASS)
})
