import { expect, it } from 'vitest'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { tokensFor } from '../support/clients/oauth-client.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command: commandOf, errorsWith } = useCommandsBesideService()
const command = (...args: string[]) => commandOf('oauth', ...args)

it('lists clients and grants, and ends access', async () => {
  const team = ['--team', service().teamId]
  expect(await command('grants', ...team)).toEqual({ status: 0, out: '', errors: errorsWith('This team has given no program access.\n') })
  const { access_token: token, clientId } = await tokensFor(service(), { scope: 'domains:read' })
  const [grant] = ((await service().call('GET', '/oauth/grants')).body as { data: { id: string }[] }).data
  expect((await command('clients')).out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^CLIENT +ORIGIN +SINCE +GRANTS +NAME$/),
    expect.stringMatching(new RegExp(`^${clientId} +registered .+ 1 +Editor$`)),
    expect.stringMatching(/ +built in .+ 0 +(?:Posthaste command line|Resend CLI)$/),
    expect.stringMatching(/ +built in .+ 0 +(?:Posthaste command line|Resend CLI)$/),
  ])
  expect(JSON.parse((await command('grants', ...team, '--json')).out)).toEqual([grant])
  expect((await command('revoke', grant?.id ?? '', ...team)).out).toBe(`The access of grant ${grant?.id} has ended.\n`)
  expect((await command('grants', ...team)).out).toMatch(
    new RegExp(`^${grant?.id} .+ revoked by operator +Editor +\\S+@\\S+ +domains:read$`, 'm'),
  )
  expect(await command('revoke', UNKNOWN_ID, ...team)).toMatchObject({ status: 1, out: '' })
  const { until } = await import('../support/clocks/until.ts')
  await until(async () => expect((await service().call('GET', '/domains', { token })).status).toBe(401))
})
