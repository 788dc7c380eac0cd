// What arrives of a broadcast, and who does not get it after all.
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { refusedMove } from '../../../src/modules/broadcasts/broadcast-states.ts'
import type { Worker } from '../../../src/server/worker.ts'
import { invalid, outcome } from '../../support/builders/answers.ts'
import {
  addManyMembers,
  addMembers,
  createBroadcast,
  doDue,
  emailsOf,
  NO_COUNTS,
  readBroadcast,
} from '../../support/builders/broadcasts.ts'
import { addSegment, addTopic } from '../../support/builders/contacts.ts'
import { createVerifiedDomain, resolverOf } from '../../support/builders/domains.ts'
import { until } from '../../support/clocks/until.ts'
import { startRelayService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

let segmentId: string
let worker: Worker | null = null

const service = shared(() => startRelayService({ environment: { PUBLIC_URL: 'https://mail.example.net' } }))
beforeEach(async () => {
  segmentId = await addSegment(service)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await worker?.stop()
  worker = null
  service.sink.messages.length = 0
  delete service.sinkOptions.beforeReply
})

const start = () => {
  worker = service.startWorker()
}
const untilStatus = (id: string, status: string) => until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status }))
const untilDelivered = (count: number) => until(async () => expect(service.sink.messages).toHaveLength(count))
const reached = () => service.sink.messages.flatMap(({ to }) => to).toSorted()
const act = (id: string, name: string) => service.call('POST', `/broadcasts/${id}/${name}`)

/** Reads one message: the headers by their names, unfolded, and the decoded body. */
function messageTo(address: string): { headers: Record<string, string>; body: string } {
  const raw = service.sink.messages.find(({ to }) => to.includes(address))?.raw ?? ''
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[\t ]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]))
  const body = raw
    .slice(end)
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { headers, body }
}

