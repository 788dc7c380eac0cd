// The pages of operators: reached by a link of the command line, and by no session of a team.
import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { createOperatorLink } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { FINDING_STATES } from '../../../src/modules/deliverability/findings.ts'
import { sweepSessions } from '../../../src/server/sweeps.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, signInFor, visit } from '../../support/clients/console.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { startDnsServer } from '../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/operation'
const HOUR_MS = 3_600_000
const PAGES = [PAGE, `${PAGE}/health`, `${PAGE}/deliverability`, `${PAGE}/teams`, `${PAGE}/sessions`]
const FORMS = [`${PAGE}/pause`, `${PAGE}/resume`, `${PAGE}/sessions/${UNKNOWN_ID}/end`, `${PAGE}/sessions/end-others`, `${PAGE}/sign-out`]

let operator: string

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeEach(async () => {
  for (const table of ['queue_pauses', 'deliveries', 'operator_sessions', 'worker_leases'])
    await service.database.execute(`delete from ${table}`)
  operator = cookieOf(await visit(service, 'POST', await link()))
})

const link = async () => new URL(await createOperatorLink(service.service.context, { forMs: HOUR_MS })).pathname
const cookieOf = ({ cookie }: Seen) => cookie?.split(';', 1)[0] ?? ''
const open = (path = PAGE, cookie: string | null = operator) => visit(service, 'GET', path, { cookie })
const post = (path: string, form: Record<string, string> = {}, cookie: string | null = operator) =>
  visit(service, 'POST', path, { cookie, form })
