import { expect, it } from 'vitest'
import type { RecordFinding } from '../../../../src/modules/domains/checks/domain-checks.repository.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

it('asks the DNS at once after a check in whose middle verification was asked for, because that check saw the records of before', async () => {
  const { domainChecks } = service.service.context.repositories
  const { body } = await service.call('POST', '/domains', { body: { name: 'acme.example' } })
  const { id } = body as { id: string }
  const verify = () => service.call('POST', `/domains/${id}/verify`)
  const take = async () => (await domainChecks.takeDueAcrossTeams(10, [])).find((due) => due.id === id)
  const record = (records: Pick<RecordFinding, 'kind' | 'host' | 'value'>[]) =>
    domainChecks.record(
      service.teamId,
      id,
      records.map(({ kind, host, value }) => ({ kind, host, value, found: [], verdict: 'absent' })),
    )
  await verify()
  const first = await take()
  clock.advance(11_000)
  await verify()
  await record(first?.records ?? [])
  const second = await take()
  expect(second).toMatchObject({ id, status: 'pending' })
  await record(second?.records ?? [])
  expect(await take()).toBeUndefined()
})
