// A domain that is deleted while mail from it is accepted, waits, is tried again, or is on its way. Only verified domains may send.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBroadcast, readBroadcast } from '../../../support/builders/broadcasts.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { createVerifiedDomain } from '../../../support/builders/domains.ts'
import { sendEmail, stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { createJumpingClock, type MovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { type RelayService, startRelayService } from '../../../support/servers/mail-services.ts'
import { untilLockWait } from '../../../support/servers/statements.ts'

const NAME = 'example.com'
const GONE = `The domain ${NAME} of its sender was deleted, or went to another team, before the email was delivered. It could only be sent without a DKIM signature, so it was not sent.`

let clock: MovingClock
let service: RelayService
let domainId: string
beforeEach(async () => {
  clock = createJumpingClock()
  service = await startRelayService({ clock, environment: { SENDER_POLICY: 'verified' } })
  domainId = (await createVerifiedDomain(service, NAME)).id
  await service.database.execute('update domains set can_send = true')
})
afterEach(() => service.close())

const deleteDomain = () => service.call('DELETE', `/domains/${domainId}`)
const bodyOf = (to: string) => ({ from: `hello@${NAME}`, to, subject: 'Hello', text: 'Hello.' })
const isSigned = () => service.sink.messages.map(({ raw }) => /^dkim-signature/im.test(raw))

async function failedWith(emailId: string): Promise<unknown> {
  await untilEvent(service, emailId, 'failed')
  const [event] = await service.database.execute<{ detail: unknown }>(
    `select data->'detail' as detail from notifications where subject_id = $1 and type = 'email.failed'`,
    [emailId],
  )
  return event?.detail
}

describe('mail from a domain that is deleted', () => {
  it('before the mail is tried fails with that reason and an event, and is not sent unsigned', async () => {
    const batch = await service.call('POST', '/emails/batch', { body: [bodyOf('a@example.org'), bodyOf('b@example.org')] })
    const ids = [await sendEmail(service), ...(batch.body as { data: { id: string }[] }).data.map(({ id }) => id)]
    await deleteDomain()
    service.startWorker()
    for (const id of ids) expect(await failedWith(id)).toEqual({ failed: { reason: GONE } })
    expect(service.sink.messages).toEqual([])
  })

  it.each([
    ['one email', () => service.call('POST', '/emails', { body: bodyOf('a@example.org') })],
    ['a batch', () => service.call('POST', '/emails/batch', { body: [bodyOf('a@example.org')] })],
  ])('between the judgement and the acceptance of %s fails in the same way', async (_, send) => {
    const { answer } = await service.database.transaction(async (inside) => {
      await inside('lock table emails in share mode')
      const sent = send()
      await untilLockWait(service)
      await inside('delete from domains')
      return { answer: sent }
    })
    expect((await answer).status).toBe(200)
    const [row] = await service.database.execute<{ id: string }>('select id from emails')
    service.startWorker()
    expect(await failedWith(row?.id ?? '')).toEqual({ failed: { reason: GONE } })
    expect(service.sink.messages).toEqual([])
  })

  it('and registered again before the mail is tried fails too, for its new keys are not published yet', async () => {
    const id = await sendEmail(service)
    await deleteDomain()
    expect((await service.call('POST', '/domains', { body: { name: NAME } })).status).toBe(201)
    service.startWorker()
    expect(await failedWith(id)).toEqual({ failed: { reason: GONE } })
  })

  it('while the mail waits for its next attempt fails at that, for the recipients who have not got it', async () => {
    service.sinkOptions.onRecipient = (to) =>
      to.startsWith('later') && service.sink.messages.length < 2 ? { code: 451, text: 'Later' } : undefined
    const id = await sendEmail(service, { to: ['now@example.org', 'later@example.org'] })
    service.startWorker()
    await until(async () => expect((await stateOf(service, id)).recipients).toEqual(['delivery_delayed', 'delivered']))
    await service.stopWorkers()
    await deleteDomain()
    clock.advance(10 * 60_000)
    service.startWorker()
    await until(async () => expect((await stateOf(service, id)).recipients).toEqual(['failed', 'delivered']))
    expect(isSigned()).toEqual([true])
  })

  it('while the mail is on its way is delivered with its signature', async () => {
    const reply = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    service.sinkOptions.beforeReply = () => {
      isHeld.resolve()
      return reply.promise
    }
    const id = await sendEmail(service)
    service.startWorker()
    await isHeld.promise
    await deleteDomain()
    reply.resolve()
    await untilEvent(service, id, 'delivered')
    expect(isSigned()).toEqual([true])
  })

  it('while a broadcast from it is sent holds what has not begun, says why, and lets it be canceled', async () => {
    const segment = await addSegment(service)
    await service.call('POST', '/contacts', { body: { email: 'ada@example.org', segments: [{ id: segment }] } })
    const id = await createBroadcast(service, { segment_id: segment, send: true })
    await deleteDomain()
    service.startWorker()
    await until(async () =>
      expect(await readBroadcast(service, id)).toMatchObject({
        status: 'queued',
        status_reason: `The domain ${NAME} of its sender is not verified. What has not been sent waits until it is.`,
      }),
    )
    expect((await service.call('POST', `/broadcasts/${id}/cancel`)).status).toBe(200)
    expect(service.sink.messages).toEqual([])
  })
})