const pauses = () => service.database.execute('select class, team_id as team, destination from queue_pauses order by id')
const queueOne = (destination: string) =>
  service.database.execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready) values ($1, $2, 'bulk', $3, $1, now(), true)`,
    [createId(), service.teamId, destination],
  )

describe('every page and form of operators', () => {
  it.each([...PAGES, `${PAGE}/none`])('%s is nothing for the session of a team', async (path) => {
    const { status, text } = await open(path, await signIn(service))
    expect(status).toBe(404)
    expect(text).not.toContain('Operator')
  })

  it.each(FORMS)('POST %s is nothing for the session of a team, and does nothing', async (path) => {
    expect((await post(path, {}, await signIn(service))).status).toBe(404)
    expect(await pauses()).toEqual([])
    expect((await open()).status).toBe(200)
  })

  it('leads strangers to sign in', async () => {
    for (const path of PAGES) expect((await open(path, null)).location).toBe(signInFor(path))
    for (const path of FORMS) expect((await post(path, {}, null)).location).toBe('/console/sign-in')
  })

  it('takes no form from another site', async () => {
    for (const path of FORMS) {
      const { status } = await visit(service, 'POST', path, { cookie: operator, origin: 'https://evil.example' })
      expect({ path, status }).toEqual({ path, status: 403 })
    }
    expect(await pauses()).toEqual([])
  })

  it('says that it is of an operator', async () => {
    for (const path of PAGES) {
      const { status, text } = await open(path)
      expect({ path, status }).toEqual({ path, status: 200 })
      expect(text).toContain('<b class="tag">Operator</b> <span>of the whole installation</span>')
    }
  })
})

describe('the session of an operator', () => {
  it('opens no page of a team, also with the name of its cookie', async () => {
    for (const cookie of [operator, operator.replace('posthaste-operator', 'posthaste-console')])
      expect((await open('/console/emails', cookie)).location).toBe(signInFor('/console/emails'))
  })

  it('is not that of a team, whatever its cookie is called', async () => {
    const cookie = (await signIn(service)).replace('posthaste-console', 'posthaste-operator')
    expect((await open(PAGE, cookie)).location).toBe(signInFor(PAGE))
  })

  it('begins with a link that works once, and ends by signing out, after 12 hours, and by the sweep', async () => {
    const path = await link()
    expect((await open(path, null)).status).toBe(200)
    const entered = await visit(service, 'POST', path)
    expect({ status: entered.status, location: entered.location }).toEqual({ status: 303, location: PAGE })
    expect((await visit(service, 'POST', path)).status).toBe(403)
    expect((await post(`${PAGE}/sign-out`, {}, cookieOf(entered))).location).toBe('/console/sign-in')
    expect((await open(PAGE, cookieOf(entered))).location).toBe(signInFor(PAGE))
    clock.advance(12 * HOUR_MS)
    expect((await open()).location).toBe(signInFor(PAGE))
    await sweepSessions(service.service.context)
    expect(await service.database.execute('select digest from operator_sessions')).toEqual([])
  })

  it('is void with a link that is too old', async () => {
    const path = await link()
    clock.advance(HOUR_MS)
    expect((await visit(service, 'POST', path)).status).toBe(403)
  })

  it('is listed, and ends others', async () => {
    const other = cookieOf(await visit(service, 'POST', await link()))
    const { text } = await open(`${PAGE}/sessions`)
    expect(text.match(/<td>link<\/td>/g)).toHaveLength(2)
    const id = /sessions\/([\w-]{36})\/end"/.exec(text)?.[1]
    expect((await post(`${PAGE}/sessions/${id}/end`)).location).toBe(`${PAGE}/sessions?done=ended`)
    expect((await open(PAGE, other)).location).toBe(signInFor(PAGE))
    const third = cookieOf(await visit(service, 'POST', await link()))
    await post(`${PAGE}/sessions/end-others`)
    expect((await open(PAGE, third)).location).toBe(signInFor(PAGE))
    expect((await open()).status).toBe(200)
  })
})

describe('the queue', () => {
  it('shows lanes with their team, pauses one, and resumes it', async () => {
    await queueOne('slow.example')
    expect((await open()).text).toContain('Team of the test')
    const lane = { class: 'bulk', team: service.teamId, destination: 'slow.example' }
    expect((await post(`${PAGE}/pause`, lane)).location).toBe(`${PAGE}?done=pause`)
    // Sent twice: paused once.
    await post(`${PAGE}/pause`, lane)
    expect(await pauses()).toEqual([lane])
    const { text } = await open()
    expect(text).toContain('<span class="state delayed">paused</span>')
    expect(text).toContain('aria-label="Resume bulk mail of Team of the test to slow.example"')
    expect((await post(`${PAGE}/resume`, lane)).location).toBe(`${PAGE}?done=resume`)
    expect(await pauses()).toEqual([])
  })

  it('pauses and resumes all of it', async () => {
    expect((await post(`${PAGE}/pause`, { all: 'yes' })).status).toBe(303)
    expect(await pauses()).toEqual([{ class: null, team: null, destination: null }])
    expect((await open()).text).toMatch(/name="all" value="yes">\s*<button class="quiet" aria-label="Resume the whole queue">/)
    expect((await post(`${PAGE}/resume`, { all: 'yes' })).status).toBe(303)
    expect(await pauses()).toEqual([])
  })

  it.each([
    ['  GMail.COM ', 'gmail.com'],
    ['Relay', 'relay'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('names the destination %j as lanes do, when it is paused and when it is resumed', async (typed, destination) => {
    expect((await post(`${PAGE}/pause`, { class: ' Bulk', destination: typed })).status).toBe(303)
    expect(await pauses()).toEqual([{ class: 'bulk', team: null, destination }])
    expect((await post(`${PAGE}/resume`, { class: 'bulk', destination: typed })).status).toBe(303)
    expect(await pauses()).toEqual([])
  })

  it.each(['a b', 'localhost', '192.0.2.1', '[192.0.2.1]', '.', 'x@example.com'])(
    'refuses the destination %j in words',
    async (destination) => {
      const { status, text } = await post(`${PAGE}/pause`, { destination })
      expect(status).toBe(422)
      expect(text).toContain('field must be a domain such as')
      // Reloading this page would send its form again, so it does not follow the queue.
      expect(text).not.toContain('data-live')
      expect(await pauses()).toEqual([])
    },
  )

  it('says which parts are resumed with the whole, and asks before it pauses the mail of all teams', async () => {
    await post(`${PAGE}/pause`, { class: 'bulk' })
    expect((await open()).text).toMatch(/<summary>Pause the whole queue<[\s\S]+No mail of any team is sent[\s\S]+<\/details>/)
    await post(`${PAGE}/pause`, { all: 'yes' })
    const { text } = await open()
    expect(text).toContain('aria-label="Resume the whole queue, with 1 part of it">Resume, with 1 part of it<')
    expect(text).toContain('aria-label="Resume bulk mail">Resume<')
    await post(`${PAGE}/resume`, { all: 'yes' })
    expect(await pauses()).toEqual([])
  })

  it('ends what a restore holds, and no other pause with it', async () => {
    await post(`${PAGE}/pause`, { class: 'bulk' })
    await service.database.execute('insert into queue_pauses (id, created_at, backup_at) values (gen_random_uuid(), now(), now())')
    const { text } = await open()
    expect(text).toContain('aria-label="Resume the whole queue">Resume<')
    expect(text).toContain('<summary>Pause the whole queue<')
    await post(`${PAGE}/resume`, { all: 'yes' })
    expect(await pauses()).toEqual([{ class: 'bulk', team: null, destination: null }])
  })

  it.each([
    [{ class: 'all' }, 'The <code>class</code> field must be <code>transactional</code> or <code>bulk</code>.'],
    [{}, 'Name a part of the queue, or say that you mean all of it.'],
    [{ team: "'" }, 'The <code>team</code> field must be the id of a team.'],
  ])('refuses %j', async (form, sentence) => {
    const seen = await post(`${PAGE}/pause`, form as Record<string, string>)
    expect(seen.status).toBe(422)
    expect(seen.text).toContain(sentence)
    expect(await pauses()).toEqual([])
  })

  it('shows names as text', async () => {
    await queueOne('<img src=x>.example')
    expect((await open()).text).not.toContain('<img')
  })

  it('shows how fast mail servers are sent to', async () => {
    const pace = { connections: 1, pauseCount: 3, pausedUntilMs: clock.now().getTime() + 60_000, slowedAtMs: clock.now().getTime() }
    await service.service.context.repositories.destinationPaces.save([{ key: 'mx.slow.example', pace }], createId(), clock.now())
    expect((await open()).text).toMatch(/mx\.slow\.example[\s\S]*backing off[\s\S]*pause 3 in a row/)
  })
})

describe('health', () => {
  it('shows the parts, the workers with what they hold, the versions and the partitions', async () => {
    const worker = createId()
    await service.service.context.repositories.workerLeases.register(worker)
    await queueOne('held.example')
    await service.database.execute('update deliveries set is_ready = false, leased_by = $1', [worker])
    const text = (await open(`${PAGE}/health`)).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(text).toContain(`${worker} beats 0 holds 1 delivery`)
    expect(text).toMatch(/PostgreSQL \d+/)
    expect(text).toMatch(/request_logs request_logs_p\d{8} to request_logs_p\d{8}/)
  })

  it.each([
    [async () => 12_345_678_900, 'free disk 12.3 GB'],
    [async () => 0, 'free disk 0 bytes'],
    [() => Promise.reject(new Error('no such folder')), 'free disk not known'],
  ])('shows how much of the disk is free', async (freeBytesOf, words) => {
    const other = await startTestService({ freeBytesOf })
    const { pathname } = new URL(await createOperatorLink(other.service.context, { forMs: HOUR_MS }))
    const cookie = cookieOf(await visit(other, 'POST', pathname))
    const { status, text } = await visit(other, 'GET', `${PAGE}/health`, { cookie })
    await other.close()
    expect(status).toBe(200)
    expect(text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain(words)
  })
})

describe('deliverability', () => {
  it('shows each check of `posthaste doctor`, the worst first, with what to do', async () => {
    const dns = await startDnsServer({})
    // Nothing listens there.
    const other = await startTestService({ environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:9', DNS_SERVERS: dns.address } })
    const { pathname } = new URL(await createOperatorLink(other.service.context, { forMs: HOUR_MS }))
    const cookie = cookieOf(await visit(other, 'POST', pathname))
    const { text } = await visit(other, 'GET', `${PAGE}/deliverability`, { cookie })
    const { status, findings } = await other.service.context.deliverability()
    await other.close()
    await dns.close()

    expect(findings.map(({ check, state }) => `${check} ${state}`)).toContain('relay problem')
    const shown = [...text.matchAll(/<li><span class="state \w+">(\w+)<\/span> <b>([\w-]+)<\/b> <bdi>([^<]*)/g)].map(([, ...row]) => row)
    const worst = FINDING_STATES.flatMap((state) => findings.filter((finding) => finding.state === state))
    expect(shown).toEqual(worst.map(({ state, check, subject }) => [state, check, escaped(subject)]))
    expect(text).toMatch(new RegExp(`<p><span class="state \\w+">${status}</span>`))
    for (const { advice } of findings) if (advice !== null) expect(text).toContain(`<div class="soft">${escaped(advice)}</div>`)
  })

  it('says that nothing leaves the machine, if that is so', async () => {
    const { note } = await service.service.context.deliverability()
    expect(note).toEqual(expect.any(String))
    expect((await open(`${PAGE}/deliverability`)).text).toContain(escaped(String(note)))
  })
})

const escaped = (sentence: string): string =>
  sentence.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

it('teams are all of the installation, in pages', async () => {
  const { text } = await open(`${PAGE}/teams`)
  expect(text).toContain(service.teamId)
  expect(text).toContain(service.other.teamId)
})

it('answers operators as often as a team a second, and then with a page that says so', async () => {
  const limited = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '5' }, clock: createMovingClock() })
  const path = new URL(await createOperatorLink(limited.service.context, { forMs: HOUR_MS })).pathname
  const cookie = cookieOf(await visit(limited, 'POST', path))
  const statuses: number[] = []
  for (let count = 0; count < 6; count += 1) statuses.push((await visit(limited, 'GET', `${PAGE}/teams`, { cookie })).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  await limited.close()
})
