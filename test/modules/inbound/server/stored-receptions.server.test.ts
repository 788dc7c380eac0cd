// A message for many, and what a sender is told when it cannot be stored.
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import { startInboundService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const STORED = /^250 2\.6\.0 Stored as [0-9a-f-]{36}$/

const service = shared(() => startInboundService())
beforeAll(async () => {
  const third = await service.service.context.repositories.teams.create('Third')
  const teams = [service.teamId, service.other.teamId, third.id]
  for (const [at, teamId] of teams.entries()) await createReceivingDomain(service, teamId, `team${at}.example`)
})

afterEach(async () => {
  vi.restoreAllMocks()
  await service.database.execute('truncate received_emails, received_recipients, received_amounts, inbound_messages')
})

async function bring(recipients: string[], content: string): Promise<string> {
  const client = await service.connect()
  await client.reply()
  await client.say('EHLO mx.example.net')
  await client.say('MAIL FROM:<ada@example.org>')
  for (const address of recipients) expect(await client.say(`RCPT TO:<${address}>`)).toMatch(/^250 /)
  await client.say('DATA')
  return client.say(`${content}\r\n.`)
}

const rows = () =>
  service.database.execute<{ rcpt_to: string[]; blob_key: string }>('select rcpt_to, blob_key from received_emails order by rcpt_to')
const blobCount = async () => {
  let count = 0
  for await (const keys of service.service.context.gateways.blobs.keysBefore(new Date('2999-01-01'))) count += keys.length
  return count
}

it('a message for 100 recipients of three teams is one email for each team, with all of its recipients', async () => {
  const recipients = Array.from({ length: 100 }, (_one, at) => `r${String(at).padStart(2, '0')}@team${at % 3}.example`)
  expect(await bring(recipients, 'Subject: Hello\r\n\r\nHello')).toMatch(STORED)
  const found = await rows()
  expect(found.map(({ rcpt_to }) => rcpt_to)).toEqual([0, 1, 2].map((team) => recipients.filter((_one, at) => at % 3 === team)))
  expect(new Set(found.map(({ blob_key }) => blob_key)).size).toBe(3)
})

it('a message that the store of blobs does not take is not acknowledged, nothing of it is left, and it can be brought again', async () => {
  const { blobs } = service.service.context.gateways
  const before = await blobCount()
  vi.spyOn(blobs, 'put').mockRejectedValue(new Error('The store is away'))
  expect(await bring(['a@team0.example', 'b@team1.example'], 'Subject: Hello\r\n\r\nHello')).toMatch(/^451 4\.3\.0 /)
  expect([await rows(), await blobCount()]).toEqual([[], before])
  vi.restoreAllMocks()
  expect(await bring(['a@team0.example', 'b@team1.example'], 'Subject: Hello\r\n\r\nHello')).toMatch(STORED)
  expect(await rows()).toHaveLength(2)
})
