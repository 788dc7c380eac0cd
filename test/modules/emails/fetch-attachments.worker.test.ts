import { rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { FetchDelayed, fetchAttachments } from '../../../src/modules/emails/fetch-attachments.worker.ts'
import { storedFilesIn } from '../../support/builders/contact-imports.ts'
import { attemptsOf, deliveriesOf, notificationsOf, sendEmail, stateOf, untilEvent } from '../../support/builders/engine.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { file, type HttpSinkRoutes, startHttpSink, status } from '../../support/servers/http-sink.ts'
import { startRelayService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const routes: HttpSinkRoutes = {}

const web = shared(() => startHttpSink(routes))
const service = shared(() => startRelayService())
// Each test finds no email, no job, no file and no request of another.
afterEach(async () => {
  await service.stopWorkers()
  await service.database.execute('truncate emails, recipients, deliveries, attachments cascade')
  await service.database.execute('truncate graphile_worker._private_jobs, graphile_worker._private_job_queues')
  for (const { path } of await storedFilesIn(service.config.blobFolder)) await rm(path)
  for (const path of Object.keys(routes)) delete routes[path]
  web.requests.length = 0
  service.sink.messages.length = 0
})

const serve = (more: HttpSinkRoutes) => Object.assign(routes, more)

const sendWithPath = (path: string, fields: Record<string, unknown> = {}, attachment: Record<string, unknown> = {}) =>
  sendEmail(service, { attachments: [{ path: `${web.url}${path}`, ...attachment }], ...fields })

const isFetching = async (id: string) =>
  (await service.database.execute<{ isFetching: boolean }>('select is_fetching as "isFetching" from emails where id = $1', [id]))[0]
    ?.isFetching
const untilFetched = (id: string) => until(async () => expect(await isFetching(id)).toBe(false))

/** Jobs that wait for their next try run now. */
const untilTriedAgain = (check: () => void | Promise<void>) =>
  until(async () => {
    await service.database.execute('update graphile_worker._private_jobs set run_at = now() where locked_at is null')
    await check()
  })

const attachmentOf = async (id: string) =>
  (
    await service.database.execute(
      'select filename, content_type as "contentType", size, blob_key is not null as "isStored" from attachments where email_id = $1',
      [id],
    )
  )[0]

async function storedFiles(): Promise<string[]> {
  return (await storedFilesIn(service.config.blobFolder)).map(({ name }) => name)
}

const failures = async (id: string) =>
  service.database.execute<{ to: string[]; reason: string }>(
    `select data->'to' as "to", data->'detail'->'failed'->>'reason' as reason from notifications where subject_id = $1 and type = 'email.failed'`,
    [id],
  )

/** A route that answers when the test releases it. */
function heldRoute(content: string) {
  const arrived = Promise.withResolvers<ServerResponse>()
  return {
    listener: (_request: unknown, response: ServerResponse) => arrived.resolve(response),
    arrived: arrived.promise,
    release: async () => (await arrived.promise).writeHead(200).end(content),
  }
}

describe('an attachment that is named by URL', () => {
  it('is fetched and sent, with the name and type that its server gives', async () => {
    serve({
      '/report': file('fetched bytes', { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="sales.csv"' }),
    })
    service.startWorker()

    const id = await sendWithPath('/report')

    await untilEvent(service, id, 'delivered')
    expect(await attachmentOf(id)).toEqual({ filename: 'sales.csv', contentType: 'text/csv', size: 13, isStored: true })
    expect(service.sink.messages).toHaveLength(1)
    expect(service.sink.messages[0]?.raw).toContain(Buffer.from('fetched bytes').toString('base64'))
    expect(web.requests).toEqual(['GET /report'])
  })

  it('keeps the name and type that the client gave', async () => {
    serve({ '/report': file('x', { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="sales.csv"' }) })
    service.startWorker()

    const id = await sendWithPath('/report', {}, { filename: 'mine.pdf', content_type: 'application/pdf' })

    await untilEvent(service, id, 'delivered')
    expect(await attachmentOf(id)).toMatchObject({ filename: 'mine.pdf', contentType: 'application/pdf' })
  })

  it('is tried again while its team has no room for it, and leaves no file', async () => {
    serve({ '/report': file('fetched bytes', {}) })
    const { teamLimits } = service.service.context.repositories
    await teamLimits.setAcrossTeams(service.teamId, { stored_bytes: 12 })
    const id = await sendWithPath('/report')
    const task = { teamId: service.teamId, emailId: id, isLastTry: false, signal: new AbortController().signal }

    await expect(fetchAttachments(service.service.context, task)).rejects.toThrow(FetchDelayed)
    expect(await storedFiles()).toEqual([])
    await teamLimits.setAcrossTeams(service.teamId, { stored_bytes: 13 })
    await fetchAttachments(service.service.context, task)
    expect(await attachmentOf(id)).toMatchObject({ size: 13, isStored: true })
    await teamLimits.setAcrossTeams(service.teamId, { stored_bytes: null })
  })

  it('is fetched at once for a scheduled email, whose deliveries wait for their time', async () => {
    serve({ '/a.txt': file('x') })
    service.startWorker()
    const scheduledAt = new Date(Date.now() + 3_600_000)

    const id = await sendWithPath('/a.txt', { scheduled_at: scheduledAt.toISOString() })

    await untilFetched(id)
    expect(await deliveriesOf(service, id)).toMatchObject([{ dueAt: scheduledAt, leasedBy: null }])
    expect(await stateOf(service, id)).toMatchObject({ state: 'scheduled', lastEvent: 'scheduled' })
    expect(service.sink.messages).toEqual([])
  })

  it('follows the new time of an email that is rescheduled while it is fetched', async () => {
    const held = heldRoute('x')
    serve({ '/a.txt': held.listener })
    service.startWorker()
    const id = await sendWithPath('/a.txt', { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
    await held.arrived
    const later = new Date(Date.now() + 7_200_000)
    expect((await service.call('PATCH', `/emails/${id}`, { body: { scheduled_at: later.toISOString() } })).status).toBe(200)

    await held.release()

    await untilFetched(id)
    expect(await deliveriesOf(service, id)).toMatchObject([{ dueAt: later }])
  })

  it('of an email that is canceled meanwhile is thrown away, and nothing is sent', async () => {
    const held = heldRoute('x')
    serve({ '/a.txt': held.listener })
    service.startWorker()
    const id = await sendWithPath('/a.txt', { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
    await held.arrived
    expect((await service.call('POST', `/emails/${id}/cancel`)).status).toBe(200)

    await held.release()

    await until(async () => expect(await service.database.execute('select 1 from graphile_worker._private_jobs')).toEqual([]))
    expect(await deliveriesOf(service, id)).toEqual([])
    expect(await storedFiles()).toEqual([])
    expect(await stateOf(service, id)).toEqual({ state: 'canceled', lastEvent: 'canceled', recipients: ['queued'] })
  })

  it.each([
    ['the URL', '/evil.exe', {}],
    ['its server', '/report', { 'content-disposition': 'attachment; filename="evil.exe"' }],
    ['its server, written to look harmless,', '/report', { 'content-disposition': "attachment; filename*=UTF-8''ev%E2%80%AEil.exe" }],
  ])('fails the email when %s gives it a type that mail servers refuse', async (_who, path, headers) => {
    serve({ [path]: file('MZ', headers) })
    service.startWorker()

    const id = await sendWithPath(path)

    await untilEvent(service, id, 'failed')
    expect((await failures(id)).map(({ reason }) => reason)).toEqual([
      'The attachment evil.exe may not end in `.exe`: mail servers refuse that type; send a link or another format, or give it a `filename`.',
    ])
    expect([service.sink.messages, await storedFiles()]).toEqual([[], []])
  })

  it('gets a name of ours when its server gives none that a file may have', async () => {
    serve({ '/report': file('x', { 'content-disposition': 'attachment; filename="..."' }) })
    service.startWorker()

    const id = await sendWithPath('/report')

    await untilEvent(service, id, 'delivered')
    expect(await attachmentOf(id)).toMatchObject({ filename: 'attachment-0' })
  })

  it('is fetched while others of the same email are, four at a time', async () => {
    const held: ServerResponse[] = []
    serve({ '/a.txt': (_request, response) => held.push(response) })
    service.startWorker()
    const id = await sendEmail(service, { attachments: Array.from({ length: 5 }, () => ({ path: `${web.url}/a.txt` })) })
    await until(() => expect(held).toHaveLength(4))

    held[0]?.writeHead(200).end('x')

    await until(() => expect(held).toHaveLength(5))
    for (const response of held.slice(1)) response.writeHead(200).end('x')
    await untilEvent(service, id, 'delivered')
    expect(await storedFiles()).toHaveLength(5)
  })

  it('is left for a later try when those of its email have taken two minutes', async () => {
    const moving = createMovingClock()
    serve({
      '/slow.txt': (request, response) => {
        moving.advance(121_000)
        file('x')(request, response)
      },
    })
    const emailId = await sendEmail(service, { attachments: Array.from({ length: 9 }, () => ({ path: `${web.url}/slow.txt` })) })
    const task = { teamId: service.teamId, emailId, isLastTry: false, signal: new AbortController().signal }

    await expect(fetchAttachments({ ...service.service.context, clock: moving }, task)).rejects.toThrow(FetchDelayed)

    expect(web.requests.length).toBeLessThanOrEqual(4)
    expect(await storedFiles()).toEqual([])
    expect(await isFetching(emailId)).toBe(true)
  })

  it('fails the email with its reason when its server refuses it for good', async () => {
    serve({ '/gone': status(404) })
    service.startWorker()

    const id = await sendWithPath('/gone', { to: ['a@example.org', 'b@example.org'] }, { filename: 'a.txt' })

    await untilEvent(service, id, 'failed')
    expect(await stateOf(service, id)).toEqual({ state: 'queued', lastEvent: 'failed', recipients: ['failed', 'failed'] })
    expect(await failures(id)).toEqual([
      {
        to: expect.toSatisfy((to: string[]) => to.toSorted().join() === 'a@example.org,b@example.org'),
        reason: 'The attachment a.txt could not be fetched. The server answers with status 404.',
      },
    ])
    expect([await deliveriesOf(service, id), await attemptsOf(service, id), await storedFiles()]).toEqual([[], [], []])
    expect(web.requests).toHaveLength(1)
  })

  it('is tried again when its server is only busy, and what was fetched beside it is not kept twice', async () => {
    let asked = 0
    serve({
      '/first': file('first'),
      '/busy': (request, response) => (++asked < 3 ? status(503) : file('second'))(request, response),
    })
    service.startWorker()

    const id = await sendEmail(service, { attachments: [{ path: `${web.url}/first` }, { path: `${web.url}/busy` }] })

    await untilTriedAgain(async () => expect((await stateOf(service, id)).lastEvent).toBe('delivered'))
    expect(asked).toBe(3)
    expect(await storedFiles()).toHaveLength(2)
  })

  it('fails the email after the last try', async () => {
    serve({ '/busy': status(503) })
    service.startWorker()

    const id = await sendWithPath('/busy')

    await untilTriedAgain(async () => expect((await stateOf(service, id)).lastEvent).toBe('failed'))
    expect(web.requests).toHaveLength(5)
    expect((await failures(id)).map(({ reason }) => reason)).toEqual([
      'The attachment 0 could not be fetched. The server answers with status 503.',
    ])
  })

  it('is left for later when the service stops, also at the last try', async () => {
    serve({ '/held': () => stopping.abort() })
    const stopping = new AbortController()
    const emailId = await sendWithPath('/held')
    const task = { teamId: service.teamId, emailId, isLastTry: true, signal: stopping.signal }

    await expect(fetchAttachments(service.service.context, task)).rejects.toThrow(FetchDelayed)

    expect(await isFetching(emailId)).toBe(true)
  })

  it('is refused at once when its URL leads to a private address', async () => {
    const careful = await startRelayService({ environment: { ALLOW_PRIVATE_NETWORKS: 'false' } })
    onTestFinished(() => careful.close())
    const answer = await careful.call('POST', '/emails', {
      body: { from: 'a@example.com', to: 'b@example.org', subject: 'x', text: 'x', attachments: [{ path: web.url }] },
    })
    expect(answer).toMatchObject({
      status: 422,
      body: { name: 'validation_error', message: expect.stringContaining('attachments[0].path') },
    })
  })
})

describe('the job that fetches', () => {
  it('is locked under the id of its worker’s lease', async () => {
    const held = heldRoute('x')
    serve({ '/a.txt': held.listener })
    service.startWorker()
    const id = await sendWithPath('/a.txt')
    await held.arrived

    // Chores of the house may run at the same moment.
    const locks = await service.database.execute(
      `select j.locked_by = l.id::text as "isLease" from graphile_worker._private_jobs j
         join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'fetch-attachments', worker_leases l
        where j.locked_at is not null`,
    )

    expect(locks).toEqual([{ isLease: true }])
    await held.release()
    await untilEvent(service, id, 'delivered')
  })

  it('waits for others of its team, and never for slow servers of another; nor do the chores of the house', async () => {
    const held = { now: 0, most: 0 }
    serve({
      '/held': (_request, response) => {
        held.now += 1
        held.most = Math.max(held.most, held.now)
        response.once('close', () => (held.now -= 1))
      },
      '/a.txt': file('x'),
    })
    service.startWorker()
    for (let count = 0; count < 20; count += 1) await sendWithPath('/held')
    await until(() => expect(held.now).toBe(2))

    const theirs = await sendEmail(service, { attachments: [{ path: `${web.url}/a.txt` }] }, service.other.token)
    await service.database.execute(`select graphile_worker.add_job('remove-expired-idempotency-keys')`)

    await untilEvent(service, theirs, 'delivered')
    await until(async () =>
      expect(
        await service.database.execute(`select 1 from graphile_worker.jobs where task_identifier = 'remove-expired-idempotency-keys'`),
      ).toEqual([]),
    )
    expect(held.most).toBe(2)
  })

  it('that still waits for its turn, or is at its last try, is not taken for lost however old its email is', async () => {
    serve({ '/a.txt': file('x') })
    const waiting = await sendWithPath('/a.txt')
    const running = await sendWithPath('/a.txt')
    const lost = await sendWithPath('/a.txt')
    const jobOf = (id: string, change: string) =>
      service.database.execute(`update graphile_worker._private_jobs set ${change} where payload->>'emailId' = $1`, [id])
    await jobOf(running, `attempts = max_attempts, locked_at = now(), locked_by = 'somebody'`)
    await jobOf(lost, 'attempts = max_attempts')
    await service.database.execute(`update emails set created_at = created_at - interval '3 days'`)

    const stuck = await service.service.context.repositories.fetchedAttachments.listStuckAcrossTeams(new Date())

    expect(stuck.map(({ emailId }) => emailId)).toEqual([lost])
    expect(await isFetching(waiting)).toBe(true)
  })

  it('that its process took to the grave five times fails the email when an hour is over', async () => {
    serve({ '/a.txt': file('x') })
    const lost = await sendWithPath('/a.txt')
    await service.database.execute('update graphile_worker._private_jobs set attempts = max_attempts')
    const fresh = await sendWithPath('/a.txt', { scheduled_at: new Date(Date.now() + 7_200_000).toISOString() })
    await service.database.execute('update emails set created_at = created_at - $2::interval where id = $1', [lost, '61 minutes'])
    service.startWorker()
    await untilFetched(fresh)

    await service.database.execute(`select graphile_worker.add_job('fail-stuck-fetches')`)

    await untilEvent(service, lost, 'failed')
    expect((await failures(lost)).map(({ reason }) => reason)).toEqual(['The attachments could not be fetched.'])
    expect((await notificationsOf(service, fresh)).map(({ type }) => type)).toEqual(['email.scheduled'])
  })
})
