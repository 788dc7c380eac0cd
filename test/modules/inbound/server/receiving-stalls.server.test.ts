// How long one received message keeps the main thread, and so the API, to itself: while it arrives, while it is read, and when it is shown.
import { beforeAll, expect, it } from 'vitest'
import { readReceived } from '../../../../src/modules/inbound/received.worker.ts'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import { COSTLY_HEAD, COSTLY_MESSAGES, costlyText, slowCases } from '../../../support/clocks/turns.ts'
import { startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const TO = 'anyone@one.example'

const service = shared(
  () =>
    startInboundService({
      environment: {
        DNS_SERVERS: '127.0.0.1:9',
        RATE_LIMIT_PER_SECOND: '0',
        RECEIVED_PER_MINUTE: '100000',
        TEAM_RECEIVED_MB_PER_DAY: '100000',
      },
      inboundLimits: { errorsPerPeerPerMinute: 100_000 },
    }),
  120_000,
)
beforeAll(async () => {
  await createReceivingDomain(service, service.teamId, 'one.example')
  // Code that runs for the first time takes longer.
  for (let round = 0; round < 10; round += 1) for (const content of WARM_UP) await receive(content)
})

const WARM_UP = [`${COSTLY_HEAD}\r\nx`, costlyText('html', 'a', 200_000), costlyText('plain; charset=iso-8859-1', '\xe9', 100_000)]

/** Their texts are 15 MB in an answer, and some processors take longer than a turn may last to read them from the answer of PostgreSQL. */
const LONG_ANSWERS = ['Japanese text and HTML of no letters', 'Chinese text of no letters']

/** Until someone has looked at it. */
async function receive(content: string | Buffer, { isShown = true } = {}): Promise<void> {
  const client = await service.connect()
  try {
    await client.startMessage(TO, 'ada@example.org')
    client.write(content)
    const reply = await client.say('\r\n.')
    if (!reply.startsWith('250 ')) return
    await readReceived(service.service.context)
    const { id } = await newest()
    if (isShown) await look(`/${id}`)
    await look('?limit=1')
  } finally {
    client.close()
  }
}

/** Without reading what comes, which would take this thread. */
async function look(path: string): Promise<void> {
  const answer = await fetch(`${service.url}/emails/receiving${path}`, { headers: { authorization: `Bearer ${service.token}` } })
  if (answer.status !== 200) throw new Error(`The service answered ${answer.status}`)
  await answer.arrayBuffer()
}

async function newest(): Promise<{ id: string }> {
  const [row] = await service.database.execute<{ id: string; state: string }>(
    'select id, state from received_emails order by id desc limit 1',
  )
  if (row?.state !== 'read') throw new Error('The message was not read')
  return row
}

it('one message keeps the main thread for less than 100 ms at a time, whatever it holds', { timeout: 600_000 }, async () => {
  const slow = await slowCases(COSTLY_MESSAGES, (content, name) => receive(content, { isShown: !LONG_ANSWERS.includes(name) }))
  expect(slow).toEqual({})
})
