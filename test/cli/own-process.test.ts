// The other tests of commands run one command after another in one process. What these guarantee of a process holds for all of them.
import { expect, it } from 'vitest'
import { createVerifiedDomain } from '../support/builders/domains.ts'
import { sendEmail } from '../support/builders/engine.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command, commandAlone } = useCommandsBesideService({
  environment: { SECRET_KEY: 'the secret key of the service of this test' },
})

it('a command of each kind ends by itself, and prints and ends as it does beside others', async () => {
  await createVerifiedDomain(service(), 'example.com')
  await sendEmail(service())
  const lines = [
    ['--help'],
    ['keys', 'make'],
    ['keys', 'list', '--team', 'nobody'],
    ['domains', 'show', 'example.com', '--json'],
    ['queue', 'list'],
    ['feedback', 'list', '--json'],
    ['metrics', 'recount', new Date().toISOString().slice(0, 10)],
    ['suppressions', 'export', '--team', service().teamId],
    ['data-keys', 'list'],
    ['dns'],
    ['doctor'],
  ]

  const alone = await Promise.all(lines.map(async (line) => [line, await commandAlone(...line)]))
  const together = await Promise.all(lines.map(async (line) => [line, await command(...line)]))

  expect(alone).toEqual(together)
})

it('a command that the entry understands does what it does to the database', async () => {
  const { status, out } = await commandAlone('teams', 'create', 'Acme')
  expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/^[\w-]{36}\n$/) })
  const team = await service().service.context.repositories.teams.find(out.slice(0, 36))
  expect(team).toMatchObject({ name: 'Acme' })
})
