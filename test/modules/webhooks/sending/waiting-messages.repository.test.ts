// What waits for a deleted webhook, while the planner believes that nothing waits.
import { expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const MANY = 20_000

const service = shared(() => startTestService())

it('is removed, though the table was analyzed just before it was there', async () => {
  const { execute, transaction } = service.database
  const id = createId()
  await transaction(async (inside) => {
    await inside(
      `insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at)
       select $1, gen_random_uuid(), $2, gen_random_uuid(), now() from generate_series(1, $3::int)`,
      [id, service.teamId, MANY],
    )
    await execute('analyze webhook_deliveries')
  })
  const { waitingWebhookMessages } = service.service.context.repositories
  let removed = 0
  for (let count = -1; count !== 0; removed += count) count = await waitingWebhookMessages.clearAcrossTeams(id, new Date())
  expect(removed).toBe(MANY)
})
