import PostalMime from 'postal-mime'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { attemptsOf, deliveriesOf, notificationsOf, sendEmail, stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { messageOf } from '../../../support/builders/messages.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { type RelayService, startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'
import type { SmtpSinkOptions } from '../../../support/servers/smtp-sink.ts'

/** Shared by the tests that neither move the clock nor close the sink. */
const service = shared(() => startRelayService())
afterEach(async () => {
  vi.restoreAllMocks()
  await service.stopWorkers()
  // What was put off would be tried again, a refused address would be suppressed, and an open connection would spare the next test its greeting.
  await service.database.execute('truncate deliveries, suppressions, queue_pauses, destination_paces')
  for (const option of Object.keys(service.sinkOptions) as (keyof SmtpSinkOptions)[]) delete service.sinkOptions[option]
  service.sink.messages.length = 0
  service.sink.dropConnections()
})

async function startOwnService(options: Parameters<typeof startRelayService>[0]): Promise<RelayService> {
  const own = await startRelayService(options)
  onTestFinished(() => own.close())
  return own
}

const typesOf = async (service: RelayService, id: string) => (await notificationsOf(service, id)).map(({ type }) => type)
const messageIdOf = (raw: string | undefined) => /^Message-ID: (.+)$/im.exec(raw ?? '')?.[1]?.trim()

describe('a message at the relay', () => {
  it('is the same for every recipient and at every try, and is what the console shows', async () => {
    const clock = createShiftingClock()
    const tries: string[] = []
    const onMessage = ({ raw }: { raw: string }) => {
      tries.push(raw)
      return tries.length === 1 ? { code: 451, text: '4.7.1 Later' } : undefined
    }
    const service = await startOwnService({ clock, sink: { onMessage } })
    service.startWorker()
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }]
    const id = await sendEmail(service, { to: ['one@example.org', 'two@example.org'], html: '<p>Hi</p>', text: 'Hi', attachments })
    await until(async () => expect((await stateOf(service, id)).recipients.toSorted()).toEqual(['delivered', 'delivery_delayed']))
    clock.shift(10 * 60_000)
    await until(async () => expect((await stateOf(service, id)).recipients).toEqual(['delivered', 'delivered']))

    const [first = '', ...others] = tries
    expect(others).toEqual([first, first])
    expect(await messageOf(service, id)).toBe(first)
  })

  it('has its attachments, inline images and headers, an envelope for each recipient, and never a Bcc', async () => {
    service.startWorker()
    const image = Buffer.from('not really a png')

    const id = await sendEmail(service, {
      from: 'Ünïcode Sender <hello@example.com>',
      to: ['To <to@example.org>'],
      cc: 'cc@example.org',
      bcc: 'bcc@example.org',
      reply_to: 'reply@example.com',
      subject: 'Grüße',
      html: '<p>Hello <img src="cid:logo"></p>',
      text: 'Hello',
      headers: { 'X-Entity-Ref-ID': '42' },
      attachments: [
        { filename: 'report.txt', content: Buffer.from('the report').toString('base64') },
        { filename: 'logo.png', content: image.toString('base64'), content_id: 'logo' },
      ],
    })
    await untilEvent(service, id, 'delivered')
    await until(async () => expect(await deliveriesOf(service, id)).toEqual([]))

    const { messages } = service.sink
    expect(messages.map(({ from, to }) => [from, ...to]).toSorted()).toEqual([
      ['hello@example.com', 'bcc@example.org'],
      ['hello@example.com', 'cc@example.org'],
      ['hello@example.com', 'to@example.org'],
    ])
    for (const { raw } of messages) {
      expect(raw).not.toMatch(/bcc/i)
      const parsed = await PostalMime.parse(Buffer.from(raw, 'latin1'))
      expect(parsed).toMatchObject({
        from: { name: 'Ünïcode Sender', address: 'hello@example.com' },
        to: [{ name: 'To', address: 'to@example.org' }],
        cc: [{ address: 'cc@example.org' }],
        replyTo: [{ address: 'reply@example.com' }],
        subject: 'Grüße',
        messageId: `<${id}@example.com>`,
      })
      expect(parsed.headers).toContainEqual(expect.objectContaining({ key: 'x-entity-ref-id', value: '42' }))
      const files = parsed.attachments.map(({ filename, contentId, content }) => [filename, contentId ?? null, textOf(content)])
      expect(files.toSorted()).toEqual([
        ['logo.png', '<logo>', 'not really a png'],
        ['report.txt', null, 'the report'],
      ])
    }
  })
})

