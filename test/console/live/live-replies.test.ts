// The streams of the console: who gets them, what they tell, and when they end.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { createOperatorLink } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { sendImport, startImporting } from '../../support/builders/contact-imports.ts'
import { addSegment, createContact } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { type OpenStream, openStream, signIn, visit } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const LINES = '/console/emails/lines'
const STREAMS_MAX = 6
const RATE = 200

let cookie: string
const opened: OpenStream[] = []
const service = shared(() =>
  startTestService({ environment: { CONSOLE_STREAMS_MAX: String(STREAMS_MAX), RATE_LIMIT_PER_SECOND: String(RATE) } }),
)
beforeAll(async () => {
  cookie = await signIn(service)
})
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.close()
  await connections((open) => open <= 2)
})

const connections = (isAsWanted: (open: number) => boolean): Promise<void> =>
  until(
    () =>
      new Promise<void>((resolve, reject) =>
        service.service.app?.server.getConnections((_, open) => (isAsWanted(open) ? resolve() : reject(open))),
      ),
  )

async function open(path: string, as = cookie, headers: Record<string, string> = {}): Promise<OpenStream> {
  const stream = await openStream(service, path, { cookie: as, headers })
  opened.push(stream)
  return stream
}

const operatorCookie = async () => {
  const path = new URL(await createOperatorLink(service.service.context, { forMs: 60_000 })).pathname
  return (await visit(service, 'POST', path)).cookie?.split(';', 1)[0] ?? ''
}

