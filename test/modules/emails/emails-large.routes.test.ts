import { it, vi } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { expectReadsToTakeRoom } from '../../support/clients/raw-requests.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

it('the content of an email takes room before it is read, so that many requests for a large one do not take all memory', async () => {
  const id = await send(service, { html: `<p>${'x'.repeat(15_000_000)}</p>` })
  const { emails } = service.service.context.repositories
  const find = emails.find.bind(emails)
  await expectReadsToTakeRoom({
    hold(until) {
      const finding = vi.spyOn(emails, 'find').mockImplementation(async (...given) => {
        await until
        return find(...given)
      })
      return () => finding.mockRestore()
    },
    ask: () => service.call('GET', `/emails/${id}`).then(({ status }) => status),
    times: 12,
  })
})
