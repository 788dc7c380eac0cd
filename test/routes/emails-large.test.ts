import { expect, it, vi } from 'vitest'
import { send } from '../support/builders/email-builders.ts'
import { useTestService } from '../support/servers/use-test-service.ts'

const service = useTestService()

it('the content of an email takes room before it is read, so that many requests for a large one do not take all memory', async () => {
  const id = await send(service, { html: `<p>${'x'.repeat(15_000_000)}</p>` })
  const { emails } = service.service.context.repositories
  const find = emails.find.bind(emails)
  const held = Promise.withResolvers<void>()
  const finding = vi.spyOn(emails, 'find').mockImplementation(async (...given) => {
    await held.promise
    return find(...given)
  })
  const asking = Array.from({ length: 12 }, () => service.call('GET', `/emails/${id}`).then(({ status }) => status))
  const first = await Promise.race(asking)
  held.resolve()
  const statuses = await Promise.all(asking)
  finding.mockRestore()
  expect(first).toBe(503)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5)
})
