import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import {
  ACTED_UPON_CONTENT_BYTES_MAX,
  boundInbound,
  OTHER_CONTENT_BYTES_MAX,
  OTHER_CONTENT_KEPT_DAYS,
  OTHER_ROWS_MAX,
  sweepInboundMessages,
} from '../../../src/modules/inbound/inbound.sweep.ts'
import { INBOUND_VERDICTS, type InboundVerdict } from '../../../src/modules/inbound/inbound-messages.repository.ts'
import { sweepBlobs } from '../../../src/server/sweeps.ts'
import { emailInput } from '../../support/builders/emails.ts'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** LOG_RETENTION_DAYS, unless it is set. */
const RETENTION_DAYS = 30

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

const setDone = (ids: string[], verdict: InboundVerdict = 'bounce') =>
  service.database.execute(`update inbound_messages set state = 'done', verdict = $2 where id = any($1::uuid[])`, [ids, verdict])

const storedIds = async (ids: string[]) =>
  (await service.database.execute('select id from inbound_messages where id = any($1::uuid[]) order by id', [ids])).map(({ id }) => id)

const blobSize = (key: string) => service.service.context.gateways.blobs.size(key)

describe('an inbound message', () => {
  it('is stored whole, and belongs to the team of the recipient that its return path names', async () => {
    const { body } = await service.call('POST', '/emails', { body: emailInput() })
    const [recipient] = await service.database.execute('select id from recipients where email_id = $1', [(body as { id: string }).id])
    const message = await storeInboundMessage(service, { recipientId: String(recipient?.id), mailFrom: 'a@example.net' })

    const [row] = await service.database.execute('select * from inbound_messages where id = $1', [message.id])

    expect(row).toEqual({
      id: message.id,
      team_id: service.teamId,
      recipient_id: recipient?.id,
      purpose: 'return_path',
      mail_from: 'a@example.net',
      rcpt_to: 'token@send.example.com',
      blob_key: message.blobKey,
      bytes: message.bytes,
      peer: '192.0.2.1',
      helo: 'mx.example.net',
      tls: 'TLSv1.3',
      received_at: message.receivedAt,
      state: 'waiting',
      taken_at: null,
      tries: 0,
      postponed: 0,
      verdict: null,
      detail: null,
    })
  })

  it('belongs to no team if the recipient was removed', async () => {
    const { id } = await storeInboundMessage(service, { recipientId: createId() })
    expect(await service.database.execute('select team_id from inbound_messages where id = $1', [id])).toEqual([{ team_id: null }])
  })
})

describe('the sweep of inbound messages', () => {
  it('removes those that were acted upon after LOG_RETENTION_DAYS with their blobs, and none that waits', async () => {
    const old = await storeInboundMessage(service)
    const waiting = await storeInboundMessage(service)
    clock.advance(DAY_MS)
    const young = await storeInboundMessage(service)
    await setDone([old.id, young.id])

    clock.advance((RETENTION_DAYS - 0.5) * DAY_MS)
    await sweepInboundMessages(service.service.context)

    expect(await storedIds([old.id, waiting.id, young.id])).toEqual([waiting.id, young.id])
    expect(await blobSize(old.blobKey)).toBeNull()
    expect(await blobSize(waiting.blobKey)).toBe(waiting.bytes)
  })

  it('keeps a blob as long as another recipient of the message has it', async () => {
    const first = await storeInboundMessage(service)
    const second = await storeInboundMessage(service, { blobKey: first.blobKey })
    await setDone([first.id])
    clock.advance((RETENTION_DAYS + 1) * DAY_MS)

    await sweepInboundMessages(service.service.context)
    expect(await blobSize(first.blobKey)).toBe(first.bytes)

    await setDone([second.id])
    await sweepInboundMessages(service.service.context)
    expect(await blobSize(first.blobKey)).toBeNull()
  })

  it('leaves the sweep of blobs nothing that a message still names', async () => {
    const message = await storeInboundMessage(service)
    const later = () => new Date(Date.now() + 3 * DAY_MS)

    await sweepBlobs({ ...service.service.context, clock: { ...clock, now: later } })

    expect(await blobSize(message.blobKey)).toBe(message.bytes)
  })
})