describe('the mail of a broadcast', () => {
  it.each([
    ['written', 'See https://shop.example/?e={{{EMAIL}}} soon'],
    ['made from the HTML', undefined],
  ])('has an address encoded for its place in a link, in HTML and in text that is %s', async (_name, text) => {
    await addMembers(service, segmentId, { 'ada+news@x.example': {} })
    const html = '<p>See <a href="https://shop.example/?e={{{EMAIL}}}">shop</a> soon</p>'
    const id = await createBroadcast(service, { segment_id: segmentId, html, text, send: true })
    start()
    await untilStatus(id, 'sent')
    await untilDelivered(1)
    const { body } = messageTo('ada+news@x.example')
    expect(body).toContain('<a href="https://shop.example/?e=ada%2Bnews%40x.example">shop</a>')
    expect(body).toContain(
      `See ${text === undefined ? 'shop (' : ''}https://shop.example/?e=ada%2Bnews%40x.example${text === undefined ? ')' : ''} soon`,
    )
  })

  it('is personal, says how to unsubscribe, and can be told from other mail', async () => {
    const topicId = await addTopic(service)
    await addMembers(service, segmentId, { 'ada@example.org': { first_name: 'Ada' }, 'bob@example.org': {} })
    const id = await createBroadcast(service, {
      segment_id: segmentId,
      topic_id: topicId,
      subject: 'News for {{{contact.first_name|you}}}',
      preview_text: 'For {{{FIRST_NAME|you}}} & co',
      html: '<html><body><p>Hello {{{FIRST_NAME|there}}}</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Leave</a></body></html>',
      send: true,
    })
    start()
    await untilStatus(id, 'sent')
    await untilDelivered(2)
    const ada = messageTo('ada@example.org')
    const url = ada.headers['List-Unsubscribe']?.slice(1, -1) ?? ''
    const [{ id: emailId } = { id: '' }] = await emailsOf(service, id)
    expect(ada.headers).toMatchObject({
      From: 'Acme <hello@example.com>',
      To: 'ada@example.org',
      Subject: 'News for Ada',
      'Message-ID': `<${emailId}@example.com>`,
      'List-Unsubscribe': expect.stringMatching(/^<https:\/\/mail\.example\.net\/unsubscribe\/[\w.-]+>$/),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Feedback-ID': expect.stringMatching(new RegExp(`^${id}:${service.teamId}:broadcast:ph[0-9a-f]{12}$`)),
      Precedence: 'bulk',
    })
    expect(ada.body).toContain(`<p>Hello Ada</p><a href="${url}">Leave</a>`)
    expect(ada.body).toMatch(/<body><div style="display:none[^>]*>For Ada &amp; co&#847;/)
    // The text is made of what is seen.
    expect(ada.body).not.toMatch(/text\/plain[^<]*For Ada/)
    const bob = messageTo('bob@example.org')
    expect(bob.headers.Subject).toBe('News for you')
    expect(bob.headers['List-Unsubscribe']).not.toBe(ada.headers['List-Unsubscribe'])

    const path = new URL(url).pathname
    const oneClick = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(oneClick.status).toBe(200)
    service.sink.messages.length = 0
    const next = await createBroadcast(service, { segment_id: segmentId, topic_id: topicId, send: true })
    await untilStatus(next, 'sent')
    await untilDelivered(1)
    expect(reached()).toEqual(['bob@example.org'])
  })

  it('is signed, with how to unsubscribe and whose mail it is', async () => {
    const signing = await startRelayService({ environment: { PUBLIC_URL: 'https://mail.example.net' } })
    const { records } = await createVerifiedDomain(signing)
    const segment = await addSegment(signing)
    await addManyMembers(signing, segment, 1)
    await createBroadcast(signing, { segment_id: segment, send: true })
    signing.startWorker()
    await until(() => expect(signing.sink.messages).toHaveLength(1))
    const raw = Buffer.from(signing.sink.messages[0]?.raw ?? '', 'latin1')
    await signing.close()
    const { results } = await dkimVerify(raw, { resolver: resolverOf(records) })
    expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass'])
    const head = raw.toString().replace(/\r\n[\t ]+/g, '')
    const signed = [...head.matchAll(/^DKIM-Signature:.*?;\s*h=([^;]+)/gm)].map(([, names = '']) => names.toLowerCase().split(/\s*:\s*/))
    // One time more than it occurs, so that none can be added.
    const twice = ['list-unsubscribe', 'list-unsubscribe', 'list-unsubscribe-post', 'list-unsubscribe-post']
    expect(signed.map((names) => names.filter((name) => /^(list-unsub|feedback)/.test(name)))).toEqual([
      [...twice, 'feedback-id'],
      [...twice, 'feedback-id'],
    ])
    expect(raw.toString()).toContain('\r\nPrecedence: bulk\r\n')
  })

  it('is not sent to who unsubscribed, opted out, was suppressed or was deleted between the fan-out and the first attempt', async () => {
    const topicId = await addTopic(service)
    const ids = await addMembers(service, segmentId, {
      'stays@example.org': {},
      'leaves@example.org': {},
      'optsout@example.org': {},
      'suppressed@example.org': {},
      'deleted@example.org': {},
    })
    const id = await createBroadcast(service, { segment_id: segmentId, topic_id: topicId, send: true })
    const whole = await createBroadcast(service, { segment_id: segmentId, send: true })
    await doDue(service)
    expect(await emailsOf(service, id)).toHaveLength(5)
    await service.call('PATCH', `/contacts/${ids['leaves@example.org']}`, { body: { unsubscribed: true } })
    await service.call('PATCH', '/contacts/optsout@example.org/topics', { body: [{ id: topicId, subscription: 'opt_out' }] })
    await service.call('POST', '/suppressions', { body: { email: 'suppressed@example.org' } })
    await service.call('DELETE', '/contacts/deleted@example.org')
    start()
    await untilStatus(id, 'sent')
    await untilStatus(whole, 'sent')
    await untilDelivered(3)
    expect(reached()).toEqual(['optsout@example.org', 'stays@example.org', 'stays@example.org'])
    await until(async () =>
      expect((await readBroadcast(service, id)).counts).toEqual({
        ...NO_COUNTS,
        recipients: 5,
        sent: 1,
        delivered: 1,
        suppressed: 1,
        failed: 3,
      }),
    )
  })
})

describe('a fault while its messages are built', () => {
  const connectionLost = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })

  /** Nothing of it is sent yet. */
  async function fanOutTo(count: number): Promise<{ id: string; addresses: string[] }> {
    const addresses = await addManyMembers(service, segmentId, count)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await doDue(service)
    return { id, addresses }
  }

  it.each([
    ['a lost connection', connectionLost()],
    ['an error that no one expected', new Error('Unexpected')],
  ] as const)('fails none of them: after %s, each is delivered', async (_, error) => {
    const { id, addresses } = await fanOutTo(30)
    const asking = vi.spyOn(service.service.context.repositories.broadcasts, 'find').mockRejectedValueOnce(error)
    start()
    await untilStatus(id, 'sent')
    await untilDelivered(addresses.length)
    expect(reached()).toEqual(addresses.toSorted())
    await expect(asking.mock.results[0]?.value).rejects.toBe(error)
    await until(async () => expect(await byState(id)).toEqual({ delivered: addresses.length }))
  })

  it('that does not pass ends it after some claims, so that it does not stop the service forever', async () => {
    const { id, addresses } = await fanOutTo(2)
    await service.database.execute('update deliveries set claims = 4 where email_id in (select id from emails where broadcast_id = $1)', [
      id,
    ])
    vi.spyOn(service.service.context.repositories.broadcasts, 'find').mockRejectedValue(new Error('Unexpected'))
    start()
    await until(async () => expect(await byState(id)).toEqual({ failed: addresses.length }))
    expect(service.sink.messages).toEqual([])
  })
})

