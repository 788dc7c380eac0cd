// Whatever is submitted, over several connections at once: a 250 means one email with these bytes, everything else means none.
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { anySubmission } from '../../support/builders/any-submission.ts'
import type { SmtpClient } from '../../support/clients/smtp-client.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const CLIENTS = 10
const RUNS = 100

let clients: SmtpClient[]
// The time stands still, so that no connection is too old.
const service = shared(() =>
  startSubmissionService({
    clock: createMovingClock(),
    submissionLimits: { errorsPerConnectionMax: RUNS, errorsPerPeerPerMinute: CLIENTS * RUNS, commandsWithoutMessageMax: 5 * RUNS },
  }),
)
beforeAll(async () => {
  clients = await Promise.all(Array.from({ length: CLIENTS }, () => service.signIn()))
})

async function handIn(client: SmtpClient, content: string): Promise<string> {
  for (const command of ['MAIL FROM:<a@example.com>', 'RCPT TO:<ada@example.com>', 'DATA'])
    expect(await client.say(command)).toMatch(/^[23]/)
  const stuffed = `${content}${content.endsWith('\r\n') ? '' : '\r\n'}`.replace(/^\./gm, '..')
  client.write(Buffer.from(stuffed, 'latin1'))
  return client.say('.')
}

type Stored = { body: Buffer; recipients: number; deliveries: number }
const stored = async (id = '') =>
  (
    await service.database.execute<Stored>(
      `select body, (select count(*)::int from recipients where email_id = $1) as recipients,
         (select count(*)::int from deliveries where email_id = $1) as deliveries
       from submitted_messages where email_id = $1`,
      [id],
    )
  )[0]
const count = async (table: string) =>
  (await service.database.execute<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count
async function blobKeys(): Promise<string[]> {
  const keys: string[] = []
  for await (const batch of service.service.context.gateways.blobs.keysBefore(new Date('2999-01-01'))) keys.push(...batch)
  return keys.toSorted()
}

/** The id of its email; null if it was refused. */
async function expectWhole(client: SmtpClient, content: string): Promise<string | null> {
  const reply = await handIn(client, content)
  const id = /^250 2\.0\.0 Ok: queued as ([0-9a-f-]{36})$/.exec(reply)?.[1]
  if (id === undefined) {
    // 451 would be a fault of ours.
    expect(reply).toMatch(/^55[04] 5\.\d\.\d .*[^ ]$/)
    return null
  }
  const end = content.indexOf('\r\n\r\n')
  const body = end === -1 ? '' : content.slice(end + 4)
  const whole = `${body}${body.endsWith('\r\n') || body === '' ? '' : '\r\n'}`
  expect(await stored(id)).toEqual({ body: Buffer.from(whole, 'latin1'), recipients: 1, deliveries: 1 })
  return id
}

it('each message is accepted and stored, or refused for good with nothing of it left', async () => {
  const accepted = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(anySubmission, { minLength: CLIENTS, maxLength: CLIENTS }), async (contents) => {
      const ids = await Promise.all(clients.map((client, at) => expectWhole(client, contents[at] ?? '')))
      for (const id of ids) if (id !== null) accepted.add(id)
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
  expect(accepted.size).toBeGreaterThan((RUNS * CLIENTS) / 10)
  expect(await count('emails')).toBe(accepted.size)
  expect(await count('submitted_messages')).toBe(accepted.size)
  const files = await service.database.execute<{ key: string }>('select blob_key as key from attachments')
  expect(await blobKeys()).toEqual(files.map(({ key }) => key).toSorted())
}, 300_000)
