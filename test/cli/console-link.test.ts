import { beforeAll, describe, expect, it } from 'vitest'
import { OWN_PAGE } from '../support/clients/people.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, commandWith, errorsWith } = useCommandsBesideService()

/** The owner of the team of the tests. */
const OWNER = 'owner@people.example'

beforeAll(async () => {
  const { persons } = service().service.context.repositories
  await persons.becomeFirstOwner(service().teamId, { email: OWNER, name: 'Owner' })
})

const link = (environment: Record<string, string>, teamId = service().teamId) =>
  commandWith(environment, 'console', 'link', '--team', teamId)
const signIn = (url: string) => fetch(url, { method: 'POST', redirect: 'manual', headers: { origin: service().url } })
const statusOf = async (url: string) => (await signIn(url)).status

it('prints a link alone, which signs in to the console once', async () => {
  const { status, out, errors } = await link({ PUBLIC_URL: service().url })

  expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(new RegExp(`^${service().url}/console/sign-in/[\\w-]+\n$`)) })
  expect(errors).toBe(errorsWith(`It signs in ${OWNER}, the owner of the team, once, within 60 minutes.\n`))
  const entered = await signIn(out.trim())
  expect({ status: entered.status, location: entered.headers.get('location') }).toEqual({ status: 303, location: '/console' })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect((await fetch(`${service().url}/me`, { headers: { cookie, 'posthaste-console': '1' } })).status).toBe(200)
  expect(await statusOf(out.trim())).toBe(403)
})

describe('for an operator', () => {
  const asked = (operators: string, ...names: string[]) =>
    commandWith({ PUBLIC_URL: service().url, OPERATORS: operators }, 'console', 'link', '--operator', ...names)

  it('prints a link that signs in the only person of OPERATORS, who may be new', async () => {
    const { status, out, errors } = await asked('Olga@people.example')
    expect({ status, errors }).toEqual({
      status: 0,
      errors: errorsWith('It signs in the operator olga@people.example once, within 60 minutes.\n'),
    })
    const entered = await signIn(out.trim())
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    const me = await fetch(`${service().url}/me`, { headers: { cookie, ...OWN_PAGE } })
    expect(await me.json()).toMatchObject({ email: 'olga@people.example', team: null, teams: [] })
  })

  it('prints one for the person that is named', async () => {
    const { status, errors } = await asked('olga@people.example,ivan@people.example', 'IVAN@people.example')
    expect({ status, errors }).toEqual({ status: 0, errors: expect.stringContaining('It signs in the operator ivan@people.example once') })
  })

  it.each([
    ['', [], 'OPERATORS names no one. Set it to the addresses of the operators, here and for the service.'],
    [
      'olga@people.example,ivan@people.example',
      [],
      'OPERATORS names olga@people.example, ivan@people.example. Say for whom the link is: `--operator olga@people.example`.',
    ],
    ['olga@people.example', [OWNER], `${OWNER} is not in OPERATORS. Add the address there, here and for the service.`],
  ])('prints none with OPERATORS=%s and %j', async (operators, names, problem) => {
    expect(await asked(operators, ...names)).toEqual({ status: 1, out: '', errors: errorsWith(`${problem}\n`) })
  })
})

it('prints a link that is good for an hour', async () => {
  await service().database.execute('truncate sign_in_links')
  const before = Date.now()
  await link({ PUBLIC_URL: service().url })
  const [row] = await service().database.execute<{ expiresAt: Date }>('select expires_at as "expiresAt" from sign_in_links')
  const lifetimeMs = (row?.expiresAt.getTime() ?? 0) - before
  expect(lifetimeMs).toBeGreaterThanOrEqual(3_600_000)
  expect(lifetimeMs).toBeLessThan(3_600_000 + (Date.now() - before) + 1)
})

it('signs in the oldest of several owners', async () => {
  const { persons, teams } = service().service.context.repositories
  const { id } = await teams.create('Team of two owners')
  await persons.becomeFirstOwner(id, { email: 'first@people.example', name: 'First' })
  const second = await persons.ensureAcrossTeams('second@people.example', 'Second')
  await persons.addMember(id, second.id, 'owner')
  expect((await link({ PORT: '3000' }, id)).errors).toContain('It signs in first@people.example, the owner of the team')
})

it('makes the person who opens it the owner of a team that has none', async () => {
  const { persons, teams } = service().service.context.repositories
  const { id } = await teams.create('Team of no one')
  const { status, out, errors } = await link({ PUBLIC_URL: service().url }, id)
  expect({ status, errors }).toEqual({
    status: 0,
    errors: errorsWith('The person who opens it becomes the owner of the team. It works once, within 60 minutes.\n'),
  })
  const body = new URLSearchParams({ email: 'New@People.Example', name: 'New' })
  const entered = await fetch(out.trim(), { method: 'POST', redirect: 'manual', headers: { origin: service().url }, body })
  expect(entered.status).toBe(303)
  expect(await persons.ownersOf(id)).toMatchObject([{ email: 'new@people.example', name: 'New' }])
})

it('leads to localhost where there is no PUBLIC_URL, and says when the port is not known', async () => {
  const { out, errors } = await link({ PORT: '3456' })
  expect(out).toMatch(/^http:\/\/localhost:3456\/console\/sign-in\/[\w-]+\n$/)
  expect(errors).toContain(
    'PUBLIC_URL is not set, so it leads to port 3456 of this machine. If the service has another PORT, run this with its settings.\n',
  )
  expect(await link({ PORT: '0' })).toEqual({
    status: 1,
    out: '',
    errors: errorsWith('PORT is 0, so the port of the service is not known here: set PUBLIC_URL to the address that it printed.\n'),
  })
})

it('is still understood by the name that it had before', async () => {
  const { status, out } = await commandWith({ PUBLIC_URL: service().url }, 'inbox', 'link', '--team', service().teamId)
  expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining(`${service().url}/console/sign-in/`) })
})
