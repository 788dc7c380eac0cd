import { expect, it } from 'vitest'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const service = shared(() => startSubmissionService({ submissionLimits: { waitingBytesMax: 300_000 } }))

const LINE = `${'x'.repeat(76)}\r\n`
const message = (bytes: number) => `From: a@example.com\r\nTo: ada@example.com\r\n\r\n${LINE.repeat(Math.ceil(bytes / LINE.length))}`
const blobs = async () => (await Array.fromAsync(service.service.context.gateways.blobs.keysBefore(new Date('2999-01-01')))).flat().length

it('large messages of a team that arrive leave room on the disk for those of others', async () => {
  const client = await service.signIn()
  for (const command of ['MAIL FROM:<a@example.com>', 'RCPT TO:<ada@example.com>', 'DATA']) await client.say(command)
  client.write(message(140_000))
  const ofTeam = () => service.handIn(message(80_000))
  await expect.poll(ofTeam).toBe('452 4.3.1 Too many messages wait to be read at the moment, please try again later')
  const [before, accepted] = [await blobs(), /^250 2\.0\.0 Ok: queued as /]
  await expect.poll(ofTeam).toMatch(/^452 /)
  expect(await blobs()).toBe(before)
  expect(await service.handIn(message(75_000), { token: service.other.token })).toMatch(accepted)
  expect(await service.handIn('From: a@example.com\r\n\r\nsmall')).toMatch(accepted)
  expect(await client.say('.')).toMatch(accepted)
  expect(await ofTeam()).toMatch(accepted)
})
