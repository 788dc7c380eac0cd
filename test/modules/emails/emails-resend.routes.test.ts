import { expect, it } from 'vitest'
import { invalid, outcome } from '../../support/builders/answers.ts'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock }))

const again = (id: string, headers: Record<string, string> = {}, token = service.token) =>
  service.call('POST', `/emails/${id}/resend`, { headers, token })
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const read = async (id: string) => (await service.call('GET', `/emails/${id}`)).body as Record<string, unknown>

it('sends the stored content and files to the same recipients as a new email', async () => {
  const id = await send(service, {
    ...{ to: ['a@simulator.test'], cc: 'b@simulator.test', bcc: 'c@simulator.test', reply_to: 'r@example.com', html: '<p>Thank you.</p>' },
    ...{ headers: { 'X-Order': '7' }, tags: [{ name: 'kind', value: 'receipt' }] },
    attachments: [
      { filename: 'a.txt', content: 'YQ==' },
      { filename: 'b.txt', content: 'Yg==' },
    ],
  })
  const answer = await again(id)
  expect(answer.status).toBe(200)
  const copy = idOf(answer)
  expect(copy).not.toBe(id)
  const same = ({ id: _id, message_id: _messageId, created_at: _createdAt, last_event: _lastEvent, ...rest }: Record<string, unknown>) =>
    rest
  expect(same(await read(copy))).toEqual(same(await read(id)))
  const rows = (of: string) =>
    service.database.execute(
      `select headers, array(select address from recipients r where r.email_id = e.id order by address) as recipients,
         array(select filename || size from attachments a where a.email_id = e.id order by position) as files from emails e where id = $1`,
      [of],
    )
  expect(await rows(copy)).toEqual(await rows(id))
  const keys = await service.database.execute('select blob_key from attachments where email_id = any($1)', [[id, copy]])
  expect(new Set(keys.map(({ blob_key: key }) => key)).size).toBe(4)
})

it('sends an email again once a minute, with whatever key', async () => {
  const id = await send(service)
  expect((await again(id)).status).toBe(200)
  const refused = await again(id.toUpperCase(), {}, await service.createKey(service.teamId))
  expect([outcome(refused), refused.headers.get('retry-after')]).toEqual([
    {
      status: 429,
      body: {
        statusCode: 429,
        name: 'rate_limit_exceeded',
        message: 'This email was sent again less than a minute ago. Please wait a minute and try again.',
      },
    },
    '60',
  ])
  clock.shift(60_001)
  expect((await again(id)).status).toBe(200)
})

it('gives a repetition with the same key the same answer', async () => {
  const id = await send(service)
  const headers = { 'idempotency-key': 'once' }
  const first = await again(id, headers)
  expect(await again(id, headers).then(idOf)).toBe(idOf(first))
  const other = await again(await send(service, { subject: 'Other' }), headers)
  expect(other.status).toBe(409)
})

it.each([
  ['a scheduled email', { scheduled_at: 'in 1 hour' }, ''],
  ['a canceled one', {}, `update emails set state = 'canceled' where id = $1`],
])('refuses %s', async (_what, changes, change) => {
  const id = await send(service, changes)
  if (change) await service.database.execute(change, [id])
  expect(outcome(await again(id))).toEqual(
    invalid('This email has not been sent: it is scheduled, was canceled, or its files are still being fetched.'),
  )
})

it.each([
  ['its content', 'update emails set html = null, text = null where id = $1'],
  ['its files', `update attachments set blob_key = gen_random_uuid() where email_id = $1`],
])('refuses an email of which %s are no longer kept, which may be tried again at once', async (_what, change) => {
  const id = await send(service, { attachments: [{ filename: 'a.txt', content: 'YQ==' }] })
  await service.database.execute(change, [id])
  const refusal = invalid('The content of this email is no longer kept, so it cannot be sent again.')
  expect(outcome(await again(id))).toEqual(refusal)
  expect(outcome(await again(id))).toEqual(refusal)
})

it('refuses an email of a broadcast, and one of another team', async () => {
  const id = await send(service)
  await service.database.execute('update emails set broadcast_id = $2 where id = $1', [id, UNKNOWN_ID])
  expect(outcome(await again(id))).toEqual(invalid('This email is part of a broadcast. Emails of broadcasts cannot be sent again.'))
  expect((await again(id, {}, service.other.token)).status).toBe(404)
})
