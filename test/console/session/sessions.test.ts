// Where a person is signed in: listed and ended by them, and by no one else.
import { beforeEach, describe, expect, it } from 'vitest'
import { createSignInLink } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/sessions'
const MINUTE_MS = 60_000
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let cookie: string

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeEach(async () => {
  await service.database.execute('delete from sessions')
  cookie = await signIn(service)
})

const open = (path = PAGE, as = cookie) => visit(service, 'GET', path, { cookie: as })
const post = (path: string, as: string | null = cookie) => visit(service, 'POST', path, { cookie: as })
/** The person of the session signs in from a browser that calls itself so. */
async function begin(browser: string): Promise<void> {
  const person = await service.service.context.repositories.persons.findByEmailAcrossTeams(`owner-${service.teamId}@people.example`)
  const link = await createSignInLink(service.service.context, { personId: person?.id ?? '' })
  await visit(service, 'POST', new URL(link).pathname, { headers: { 'user-agent': browser } })
}
const opens = async (as: string) => (await open('/console/emails', as)).status === 200
/** The lines of the list as texts. */
const linesOf = ({ text }: Seen) =>
  [...text.matchAll(/<tr>\n<th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) =>
    row
      .replace(/<time[^>]*>[^<]*<\/time>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
const idsOf = ({ text }: Seen) => [...text.matchAll(/action="\/console\/sessions\/([^"]*)\/end"/g)].map(([, id]) => id ?? '')

describe('the list of sessions', () => {
  it('says from where and how each was begun, marks that of the reader, and shows none of another person', async () => {
    await begin(FIREFOX)
    await signIn(service, service.other.token)
    expect(linesOf(await open())).toEqual([
      'Firefox on Linux 127.0.0.1 link since last used End',
      'Firefox on Linux this one 127.0.0.1 link since last used',
    ])
  })

  it('writes the last use once a minute at most', async () => {
    const used = async () => (await service.database.execute<{ at: Date }>('select used_at as at from sessions'))[0]?.at
    const begun = await used()
    clock.advance(MINUTE_MS - 1)
    await open()
    expect(await used()).toEqual(begun)
    clock.advance(1)
    await open()
    expect(await used()).toEqual(clock.now())
  })

  it('shows what a browser says of itself as text, however long it is', async () => {
    const evil = `<script>alert(1)</script>${'x'.repeat(5_000)}`
    await begin(evil)
    const seen = await open()
    expect(seen.text).not.toContain('<script>alert')
    expect(await service.database.execute('select max(length(browser)) as length from sessions')).toEqual([{ length: 300 }])
  })

  it('has pages', async () => {
    const row = `insert into sessions (digest, id, team_id, person_id, method, address, browser, created_at, used_at, expires_at)
      select 'd' || n, overlay(id::text placing lpad(n::text, 4, '0') from 10)::uuid, team_id, person_id, method, address, browser, created_at, used_at, expires_at
      from sessions, generate_series(1, 60) n`
    await service.database.execute(row)
    const first = await open()
    expect(linesOf(first)).toHaveLength(50)
    const next = /href="([^"]*)" rel="next"/.exec(first.text)?.[1] ?? ''
    const second = await open(next)
    expect(linesOf(second)).toHaveLength(11)
    const back = /href="([^"]*)" rel="prev"/.exec(second.text)?.[1] ?? ''
    expect((await open(back.replaceAll('&amp;', '&'))).location).toBe(PAGE)
  })
})

describe('ending sessions', () => {
  it('ends one, at once, and says so', async () => {
    const ended = await signIn(service)
    const kept = await signIn(service)
    const [, id] = idsOf(await open())
    expect((await post(`${PAGE}/${id}/end`)).location).toBe(`${PAGE}?done=ended`)
    expect([await opens(ended), await opens(kept), await opens(cookie)]).toEqual([false, true, true])
    expect((await open(`${PAGE}?done=ended`)).text).toContain('The session has ended.')
    // Sent twice.
    expect((await post(`${PAGE}/${id}/end`)).location).toBe(`${PAGE}?done=gone`)
  })

  it('ends all others of the person, but not those of another', async () => {
    const [mine, theirs] = [await signIn(service), await signIn(service, service.other.token)]
    expect((await post(`${PAGE}/end-others`)).location).toBe(`${PAGE}?done=others`)
    expect([await opens(mine), await opens(theirs), await opens(cookie)]).toEqual([false, true, true])
  })

  it('does nothing for another person, for an id that no session has, and for what is no id', async () => {
    const theirs = await signIn(service, service.other.token)
    const [id = ''] = idsOf(await open(PAGE, await signIn(service, service.other.token)))
    for (const wrong of [id, UNKNOWN_ID, "'"]) expect((await post(`${PAGE}/${wrong}/end`)).location).toBe(`${PAGE}?done=gone`)
    expect(await opens(theirs)).toBe(true)
  })

  it('takes no form from another site, and none from a stranger', async () => {
    const mine = await signIn(service)
    for (const path of [`${PAGE}/end-others`, `${PAGE}/${UNKNOWN_ID}/end`]) {
      expect((await visit(service, 'POST', path, { cookie, origin: 'https://evil.example' })).status).toBe(403)
      expect((await post(path, null)).location).toBe('/console/sign-in')
    }
    expect(await opens(mine)).toBe(true)
  })
})

describe('the teams of a person', () => {
  it('are listed for someone of several, who opens another one, and none of others', async () => {
    expect((await open()).text).not.toContain('Your teams')
    const { persons } = service.service.context.repositories
    const owner = await persons.findByEmailAcrossTeams(`owner-${service.teamId}@people.example`)
    await persons.addMember(service.other.teamId, owner?.id ?? '', 'support')
    try {
      const { text } = await open()
      expect(/<bdi>Team of the test<\/bdi> <span class="tag">this one<\/span><\/th><td>owner/.test(text)).toBe(true)
      expect(text).toContain('<bdi>Other team</bdi></th><td>support')
      const choose = (team: string) => visit(service, 'POST', `${PAGE}/team`, { cookie, form: { team } })
      expect((await choose(UNKNOWN_ID)).status).toBe(404)
      expect((await open()).text).toContain('title="Team of the test"')
      expect(await choose(service.other.teamId.toUpperCase())).toMatchObject({ status: 303, location: '/console' })
      expect((await open()).text).toContain('title="Other team"')
    } finally {
      await persons.removeMember(service.other.teamId, owner?.id ?? '')
    }
  })
})
