// How long a message that was submitted is kept: as long as its email.
import { afterEach, describe, expect, it } from 'vitest'
import { sweepBlobs, sweepEmails } from '../../../src/server/sweeps.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60_000
const clock = createMovingClock()

const service = shared(() => startSubmissionService({ clock, environment: { EMAIL_RETENTION_DAYS: '3' } }))

afterEach(() => service.database.execute('truncate submitted_messages, attachments, deliveries, recipients, emails'))

const FILE = `Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${`${'QUJD'.repeat(19)}\r\n`.repeat(2_000)}`
const messageOf = (more = '') =>
  `From: hello@example.com\r\nTo: ada@example.com\r\n${more}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${FILE}--b--\r\n`

async function handIn(more?: string): Promise<{ id: string; keys: string[] }> {
  const { id } = await service.emailOf(await service.handIn(messageOf(more)))
  const rows = await service.database.execute<{ key: string }>(
    `select blob_key as key from submitted_messages where email_id = $1 union all select blob_key from attachments where email_id = $1`,
    [id],
  )
  return { id: String(id), keys: rows.map(({ key }) => key) }
}

/** Ends the delivery of an email as the engine does. */
async function finish(id: string): Promise<void> {
  await service.database.execute('delete from deliveries where email_id = $1', [id])
  await service.database.execute('update emails set final_at = $2 where id = $1', [id, clock.now()])
}

const sizesOf = (keys: string[]) => Promise.all(keys.map((key) => service.service.context.gateways.blobs.size(key)))
const messagesOf = (id: string) => service.database.execute('select email_id from submitted_messages where email_id = $1', [id])

describe('a large message that was submitted', () => {
  it('is removed with its email after EMAIL_RETENTION_DAYS: its row, its blob and those of its files', async () => {
    const { id, keys } = await handIn()
    const waiting = await handIn('X-Scheduled-At: in 20 days\r\n')
    expect(await sizesOf(keys)).toEqual([expect.any(Number), expect.any(Number)])
    await finish(id)

    clock.advance(2.9 * DAY_MS)
    await sweepEmails(service.service.context)
    expect(await messagesOf(id)).toHaveLength(1)
    expect(await sizesOf(keys)).not.toContain(null)

    clock.advance(0.2 * DAY_MS)
    await sweepEmails(service.service.context)
    expect((await service.call('GET', `/emails/${id}`)).status).toBe(404)
    expect(await messagesOf(id)).toEqual([])
    expect(await sizesOf(keys)).toEqual([null, null])
    expect(await messagesOf(waiting.id)).toHaveLength(1)
    expect(await sizesOf(waiting.keys)).not.toContain(null)
  })

  it('keeps its blob in the sweep of blobs while it is stored, and loses it there when it is stored no longer', async () => {
    const [kept, gone] = [await handIn(), await handIn()]
    // Its process ended between the removal of the rows and that of the blobs.
    for (const table of ['submitted_messages', 'attachments']) {
      await service.database.execute(`delete from ${table} where email_id = $1`, [gone.id])
    }

    await sweepBlobs({ ...service.service.context, clock: { ...clock, now: () => new Date(Date.now() + 1.1 * DAY_MS) } })

    expect(await sizesOf(gone.keys)).toEqual([null, null])
    expect(await sizesOf(kept.keys)).toEqual([expect.any(Number), expect.any(Number)])
  })

  it('that is canceled is kept until then too', async () => {
    const { id, keys } = await handIn('X-Scheduled-At: in 1 hour\r\n')
    expect((await service.call('POST', `/emails/${id}/cancel`)).status).toBe(200)
    clock.advance(2.9 * DAY_MS)
    await sweepEmails(service.service.context)
    expect(await sizesOf(keys)).not.toContain(null)

    clock.advance(0.2 * DAY_MS)
    await sweepEmails(service.service.context)
    expect(await messagesOf(id)).toEqual([])
    expect(await sizesOf(keys)).toEqual([null, null])
  })
})
