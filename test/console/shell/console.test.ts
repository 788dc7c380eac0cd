import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { createOperatorLink } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PERSON = 'The owner'
let cookie: string

const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

/** What the frame of a page says: who is signed in and can sign out, and which section they are in. */
const frameOf = ({ text }: Seen) => ({
  person: /<bdi>([^<]*)<\/bdi><\/span>\n<form method="post" action="\/console\/sign-out">/.exec(text)?.[1] ?? null,
  section: /<a href="([^"]*)" aria-current="true">/.exec(text)?.[1] ?? null,
})
const problemIn = ({ status, text }: Seen) => ({ status, problem: /<h1>([^<]*)<\/h1><p>([^<]*)<\/p>/.exec(text)?.slice(1) })

it('begins with its first section', async () => {
  for (const path of ['/console', '/console/']) {
    const seen = await visit(service, 'GET', path, { cookie })
    expect({ path, status: seen.status, ...frameOf(seen) }).toEqual({ path, status: 200, person: PERSON, section: '/console' })
  }
})

describe('a form with a character that cannot be stored', () => {
  const post = async (path: string, form: Record<string, string>) => {
    const { status, problem } = problemIn(await visit(service, 'POST', path, { cookie, form }))
    return { status, sentence: problem?.[1] }
  }
  it.each([
    ['/console/api-keys', 'name'],
    ['/console/api-keys', 'domain'],
    ['/console/events', 'name'],
    ['/console/topics', 'name'],
    ['/console/properties', 'fallback_value'],
    ['/console/segments/new', 'subject-0.0'],
  ])('is refused at %s, in %s', async (path, field) => {
    const form = { id: createId(), name: 'Name', permission: 'full_access', default_subscription: 'opt_in', act: 'save', [field]: 'a\0b' }
    const sentence = `The \`${field}\` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.`
    expect(await post(path, form)).toEqual({ status: 422, sentence })
  })

  it('is refused on pages of operators', async () => {
    const link = new URL(await createOperatorLink(service.service.context, { forMs: 60_000 })).pathname
    const operator = (await visit(service, 'POST', link)).cookie?.split(';', 1)[0] ?? ''
    for (const act of ['pause', 'resume'])
      expect((await visit(service, 'POST', `/console/operation/${act}`, { cookie: operator, form: { destination: 'a\0b' } })).status).toBe(
        422,
      )
  })
})

describe('a page that says what is wrong', () => {
  const PERSON = 'The owner'
  it.each([
    ['/console/none', 404, null, 'There is nothing at this address.'],
    ['/console/emails/a/b/c', 404, '/console/emails', 'There is nothing at this address.'],
    ['/console/emailsandmore', 404, null, 'There is nothing at this address.'],
    [`/console/emails/${UNKNOWN_ID}`, 404, '/console/emails', 'Email not found'],
    [`/console/domains/${UNKNOWN_ID}`, 404, '/console/domains', 'Domain not found'],
  ])('keeps the frame of the console at %s', async (path, status, section, message) => {
    const seen = await visit(service, 'GET', path, { cookie })
    expect({ ...problemIn(seen), ...frameOf(seen) }).toEqual({ status, problem: ['Not found', message], person: PERSON, section })
  })

  it('answers a form that another site sends with a 403, whatever its address', async () => {
    for (const path of ['/console/emails', '/console/sign-out', '/console/none']) {
      const { status } = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { cookie, origin: 'https://evil.example' },
        redirect: 'manual',
      })
      expect({ path, status }).toEqual({ path, status: 403 })
    }
  })

  it('tells nothing of a team to anyone who is not signed in', async () => {
    const seen = await visit(service, 'GET', '/console/none')
    expect({ ...problemIn(seen), ...frameOf(seen) }).toEqual({
      status: 404,
      problem: ['Not found', 'There is nothing at this address.'],
      person: null,
      section: null,
    })
    expect(seen.text).not.toContain('Sign out')
  })

  it('is shown while the database is away, and lets people sign out', async () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    const { emailLines, teams, sessions } = service.service.context.repositories
    const list = vi.spyOn(emailLines, 'list').mockRejectedValue(away)
    const failed = await visit(service, 'GET', '/console/emails', { cookie })
    list.mockRestore()
    const [find, findTeam] = [
      vi.spyOn(sessions, 'findAcrossTeams').mockRejectedValue(away),
      vi.spyOn(teams, 'find').mockRejectedValue(away),
    ]
    const nowhere = await visit(service, 'GET', '/console/none', { cookie })
    find.mockRestore()
    findTeam.mockRestore()
    expect(problemIn(failed)).toEqual({
      status: 503,
      problem: ['Not available at the moment', 'The service cannot reach its database at the moment. Please try again in a few seconds.'],
    })
    expect(failed.text).toContain('Sign out')
    expect(problemIn(nowhere)).toEqual({ status: 404, problem: ['Not found', 'There is nothing at this address.'] })
  })
})
