// What one team is flooded with does not keep the mail of another from being read.
import { expect, it } from 'vitest'
import { startReadingReceived } from '../../../src/modules/inbound/received.worker.ts'
import { storeReceived } from '../../support/builders/received-emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { DNS_SERVERS: '127.0.0.1:9' } }))

const MIB = 1024 * 1024
/** Japanese text of no letters, which takes a decoder the longest. */
const HOSTILE = Buffer.from(
  `From: a@b.example\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n${`${'\xff'.repeat(900)}\r\n`.repeat((5 * MIB) / 902)}`,
  'latin1',
)

it('reads the mail of a team at its first try while another is flooded with large hostile messages', async () => {
  for (let count = 0; count < 20; count += 1) await storeReceived(service, { content: HOSTILE })
  const { id } = await storeReceived(service, { teamId: service.other.teamId, content: 'From: a@b.example\r\nSubject: Honest\r\n\r\nHi' })
  const reading = startReadingReceived(service.service.context, { lookEveryMs: 10, lastEmailsMs: 0 })
  const honest = () => service.database.execute('select state, tries from received_emails where id = $1', [id])
  await expect.poll(honest, { timeout: 60_000 }).toEqual([{ state: 'read', tries: 1 }])
  await reading.stop()
  const [hostile] = await service.database.execute<{ tries: number }>('select max(tries)::int as tries from received_emails')
  expect(hostile?.tries).toBe(1)
})