/** Holds the replies of the mail server until they are released. */
function holdReplies(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  service.sinkOptions.beforeReply = () => promise
  return resolve
}

const byState = async (id: string): Promise<Record<string, number>> => {
  const rows = await service.database.execute<{ state: string; count: number }>(
    `select e.last_event as state, count(*)::int as count from emails e where e.broadcast_id = $1 group by 1`,
    [id],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
const claimable = async (id: string): Promise<number> => {
  const rows = await service.database.execute(
    `select from deliveries d join emails e on e.id = d.email_id where e.broadcast_id = $1 and d.class <> 'held' and d.leased_by is null`,
    [id],
  )
  return rows.length
}

/** How many of its deliveries a worker has. */
const inHand = async (id: string): Promise<number> => {
  const rows = await service.database.execute(
    'select from deliveries d join emails e on e.id = d.email_id where e.broadcast_id = $1 and d.leased_by is not null',
    [id],
  )
  return rows.length
}

const MEMBERS = 600

/** Begun in part: the mail server answers nothing until it is released. */
async function beginBroadcast(): Promise<{ id: string; addresses: string[]; release: () => void }> {
  const addresses = await addManyMembers(service, segmentId, MEMBERS)
  const release = holdReplies()
  const id = await createBroadcast(service, { segment_id: segmentId, send: true })
  start()
  await until(async () => expect((await byState(id)).sent ?? 0).toBeGreaterThan(0))
  return { id, addresses, release }
}

describe('pausing', () => {
  it('keeps what has not begun, lets what has begun go on, and resumes where it stood', async () => {
    const { id, addresses, release } = await beginBroadcast()
    expect((await act(id, 'pause')).status).toBe(200)
    await until(async () => expect(await claimable(id)).toBe(0))
    const before = await byState(id)
    expect(before.queued).toBeGreaterThan(0)
    release()
    await until(async () => expect(await inHand(id)).toBe(0))
    // What was about to begin at the moment of the pause may have begun.
    const { queued = 0, delivered = 0, ...others } = await byState(id)
    expect({ all: queued + delivered, others }).toEqual({ all: MEMBERS, others: {} })
    expect(queued).toBeGreaterThan(0)
    expect(delivered).toBeGreaterThanOrEqual(before.sent ?? 0)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'paused', sent_at: null })
    expect(service.sink.messages).toHaveLength(delivered)

    expect((await act(id, 'resume')).status).toBe(200)
    await untilStatus(id, 'sent')
    await untilDelivered(MEMBERS)
    expect(reached()).toEqual(addresses.toSorted())
  })
})

