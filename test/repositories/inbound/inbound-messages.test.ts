import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { sweepBlobs, sweepInboundMessages } from '../../../src/workers/sweep.ts'
import { emailInput } from '../../support/builders/email-builders.ts'
import { storeInboundMessage } from '../../support/builders/inbound-messages.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/moving-clock.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** LOG_RETENTION_DAYS, unless it is set. */
const RETENTION_DAYS = 30

let clock: MovingClock
let service: TestService
beforeAll(async () => {
  clock = createMovingClock()
  service = await startTestService({ clock })
})
afterAll(() => service.close())

const setDone = (ids: string[]) =>
  service.database.execute(`update inbound_messages set state = 'done', verdict = 'test' where id = any($1::uuid[])`, [ids])

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
