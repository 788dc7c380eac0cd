import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestService, type TestService } from '../support/servers/service.ts'
import { databaseLine, run, temporaryFolder } from './run-command.ts'

// Each command is a process of its own.
vi.setConfig({ testTimeout: 120_000 })

let service: TestService
let folder: ReturnType<typeof temporaryFolder>
let ids: { first: string; second: string }

beforeAll(async () => {
  service = await startTestService({ environment: { MAIL_HOSTNAME: 'mx.posthaste.example' } })
  folder = temporaryFolder()
  ids = { first: await register('acme.example'), second: await register('shared.example') }
  await register('shared.example', service.other.token)
})
afterAll(async () => {
  await service.close()
  folder.remove()
})

const command = (...args: string[]) =>
  run(['domains', ...args], {
    folder: folder.path,
    environment: { DATABASE_URL: service.config.databaseUrl ?? '', LOG_LEVEL: 'silent', MAIL_HOSTNAME: 'mx.posthaste.example' },
  })
const errorsWith = (lines = '') => `${databaseLine(service.config.databaseUrl ?? '')}${lines}`

async function register(name: string, token = service.token): Promise<string> {
  return ((await service.call('POST', '/domains', { body: { name }, token })).body as { id: string }).id
}

describe('domains', () => {
  it("lists a team's domains, newest first", async () => {
    const { out } = await command('list', '--team', service.teamId)
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^DOMAIN {10}STATUS {7}CREATED {18}ID$/),
      expect.stringMatching(new RegExp(`^shared\\.example  not_started  [\\d-]{10} [\\d:]{8} UTC  ${ids.second}$`)),
      expect.stringMatching(new RegExp(`^acme\\.example    not_started  [\\d-]{10} [\\d:]{8} UTC  ${ids.first}$`)),
    ])
    const { body } = await service.call('GET', '/domains')
    expect(JSON.parse((await command('list', '--team', service.teamId, '--json')).out)).toEqual((body as { data: object }).data)
  })

  it('shows the records of a domain under their whole names', async () => {
    const { out } = await command('show', 'ACME.example')
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(7)
    expect(lines[0]).toBe(`acme.example of team ${service.teamId}: not_started`)
    expect(lines[2]).toMatch(/^not_started {2}yes {5}MX {4}send\.acme\.example {12}10 mx\.posthaste\.example$/)
    expect(lines[4]).toMatch(/^not_started {2}yes {5}TXT {3}ph1\._domainkey\.acme\.example {2}v=DKIM1; k=rsa; p=/)
    const { body } = await service.call('GET', `/domains/${ids.first}`)
    expect(JSON.parse((await command('show', 'acme.example', '--json')).out)).toEqual(body)
  })

  it.each([
    ['unknown.example', 'No team has the domain "unknown.example"; `domains list` shows all.\n'],
    ['no domain', 'No team has the domain "no domain"; `domains list` shows all.\n'],
    ['shared.example', 'Several teams have the domain "shared.example": name one with --team; `teams list` shows all.\n'],
  ])('refuses %s with status 1 and one line', async (name, errors) => {
    expect(await command('show', name)).toEqual({ status: 1, out: '', errors: errorsWith(errors) })
  })

  it('takes the domain of the team that is named', async () => {
    expect((await command('show', 'shared.example', '--team', service.other.teamId)).out).toContain(`of team ${service.other.teamId}`)
    expect(await command('show', 'acme.example', '--team', service.other.teamId)).toEqual({
      status: 1,
      out: '',
      errors: errorsWith('This team does not have the domain "acme.example"; `domains list` shows all.\n'),
    })
  })
})