describe('the content of a message that a worker is done with', () => {
  beforeEach(() => service.database.execute('delete from inbound_messages'))

  /** Stored one after the other, all of them done. */
  async function storeDone(verdict: InboundVerdict, count = 1) {
    const messages = []
    for (let stored = 0; stored < count; stored += 1) messages.push(await storeInboundMessage(service))
    await setDone(
      messages.map(({ id }) => id),
      verdict,
    )
    return messages
  }

  const isKept = async ({ blobKey }: { blobKey: string }) => (await blobSize(blobKey)) !== null

  it.each(INBOUND_VERDICTS)('is kept as long as the row if the message was acted upon, and else for some days: %s', async (verdict) => {
    const isActedUpon = verdict === 'bounce' || verdict === 'complaint'
    const [message] = await storeDone(verdict)
    clock.advance((OTHER_CONTENT_KEPT_DAYS - 0.5) * DAY_MS)
    await sweepInboundMessages(service.service.context)
    expect(message && (await isKept(message))).toBe(true)

    clock.advance(DAY_MS)
    const [young] = await storeDone(verdict)
    await sweepInboundMessages(service.service.context)

    expect(message && (await isKept(message))).toBe(isActedUpon)
    expect(young && (await isKept(young))).toBe(true)
    const [row] = await service.database.execute('select verdict, blob_key from inbound_messages where id = $1', [message?.id])
    expect(row).toEqual({ verdict, blob_key: isActedUpon ? message?.blobKey : null })
  })

  it('stays while the message waits, or another recipient of it was acted upon', async () => {
    const [other] = await storeDone('other')
    const bounced = await storeInboundMessage(service, { blobKey: other?.blobKey ?? '' })
    await setDone([bounced.id])
    const waiting = await storeInboundMessage(service)
    clock.advance((OTHER_CONTENT_KEPT_DAYS + 1) * DAY_MS)

    await sweepInboundMessages(service.service.context)

    expect([await isKept(bounced), await isKept(waiting)]).toEqual([true, true])
    const rows = await service.database.execute('select id from inbound_messages where blob_key is null')
    expect(rows).toEqual([{ id: other?.id }])
  })

  it.each([
    ['unmatched', 'bounce', OTHER_CONTENT_BYTES_MAX],
    ['complaint', 'other', ACTED_UPON_CONTENT_BYTES_MAX],
  ] as const)('is removed when all of its kind have too many bytes, the oldest first: %s', async (verdict, otherVerdict, bytesMax) => {
    const messages = await storeDone(verdict, 12)
    const [unrelated] = await storeDone(otherVerdict)
    const waiting = await storeInboundMessage(service)
    await service.database.execute('update inbound_messages set bytes = $1', [bytesMax / 8])
    await service.database.execute('update inbound_messages set bytes = $2 where id = $1', [messages[11]?.id, bytesMax / 8 + 1])

    await boundInbound(service.service.context)

    expect(await Promise.all(messages.map(isKept))).toEqual([...Array(5).fill(false), ...Array(7).fill(true)])
    expect([unrelated && (await isKept(unrelated)), await isKept(waiting)]).toEqual([true, true])
    expect(await storedIds(messages.map(({ id }) => id))).toHaveLength(12)
  })

  it('counts once for a message to many recipients, and goes from all of them', async () => {
    const first = await storeInboundMessage(service)
    const copies = [first]
    for (let copy = 1; copy < 8; copy += 1) copies.push(await storeInboundMessage(service, { blobKey: first.blobKey }))
    const later = await storeInboundMessage(service)
    await setDone(
      [...copies, later].map(({ id }) => id),
      'other',
    )
    await service.database.execute('update inbound_messages set bytes = $1', [OTHER_CONTENT_BYTES_MAX / 2])
    await boundInbound(service.service.context)
    expect([await isKept(first), await isKept(later)]).toEqual([true, true])

    await service.database.execute('update inbound_messages set bytes = $1', [OTHER_CONTENT_BYTES_MAX / 2 + 1])
    await boundInbound(service.service.context)
    expect([await isKept(first), await isKept(later)]).toEqual([false, true])
    expect(await service.database.execute('select id from inbound_messages where blob_key is not null')).toEqual([{ id: later.id }])
  })
})

describe('the rows of messages that a worker is done with', () => {
  beforeEach(() => service.database.execute('delete from inbound_messages'))

  /** Makes the rows older than everything, with as many more as the number that is kept. */
  const fill = (verdict: InboundVerdict, count: number) =>
    service.database.execute(
      `insert into inbound_messages (id, purpose, mail_from, rcpt_to, blob_key, bytes, peer, helo, received_at, state, verdict)
       select ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, 'postmaster', '', 'postmaster', null, 1, '192.0.2.1', 'x', $3, 'done', $1
       from generate_series(1, $2::int) as number`,
      [verdict, count, clock.now()],
    )

  it('are as many as are kept of each verdict: the oldest go with their contents, and those of other verdicts stay', async () => {
    const [newest, other] = [await storeInboundMessage(service), await storeInboundMessage(service)]
    const waiting = await storeInboundMessage(service)
    await setDone([newest.id], 'backscatter')
    await setDone([other.id], 'unmatched')
    await fill('backscatter', OTHER_ROWS_MAX + 700)
    const oldest = { id: '00000000-0000-7000-8000-000000000001', blobKey: createId() }
    await service.service.context.gateways.blobs.put(oldest.blobKey, Buffer.from('x'))
    await service.database.execute('update inbound_messages set blob_key = $2 where id = $1', [oldest.id, oldest.blobKey])

    await boundInbound(service.service.context)

    const counts = await service.database.execute(
      'select verdict, count(*)::int as count, min(id::text) as oldest from inbound_messages group by 1 order by 1',
    )
    expect(counts).toEqual([
      { verdict: 'backscatter', count: OTHER_ROWS_MAX, oldest: '00000000-0000-7000-8000-000000000702' },
      { verdict: 'unmatched', count: 1, oldest: other.id },
      { verdict: null, count: 1, oldest: waiting.id },
    ])
    expect(await blobSize(oldest.blobKey)).toBeNull()
    expect(await storedIds([newest.id])).toEqual([newest.id])
  })
})