describe('an answer of the server', () => {
  type Row = [string, SmtpSinkOptions, { state: string; attempt: object; types: string[] }]
  const delayed = (attempt: object) => ({
    state: 'delivery_delayed',
    attempt: { outcome: 'delayed', ...attempt },
    types: ['email.sent', 'email.delivery_delayed'],
  })
  const bounced = (attempt: object) => ({
    state: 'bounced',
    attempt: { outcome: 'bounced', ...attempt },
    types: ['email.sent', 'email.bounced'],
  })
  const rows: Row[] = [
    [
      '421 as greeting',
      { onConnect: () => ({ code: 421, text: '4.3.2 Closing' }) },
      delayed({ code: 421, enhancedCode: '4.3.2', text: 'Closing' }),
    ],
    ['550 as greeting', { onConnect: () => ({ code: 550, text: 'Go away' }) }, delayed({ code: 550 })],
    ['421 to the sender', { onMail: () => ({ code: 421, text: 'Closing' }) }, delayed({ code: 421, enhancedCode: null, text: 'Closing' })],
    [
      '450 to the sender',
      { onMail: () => ({ code: 450, text: '4.7.1 Later' }) },
      delayed({ code: 450, enhancedCode: '4.7.1', text: 'Later' }),
    ],
    ['550 to the sender', { onMail: () => ({ code: 550, text: '5.7.1 No' }) }, bounced({ code: 550, enhancedCode: '5.7.1', text: 'No' })],
    ['421 to the recipient', { onRecipient: () => ({ code: 421 }) }, delayed({ code: 421 })],
    [
      '450 to the recipient',
      { onRecipient: () => ({ code: 450, text: '4.2.1 Busy' }) },
      delayed({ code: 450, enhancedCode: '4.2.1', text: 'Busy' }),
    ],
    [
      '550 to the recipient',
      { onRecipient: () => ({ code: 550, text: '5.1.1 Nobody' }) },
      bounced({ code: 550, enhancedCode: '5.1.1', text: 'Nobody' }),
    ],
    ['421 to the message', { onMessage: () => ({ code: 421 }) }, delayed({ code: 421 })],
    ['450 to the message', { onMessage: () => ({ code: 450 }) }, delayed({ code: 450 })],
    [
      '550 to the message',
      { onMessage: () => ({ code: 550, text: '5.6.0 Spam' }) },
      bounced({ code: 550, enhancedCode: '5.6.0', text: 'Spam' }),
    ],
    ['nothing, the connection ends in the body', { dropInBody: true }, delayed({ code: null, enhancedCode: null })],
    ['nothing, the connection ends after the final dot', { onMessage: () => 'drop' }, delayed({ code: null, enhancedCode: null })],
  ]

  it.each(rows)('%s: is kept with its codes and words, and told once', async (_what, sink, expected) => {
    Object.assign(service.sinkOptions, sink)
    const id = await sendEmail(service)
    const sentAt = Date.now()

    service.startWorker()

    await untilEvent(service, id, expected.state)
    expect(await attemptsOf(service, id)).toMatchObject([{ number: 1, ...expected.attempt }])
    expect(await typesOf(service, id)).toEqual(expected.types)
    const rowsLeft = await deliveriesOf(service, id)
    if (expected.state === 'bounced') expect(rowsLeft).toEqual([])
    else {
      expect(rowsLeft).toMatchObject([{ leasedBy: null, claims: 0, attemptId: null }])
      // A minute, varied by 20 % in both directions.
      expect(rowsLeft[0]?.dueAt.getTime()).toBeGreaterThanOrEqual(sentAt + 48_000)
      expect(rowsLeft[0]?.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 72_000)
    }
  })

  it('that comes late is waited for', async () => {
    service.sinkOptions.replyDelayMs = 250
    const id = await sendEmail(service)
    service.startWorker()
    await untilEvent(service, id, 'delivered')
    expect(await typesOf(service, id)).toEqual(['email.sent', 'email.delivered'])
  })
})