describe('canceling', () => {
  it('lets what has begun go on, and cancels all else', async () => {
    const { id, release } = await beginBroadcast()
    expect((await act(id, 'cancel')).status).toBe(200)
    await until(async () => expect((await byState(id)).queued).toBeUndefined())
    release()
    await until(async () => expect((await byState(id)).sent).toBeUndefined())
    const { delivered = 0, canceled = 0, ...others } = await byState(id)
    expect({ all: delivered + canceled, others }).toEqual({ all: MEMBERS, others: {} })
    expect(canceled).toBeGreaterThan(0)
    expect(service.sink.messages).toHaveLength(delivered)
    const [left] = await service.database.execute<{ count: number }>('select count(*)::int as count from deliveries')
    expect(left).toEqual({ count: 0 })
    expect(await readBroadcast(service, id)).toMatchObject({
      status: 'canceled',
      sent_at: null,
      counts: { recipients: MEMBERS, sent: delivered, canceled },
    })
    for (const [type, count] of Object.entries({ sent: delivered, canceled })) {
      const { body } = await service.call('GET', `/broadcasts/${id}/recipients?type=${type}&limit=100`)
      expect(body).toMatchObject({ has_more: count > 100, data: { length: Math.min(count, 100) } })
    }
    expect(outcome(await act(id, 'resume'))).toEqual(invalid(refusedMove('resume', 'canceled')))
  })

  it('stops a paused one too', async () => {
    const { id, release } = await beginBroadcast()
    await act(id, 'pause')
    await until(async () => expect(await claimable(id)).toBe(0))
    expect((await act(id, 'cancel')).status).toBe(200)
    release()
    await until(async () => expect(Object.keys(await byState(id)).toSorted()).toEqual(['canceled', 'delivered']))
  })
})

describe('a domain that loses its verification', () => {
  it('makes the rest wait, which says why, and continues once it is verified again', async () => {
    const strict = await startRelayService({ environment: { SENDER_POLICY: 'verified' } })
    const setVerified = (canSend: boolean) => strict.database.execute('update domains set can_send = $1', [canSend])
    await createVerifiedDomain(strict)
    await setVerified(true)
    const segment = await addSegment(strict)
    const addresses = await addManyMembers(strict, segment, 3)
    const id = await createBroadcast(strict, { segment_id: segment, send: true })
    await setVerified(false)
    // Remembered for a second.
    await until(async () =>
      expect(await strict.service.context.repositories.domains.sendersAmong(strict.teamId, ['example.com'])).toEqual(new Set()),
    )
    strict.startWorker()
    await until(async () =>
      expect(await readBroadcast(strict, id)).toMatchObject({
        status: 'queued',
        status_reason: 'The domain example.com of its sender is not verified. What has not been sent waits until it is.',
      }),
    )
    expect(strict.sink.messages).toEqual([])
    await setVerified(true)
    await strict.database.execute('update broadcasts set due_at = now() where due_at is not null')
    await until(async () => expect(await readBroadcast(strict, id)).toMatchObject({ status: 'sent', status_reason: null }))
    await until(async () => expect(strict.sink.messages.flatMap(({ to }) => to).toSorted()).toEqual(addresses.toSorted()))
    await strict.close()
  })
})