describe('a stream of the console', () => {
  it('tells of a new email as soon as it is there, with what the page shows, as no proxy may keep it', async () => {
    const stream = await open(LINES)
    expect(stream.head).toContain('content-type: text/event-stream; charset=utf-8')
    expect(stream.head).toContain('cache-control: private, no-store, no-transform')
    expect(stream.head).toContain('x-accel-buffering: no')
    expect(stream.head).toContain("content-security-policy: default-src 'none'")
    await stream.receives('event: part')
    await send(service, { subject: 'Told by a stream' })
    await stream.receives('Told by a stream')
    const { text } = await visit(service, 'GET', LINES, { cookie })
    const told = stream
      .body()
      .split('event: part\n')
      .at(-1)
      ?.trim()
      .replaceAll(/^data: /gm, '')
    expect(told).toBe(text.trim())
  })

  it('counts as one request of the team, however much it tells', async () => {
    const stream = await open(LINES)
    for (const subject of ['One of it', 'Two of it']) {
      await send(service, { subject })
      await stream.receives(subject)
    }
    const { headers } = await visit(service, 'GET', LINES, { cookie })
    expect(Number(headers.get('ratelimit-remaining'))).toBeGreaterThanOrEqual(RATE - 5)
  })

  it('holds no transaction, and no connection to the database', async () => {
    const streams = await Promise.all([LINES, `${LINES}?1`, `${LINES}?2`, '/console/overview/progress'].map((path) => open(path)))
    for (const stream of streams) await stream.receives('event: part')
    await until(async () => {
      const rows = await service.database.execute<{ state: string }>(
        "select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'",
      )
      expect(rows).toEqual([])
    })
  })

  it('is for those who are signed in, who see what is of their team', async () => {
    const path = `/console/emails/${await send(service)}/progress`
    expect((await open(path)).status).toBe(200)
    expect((await open(LINES, '')).status).toBe(303)
    expect((await open('/console/operation/queue')).status).toBe(404)
    const theirs = await signIn(service, service.other.token)
    expect((await open(path, theirs)).status).toBe(404)
    const stream = await open(LINES, theirs)
    await stream.receives('event: part')
    await send(service, { subject: 'Not for others' })
    const ours = await open(LINES)
    await ours.receives('Not for others')
    await send(service, { subject: 'Theirs' }, { token: service.other.token })
    await stream.receives('Theirs')
    expect(stream.body()).not.toContain('Not for others')
  })

  it('is over when its session ends, or its person leaves the team', async () => {
    const [one, two] = [await signIn(service), await signIn(service, service.token, 'support')]
    const [left, right] = [await open(LINES, one), await open(LINES, two)]
    await Promise.all([left.receives('event: part'), right.receives('event: part')])
    await visit(service, 'POST', '/console/sign-out', { cookie: one })
    await send(service, { subject: 'After it has ended' })
    await left.ended()
    expect([left.body().includes('event: over'), left.body().includes('After it')]).toEqual([true, false])
    const { persons } = service.service.context.repositories
    const member = await persons.findByEmailAcrossTeams(`support-${service.teamId}@people.example`)
    await persons.removeMember(service.teamId, member?.id ?? '')
    await send(service, { subject: 'After the membership' })
    await right.ended()
    expect([right.body().includes('event: over'), right.body().includes('After the membership')]).toEqual([true, false])
  })

  it('is no answer to HEAD, nor to a request that accepts something else', async () => {
    const head = await fetch(`${service.url}${LINES}`, { method: 'HEAD', headers: { cookie, accept: 'text/event-stream' } })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const page = await visit(service, 'GET', LINES, { cookie, headers: { accept: 'text/html, text/event-stream' } })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})

describe('the number of streams', () => {
  it('is 4 of one session: a fifth is a page with 429 that says when to ask again', async () => {
    for (let count = 0; count < 4; count += 1) expect((await open(LINES)).status).toBe(200)
    const { status, head, body } = await open(LINES)
    expect(status).toBe(429)
    expect(head).toContain('retry-after: 60')
    expect(body()).toContain('Your session has reached its limit of live pages.')
    expect((await open(LINES, await signIn(service))).status).toBe(200)
  })

  it('leaves out those who left before the first read', async () => {
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>()
    const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>()
    const locking = service.database.transaction(async (inside) => {
      await inside('lock table emails in access exclusive mode')
      hasLocked()
      await unlocked
    })
    await locked
    const leaving = new AbortController()
    const ask = (signal?: AbortSignal) =>
      fetch(`${service.url}${LINES}`, { headers: { cookie, accept: 'text/event-stream' }, ...(signal && { signal }) })
    const left = Promise.allSettled([1, 2, 3, 4].map(() => ask(leaving.signal)))
    await connections((open) => open >= 4)
    leaving.abort()
    await left
    await connections((open) => open < 4)
    const stays = open(LINES)
    // Its request is handled as far as it can be when a later one is answered.
    expect((await visit(service, 'GET', '/console/imports', { cookie })).status).toBe(200)
    unlock()
    await locking
    expect((await stays).status).toBe(200)
  })

  it('is CONSOLE_STREAMS_MAX for the process, for any team; meanwhile pages and their parts are answered', async () => {
    const another = await signIn(service)
    const theirs = await signIn(service, service.other.token)
    for (const as of [cookie, cookie, another, another, theirs, await operatorCookie()])
      expect((await open(as.includes('operator') ? '/console/operation/queue' : LINES, as)).status).toBe(200)
    const { status, head, body } = await open(LINES, theirs)
    expect(status).toBe(503)
    expect(head).toContain('retry-after: 60')
    expect(body()).toContain('This service has reached its limit of live pages.')
    expect((await visit(service, 'GET', LINES, { cookie })).status).toBe(200)
    opened[0]?.close()
    await until(async () => expect((await open(LINES, theirs)).status).toBe(200))
  })
})

describe('long work', () => {
  it('shows its progress: an import', async () => {
    const { body } = await sendImport(service, { file: 'email\nada@example.com\n' })
    const stream = await open(`/console/imports/${(body as { id: string }).id}/progress`)
    await stream.receives('<progress')
    const worker = startImporting(service)
    await stream.receives('>completed<')
    await worker.stop()
  })

  it('shows its progress: the fan-out of a broadcast', async () => {
    const segment = await addSegment(service)
    for (const name of ['a', 'b']) await createContact(service, { email: `delivered+${name}@simulator.test`, segments: [{ id: segment }] })
    const broadcast = await service.call('POST', '/broadcasts', {
      body: { segment_id: segment, from: 'a@example.com', subject: 'News', html: '<p>News</p>', send: true },
    })
    const stream = await open(`/console/broadcasts/${(broadcast.body as { id: string }).id}/progress`)
    await stream.receives('event: part')
    const worker = startImporting(service)
    await stream.receives('<dt>Recipients</dt><dd>2</dd>')
    await worker.stop()
  })

  it('shows its progress: the removal of the contacts of a segment, to its team', async () => {
    const segment = await addSegment(service)
    for (const name of ['c', 'd']) await createContact(service, { email: `${name}@example.com`, segments: [{ id: segment }] })
    const deleted = await visit(service, 'POST', `/console/segments/${segment}/delete`, { cookie, form: {} })
    const progress = `/console/segments/removed/${segment}/progress`
    const { text } = await visit(service, 'GET', deleted.location ?? '', { cookie })
    expect(text).toContain(`data-live="${progress}"`)
    expect(text).toContain('is being removed: 2 of it are left.')
    const theirs = await signIn(service, service.other.token)
    for (const path of [progress, `/console/segments?done=deleted&removed=${segment}`])
      expect((await visit(service, 'GET', path, { cookie: theirs })).text).not.toContain('is being removed')
    const stream = await open(progress)
    await stream.receives('2 of it are left')
    const worker = startImporting(service)
    await stream.receives('list of contacts was removed')
    await worker.stop()
    expect((await visit(service, 'GET', deleted.location ?? '', { cookie })).text).not.toContain('id="removal"')
  })

  it('shows its progress: the queue of all teams, to operators', async () => {
    const stream = await open('/console/operation/queue', await operatorCookie())
    await stream.receives('event: part')
    await service.database.execute(
      `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready) values ($1, $2, 'bulk', 'lane.example', $1, now(), true)`,
      [createId(), service.teamId],
    )
    await stream.receives('lane.example')
  })
})

it('ends with the service, which takes less time than a request may', async () => {
  const stopping = await startTestService()
  const stream = await openStream(stopping, LINES, { cookie: await signIn(stopping) })
  await stream.receives('event: part')
  const began = performance.now()
  await stopping.close()
  await stream.ended()
  expect(stream.body()).not.toContain('event: over')
  expect(performance.now() - began).toBeLessThan(4_900)
})
