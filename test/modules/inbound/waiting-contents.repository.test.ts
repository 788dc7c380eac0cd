import { expect, it } from 'vitest'
import { storeInboundMessage } from '../../support/builders/received-emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

it('counts what waits by peer, the content of a message to several recipients once, and nothing that was read', async () => {
  const first = await storeInboundMessage(service, { content: 'x'.repeat(70) })
  await storeInboundMessage(service, { content: 'x'.repeat(70), blobKey: first.blobKey })
  await storeInboundMessage(service, { content: 'x'.repeat(30) })
  await storeInboundMessage(service, { content: 'x'.repeat(11), peer: '2001:db8::1' })
  const read = await storeInboundMessage(service)
  await service.database.execute(`update inbound_messages set state = 'done', verdict = 'bounce' where id = $1`, [read.id])

  const { waitingContents } = service.service.context.repositories
  const counted = await waitingContents.countAcrossTeams(100)
  expect(counted.toSorted((a, b) => a.bytes - b.bytes)).toEqual([
    { peer: '2001:db8::1', messages: 1, bytes: 11 },
    { peer: '192.0.2.1', messages: 3, bytes: 100 },
  ])
  expect(await waitingContents.countAcrossTeams(1)).toEqual([{ peer: '192.0.2.1', messages: 1, bytes: 70 }])
})
