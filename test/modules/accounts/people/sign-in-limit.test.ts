import { expect, it, vi } from 'vitest'
import { createSignInLink } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { visit } from '../../../support/clients/console.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { RATE_LIMIT_PER_SECOND: '1000' } }))

it('looks five links and forms a second up for an address, and no more', async () => {
  const { signInLinks } = service.service.context.repositories
  const look = vi.spyOn(signInLinks, 'openAcrossTeams')
  const startedAt = performance.now()
  const visits = await Promise.all(
    Array.from({ length: 50 }, (_, index) => visit(service, index % 2 === 0 ? 'GET' : 'POST', '/console/sign-in/no-such-link')),
  )
  const windows = 1 + Math.ceil((performance.now() - startedAt) / 1_000)

  expect(look.mock.calls.length).toBeLessThanOrEqual(5 * windows)
  const refused = visits.find(({ status }) => status === 429)
  expect(refused?.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('makes no more links for an address than it mails', async () => {
  const { persons, signInLinks } = service.service.context.repositories
  await persons.ensureAcrossTeams('ada@people.example', 'Ada')
  const add = vi.spyOn(signInLinks, 'addAcrossTeams')
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 50 }, () => visit(service, 'POST', '/console/sign-in', { form: { email: 'ada@people.example' } })))
  const windows = 1 + Math.ceil((performance.now() - startedAt) / 1_000)
  expect(add.mock.calls.length).toBeLessThanOrEqual(5 * windows)
})

const unlimited = shared(() => startTestService({ environment: { RATE_LIMIT_PER_SECOND: '0' } }))

it('ends no link that a person has, however many strangers ask for', async () => {
  const { context } = unlimited.service
  const { send } = context.installationMails
  const [links, refused]: [string[], string[]] = [[], []]
  vi.spyOn(context.installationMails, 'send').mockImplementation(async (mail) => {
    const over = await send(mail)
    ;(over ? refused : links).push(mail.secret)
    return over
  })
  const { id: personId } = await context.repositories.persons.ensureAcrossTeams('ada@people.example', 'Ada')
  links.push(await createSignInLink(context, { personId }))
  const ask = () => visit(unlimited, 'POST', '/console/sign-in', { form: { email: 'ada@people.example' } })
  await ask()
  await until(() => expect(links).toHaveLength(2))
  await Promise.all(Array.from({ length: 11 }, ask))
  await until(() => expect([...links, ...refused]).toHaveLength(1 + 12))
  const opened = async (all: string[]) =>
    Promise.all(all.map(async (link) => (await visit(unlimited, 'GET', new URL(link).pathname)).status))
  expect(await opened(links)).toEqual(Array(1 + 5).fill(200))
  expect(await opened(refused)).toEqual(Array(7).fill(403))
})
