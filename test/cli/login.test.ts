import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { callApi, describeAccess, freshCredentials, logIn, loginCommands, logOut, readCredentials } from '../../src/cli/accounts/login.ts'
import { webhookCommands } from '../../src/cli/webhooks/webhooks.ts'
import { signInAs } from '../support/clients/console.ts'
import { openBrowser } from '../support/clients/oauth-client.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { temporaryFolder } from './run-command.ts'

const service = shared(() => startTestService())
let folder: ReturnType<typeof temporaryFolder>
beforeAll(() => {
  folder = temporaryFolder()
  vi.stubEnv('XDG_CONFIG_HOME', folder.path)
})
afterAll(() => {
  vi.unstubAllEnvs()
  folder.remove()
})
const path = () => join(folder.path, 'posthaste', 'credentials.json')

/** Signs in; `act`: what the person does while the command waits. */
async function login(act: 'allow' | 'refuse', scope = 'domains:read') {
  const said: string[] = []
  const pause = async () => {
    const browser = openBrowser(service)
    const [name = '', value = ''] = (await signInAs(service.service.context, service.teamId, 'developer')).split('=', 2)
    browser.cookies.set(name, value)
    const user_code = /code: (\S+)$/.exec(said.join('\n'))?.[1] ?? ''
    await browser.go('POST', '/console/device', { user_code, act, team: service.teamId, role: 'developer' })
  }
  const signedIn = await logIn({ url: service.url, scope, path: path(), say: (line) => said.push(line), pause })
  return { said, signedIn }
}

it('keeps tokens that a person allowed in a file of theirs alone, renews them, and ends them', async () => {
  const { said } = await login('allow')
  expect(said[0]).toMatch(/^Open http:\/\/localhost:3000\/console\/device\?user_code=/)
  expect([statSync(path()).mode & 0o777, statSync(join(folder.path, 'posthaste')).mode & 0o777]).toEqual([0o600, 0o700])
  const before = await readCredentials(path())
  expect((await callApi({ method: 'GET', path: '/domains' })).status).toBe(200)
  expect((await callApi({ method: 'GET', path: '/emails' })).status).toBe(403)
  await expect(callApi({ method: 'GET', path: 'https://other.example/' })).rejects.toThrow('must be one of the service')
  const after = await freshCredentials(path(), { isForced: true })
  expect(after.refresh_token).not.toBe(before.refresh_token)
  expect(await readCredentials(path())).toEqual(after)
  expect(await logOut(path())).toBe(true)
  expect((await service.call('GET', '/domains', { token: after.access_token })).status).toBe(401)
  await expect(freshCredentials(path())).rejects.toThrow('You are not signed in.')
})

it('says that the person refused, or that the access has ended, and what to do', async () => {
  await expect(login('refuse')).rejects.toThrow('You refused the access.')
  await login('allow')
  const { body } = await service.call('GET', '/oauth/grants?limit=1')
  await service.call('DELETE', `/oauth/grants/${(body as { data: { id: string }[] }).data[0]?.id}`)
  await expect(freshCredentials(path(), { isForced: true })).rejects.toThrow('Sign in again with `posthaste login`.')
})

it('says who it is signed in as, where the access may read that', async () => {
  const { signedIn } = await login('allow', 'domains:read oauth:read')
  expect((await describeAccess(signedIn)).split('\n')).toEqual([
    ...[service.url, `The developer <developer-${service.teamId}@people.example>`, 'domains:read', 'oauth:read'],
  ])
  const { signedIn: narrow } = await login('allow')
  expect((await describeAccess(narrow)).split('\n').slice(1)).toEqual(['Your role does not show who allowed it.', 'domains:read'])
})

it('says which methods there are, and where the paths of operations are, if there is none', async () => {
  await login('allow')
  const api = (...args: string[]) => {
    const command = loginCommands().find((each) => each.name() === 'api')
    return command
      ?.exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parseAsync(args, { from: 'user' })
  }
  await expect(api('FOO', '/domains')).rejects.toThrow('It must be GET, POST, PATCH or DELETE. For example: posthaste api GET /domains')
  await expect(api('get', '/no-such-path')).rejects.toThrow(`The service answered 404. Its operations and their paths: ${service.url}/docs`)
})

it('listens to webhooks with that access, and with a key only beside its service', async () => {
  const { signedIn } = await login('allow')
  let asked: { url: string; key: string | (() => Promise<string>) } | undefined
  const listen = (...args: string[]) =>
    webhookCommands(async (reached) => {
      asked = reached
      throw new Error('reached')
    }).parseAsync(['listen', '--forward-to', 'http://localhost:4000/', ...args], { from: 'user' })
  await expect(listen()).rejects.toThrow('reached')
  expect(asked?.url).toBe(service.url)
  expect(await (asked as unknown as { key: () => Promise<string> }).key()).toBe(signedIn.access_token)
  await expect(listen('--key', 're_a')).rejects.toThrow('Give both --url and --key')
})
