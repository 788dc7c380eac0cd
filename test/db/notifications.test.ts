import { expect, it } from 'vitest'
import { append } from '../../src/db/outbox.ts'
import { createId } from '../../src/lib/ids.ts'
import { notificationRepository, type UnreadableNotification } from '../../src/modules/emails/email-timeline.repository.ts'
import { outcome, TIMESTAMP } from '../support/builders/answers.ts'
import { send } from '../support/builders/emails.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())

async function store(subjectId: string, type: string, data: unknown): Promise<string> {
  const id = createId()
  await service.database.execute(
    'insert into notifications (id, team_id, type, subject_id, data, created_at) values ($1, $2, $3, $4, $5::jsonb, now())',
    [id, service.teamId, type, subjectId, JSON.stringify(data)],
  )
  return id
}

it('lists a notification whose data is not valid without its data, tells of it, and lists those beside it in full', async () => {
  const subjectId = await send(service)
  const kept = { id: createId(), teamId: service.teamId, type: 'email.sent' as const, subjectId, data: { to: ['a@example.com'] } }
  await append(service.database.execute, [kept], new Date())
  const unlisted = await store(subjectId, 'email.delivered', { to: 'a@example.com' })
  const untyped = await store(subjectId, 'email.teleported', { to: [] })
  const told: UnreadableNotification[] = []
  const notifications = notificationRepository(service.database, { onUnreadable: (unreadable) => told.push(unreadable) })

  const { rows } = await notifications.listOf(service.teamId, subjectId, { limit: 10, after: null, before: null })

  expect(rows.map(({ id, type, data }) => ({ id, type, data }))).toEqual([
    { id: untyped, type: 'email.teleported', data: { to: [] } },
    { id: unlisted, type: 'email.delivered', data: { to: [] } },
    { id: kept.id, type: 'email.sent', data: { to: ['a@example.com'] } },
  ])
  expect(told).toEqual([
    { notificationId: untyped, type: 'email.teleported', problem: 'is of an unknown type' },
    { notificationId: unlisted, type: 'email.delivered', problem: '/to must be array' },
  ])
  expect(outcome(await service.call('GET', `/emails/${subjectId}/events?limit=2`))).toEqual({
    status: 200,
    body: {
      object: 'list',
      has_more: true,
      data: [
        { id: untyped, type: 'email.teleported', to: [], detail: null, explanation: null, advice: null, created_at: TIMESTAMP },
        { id: unlisted, type: 'email.delivered', to: [], detail: null, explanation: null, advice: null, created_at: TIMESTAMP },
      ],
    },
  })
})