describe('a delivery that is put off', () => {
  it('is delivered when the server takes it, under the same Message-ID, and each step is told once', async () => {
    const clock = createShiftingClock()
    const seen: (string | undefined)[] = []
    const service = await startOwnService({
      clock,
      sink: {
        onMessage({ raw }) {
          seen.push(messageIdOf(raw))
          return seen.length === 1 ? 'drop' : seen.length === 2 ? { code: 451, text: '4.3.0 Not now' } : undefined
        },
      },
    })
    const worker = service.startWorker()
    const id = await sendEmail(service)
    for (const attempt of [1, 2]) {
      await until(async () => expect((await attemptsOf(service, id)).filter(({ outcome }) => outcome === 'delayed')).toHaveLength(attempt))
      clock.shift(10 * 60_000)
      worker.wake()
    }

    await untilEvent(service, id, 'delivered')
    expect(await attemptsOf(service, id)).toMatchObject([
      { number: 1, outcome: 'delayed', code: null },
      { number: 2, outcome: 'delayed', code: 451, enhancedCode: '4.3.0', text: 'Not now' },
      { number: 3, outcome: 'delivered', code: 250 },
    ])
    expect(await typesOf(service, id)).toEqual(['email.sent', 'email.delivery_delayed', 'email.delivered'])
    expect(seen).toEqual(Array.from({ length: 3 }, () => `<${id}@example.com>`))
    expect(service.sink.messages).toHaveLength(1)
  })

  it('is tried along the whole ladder of waits, then bounces', async () => {
    const clock = createShiftingClock()
    const service = await startOwnService({ clock, sink: { onRecipient: () => ({ code: 450, text: '4.2.1 Busy' }) } })
    const worker = service.startWorker()
    const id = await sendEmail(service)
    const waitedMinutes: number[] = []
    for (let number = 1; number <= 13; number++) {
      await until(async () => {
        const attempts = await attemptsOf(service, id)
        expect([attempts.length, attempts.at(-1)?.outcome]).toEqual([number, 'delayed'])
      })
      const [row] = await deliveriesOf(service, id)
      const waitMs = (row?.dueAt.getTime() ?? 0) - clock.now().getTime()
      waitedMinutes.push(waitMs / 60_000)
      clock.shift(waitMs + 10)
      worker.wake()
    }

    await untilEvent(service, id, 'bounced')
    const ladder = [1, 6, 13, 40, 60, 120, 240, 360, 480, 600, 720, 840, 840]
    // The time between the outcome and this check is a part of the wait.
    for (const [step, minutes] of ladder.entries()) {
      expect(waitedMinutes[step]).toBeLessThanOrEqual(minutes * 1.2)
      expect(waitedMinutes[step]).toBeGreaterThanOrEqual(minutes * 0.8 - 0.25)
    }
    expect(await attemptsOf(service, id)).toHaveLength(14)
    expect(await typesOf(service, id)).toEqual(['email.sent', 'email.delivery_delayed', 'email.bounced'])
    const [bounce] = await service.database.execute(
      `select data->'detail'->'bounce' as bounce from notifications where subject_id = $1 and type = 'email.bounced'`,
      [id],
    )
    expect(bounce).toMatchObject({ bounce: { type: 'Transient', message: 'Given up after 3 days. The last answer was: Busy' } })
    expect(await deliveriesOf(service, id)).toEqual([])
  })

  it('does not keep other mail back', async () => {
    service.sinkOptions.onRecipient = (to) => (to.startsWith('busy') ? { code: 450 } : undefined)
    const busy = await sendEmail(service, { to: Array.from({ length: 40 }, (_, index) => `busy${index}@example.org`) })
    const good = await sendEmail(service, { to: ['good@example.org', 'busy@example.org'] })
    service.startWorker()
    await untilEvent(service, good, 'delivered')
    await untilEvent(service, busy, 'delivery_delayed')
    await until(async () => expect((await stateOf(service, good)).recipients).toEqual(['delivery_delayed', 'delivered']))
  })
})

function textOf(content: ArrayBuffer | Uint8Array | string): string {
  return typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)).toString()
}

describe('the log of an attempt', () => {
  const attemptedIn = (log: { mock: { calls: unknown[][] } }) =>
    log.mock.calls.filter(([, message]) => message === 'delivery attempted').map(([facts]) => facts)

  it('says why a relay could not be reached, and no code that it never gave', async () => {
    const service = await startOwnService({})
    const { port } = service.sink
    await service.sink.close()
    const log = vi.spyOn(service.service.context.log, 'info')
    service.startWorker()
    const id = await sendEmail(service, { from: 'a@example.com', to: 'ada@example.org', subject: 'Hi', text: 'Hi' })
    await untilEvent(service, id, 'delivery_delayed')
    expect(attemptedIn(log)).toEqual([
      {
        emailId: id,
        teamId: service.teamId,
        recipientId: expect.any(String),
        attempt: 1,
        outcome: 'delayed',
        reason: `No connection to 127.0.0.1 port ${port}: ECONNREFUSED`,
        host: '127.0.0.1',
        durationMs: expect.any(Number),
      },
    ])
  })

  it('has the words of a refusal without the addresses in it', async () => {
    service.sinkOptions.onRecipient = (to) => ({ code: 550, text: `5.1.1 <${to}> is unknown here` })
    const log = vi.spyOn(service.service.context.log, 'info')
    service.startWorker()
    const id = await sendEmail(service, { from: 'a@example.com', to: 'ada@example.org', subject: 'Hi', text: 'Hi' })
    await untilEvent(service, id, 'bounced')
    expect(attemptedIn(log)).toMatchObject([{ outcome: 'bounced', code: 550, reason: '[address] is unknown here' }])
  })

  it('gives no reason for what went well', async () => {
    const log = vi.spyOn(service.service.context.log, 'info')
    service.startWorker()
    const id = await sendEmail(service, { from: 'a@example.com', to: 'ada@example.org', subject: 'Hi', text: 'Hi' })
    await untilEvent(service, id, 'delivered')
    const [facts] = attemptedIn(log)
    expect(facts).toMatchObject({ outcome: 'delivered', code: 250 })
    expect(facts).not.toHaveProperty('reason')
  })
})
