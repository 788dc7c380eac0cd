import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { sweepBlobs, sweepEmails, sweepImportReports, sweepQuotaPeriods, sweepReceivedEmails } from '../../src/server/sweeps.ts'
import { readImport, sendImport, startImporting, storedFiles, untilEnded } from '../support/builders/contact-imports.ts'
import { receiveEmail, storeReceived } from '../support/builders/received-emails.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const clock = createMovingClock()
const service = shared(() => startTestService({ clock, environment: { EMAIL_RETENTION_DAYS: '3' } }))

async function send(body: object): Promise<string> {
  const answer = await service.call('POST', '/emails', {
    body: { from: 'a@example.com', to: 'delivered@simulator.test', subject: 's', text: 't', ...body },
  })
  return (answer.body as { id: string }).id
}

/** Ends the delivery of an email as the engine does: the recipient is final, the delivery removed, the time recorded. */
async function finish(emailId: string): Promise<void> {
  await service.database.execute('delete from deliveries where email_id = $1', [emailId])
  await service.database.execute('update emails set final_at = $2 where id = $1', [emailId, clock.now()])
}

const newImport = async (file: string) => ((await sendImport(service, { file })).body as { id: string }).id

const status = async (id: string) => (await service.call('GET', `/emails/${id}`)).status

describe('the sweep of received emails', () => {
  it('removes one with its files once its time is over, and none that waits to be read', async () => {
    const { context } = service.service
    const old = await receiveEmail(service)
    const keys = await service.database.execute<{ key: string }>(
      'select blob_key as key from received_emails union all select blob_key from received_attachments',
    )
    const { id: waiting } = await storeReceived(service)
    clock.advance(2 * DAY_MS)
    const young = await storeReceived(service)

    clock.advance(1.1 * DAY_MS)
    await sweepReceivedEmails({ ...context, config: { ...service.config, emailRetentionDays: 0 } })
    expect((await service.call('GET', `/emails/receiving/${old}`)).status).toBe(200)
    await sweepReceivedEmails(context)

    expect((await service.call('GET', `/emails/receiving/${old}`)).status).toBe(404)
    expect(keys).toHaveLength(3)
    for (const { key } of keys) expect(await context.gateways.blobs.size(key)).toBeNull()
    const left = await service.database.execute<{ id: string }>('select id from received_emails order by id')
    expect(left.map(({ id }) => id)).toEqual([waiting, young.id])
    expect(await service.database.execute('select from received_recipients')).toHaveLength(2)
    await service.database.execute('truncate received_emails, received_recipients')
  })

  it('leaves the blobs that a received email or a file of it names', async () => {
    const id = await receiveEmail(service)
    const keys = await service.database.execute<{ key: string }>(
      'select blob_key as key from received_emails union all select blob_key from received_attachments',
    )
    const unnamed = await service.service.context.repositories.unnamedBlobs.of([...keys.map(({ key }) => key), createId()])
    expect(unnamed).toHaveLength(1)
    expect((await service.call('DELETE', `/emails/receiving/${id}`)).status).toBe(200)
  })
})

describe('the sweep of emails', () => {
  it('removes an email with its files once its time is over, counted from its end, and nothing that still has work', async () => {
    const attachment = { filename: 'a.txt', content: Buffer.from('file').toString('base64') }
    const done = await send({ attachments: [attachment] })
    const waiting = await send({ scheduled_at: 'in 20 days', attachments: [attachment] })
    const [file] = await service.database.execute<{ key: string }>('select blob_key as key from attachments where email_id = $1', [done])
    clock.advance(2 * DAY_MS)
    await finish(done)

    clock.advance(2 * DAY_MS)
    await sweepEmails(service.service.context)
    expect(await status(done)).toBe(200)

    clock.advance(1.1 * DAY_MS)
    await sweepEmails(service.service.context)
    expect(await status(done)).toBe(404)
    expect(await status(waiting)).toBe(200)
    expect(await service.service.context.gateways.blobs.size(file?.key ?? '')).toBeNull()
    expect(await service.database.execute('select id from recipients where email_id = $1', [done])).toEqual([])
    expect(await service.database.execute('select id from attachments where email_id = $1', [done])).toEqual([])
  })

  it('removes an email that was canceled while its files were still being fetched', async () => {
    const id = await send({ scheduled_at: 'in 1 hour', attachments: [{ path: 'https://example.com/report.pdf' }] })
    expect((await service.call('POST', `/emails/${id}/cancel`)).status).toBe(200)

    clock.advance(3.1 * DAY_MS)
    await sweepEmails(service.service.context)

    expect(await status(id)).toBe(404)
  })

  it('keeps everything when EMAIL_RETENTION_DAYS is 0', async () => {
    const id = await send({})
    await finish(id)
    clock.advance(400 * DAY_MS)
    await sweepEmails({ ...service.service.context, config: { ...service.config, emailRetentionDays: 0 } })
    expect(await status(id)).toBe(200)
  })
})

describe('the sweep of blobs', () => {
  it('removes old blobs that no row names, and spares those of a request that is still being accepted', async () => {
    const { context } = service.service
    const { blobs } = context.gateways
    const [orphan, named] = [createId(), createId()]
    for (const key of [orphan, named]) await blobs.put(key, Buffer.from('file'))
    const client = await service.database.connect()
    await client.query('begin')
    await client.query(
      `insert into attachments (id, team_id, email_id, position, content_type, size, blob_key, created_at) values ($1, $2, $3, 0, 'text/plain', 4, $4, now())`,
      [createId(), service.teamId, createId(), named],
    )

    // The blobs are young, and the accepting transaction is still open.
    await sweepBlobs({ ...context, clock: { ...clock, now: () => new Date() } })
    expect(await blobs.size(named)).toBe(4)
    expect(await blobs.size(orphan)).toBe(4)

    await client.query('commit')
    client.release()
    await sweepBlobs({ ...context, clock: { ...clock, now: () => new Date(Date.now() + 1.1 * DAY_MS) } })
    expect(await blobs.size(named)).toBe(4)
    expect(await blobs.size(orphan)).toBeNull()
  })

  it('keeps the file of an import that waits, and removes one that no import names', async () => {
    for (const key of await storedFiles(service)) await service.service.context.gateways.blobs.remove(key)
    const waiting = await newImport('email\n')
    const [kept] = await storedFiles(service)
    const abandoned = await newImport('email\n')
    // Its process ended between the end of the import and the removal of its file.
    await service.database.execute(`update contact_imports set status = 'completed', blob_key = null where id = $1`, [abandoned])
    expect(await storedFiles(service)).toHaveLength(2)

    await sweepBlobs({ ...service.service.context, clock: { ...clock, now: () => new Date(Date.now() + 1.1 * DAY_MS) } })
    expect(await storedFiles(service)).toEqual([kept])
    expect(await readImport(service, waiting)).toMatchObject({ status: 'queued' })
  })

  it('removes what a crash left half-written, once it can be no upload that is still on its way', async () => {
    for (const key of await storedFiles(service)) await service.service.context.gateways.blobs.remove(key)
    const half = join(service.config.blobFolder, 'temporary', 'half')
    await writeFile(half, 'email\n')
    await utimes(half, clock.now(), clock.now())

    clock.advance(75 * MINUTE_MS)
    await sweepBlobs(service.service.context)
    expect(await storedFiles(service)).toEqual(['half'])

    clock.advance(45 * MINUTE_MS + 1_000)
    await sweepBlobs(service.service.context)
    expect(await storedFiles(service)).toEqual([])
  })
})

describe('the sweep of the reports of imports', () => {
  it('removes why rows were refused 30 days after the end of their import', async () => {
    const importId = await newImport('email\nnobody\n')
    const worker = startImporting(service)
    await untilEnded(service, importId)
    await worker.stop()
    const reasons = () => service.database.execute('select reason from contact_import_refusals where import_id = $1', [importId])

    clock.advance(29.9 * DAY_MS)
    await sweepImportReports(service.service.context)
    expect(await reasons()).toHaveLength(1)

    clock.advance(0.2 * DAY_MS)
    await sweepImportReports(service.service.context)
    expect(await reasons()).toEqual([])
    expect(await readImport(service, importId)).toMatchObject({ counts: { failed: 1 }, report_url: null })
  })
})

describe('the sweep of days and months of limits', () => {
  it('removes those that began 400 days ago, and none that a limit still needs', async () => {
    const { repositories } = service.service.context
    const { id: teamId } = await repositories.teams.create('Team with limits')
    await repositories.teamLimits.setAcrossTeams(teamId, { emails_per_day: 5, emails_per_month: 5 })
    const startsOn = clock.now().toISOString()
    const periods = async () =>
      (
        await service.database.execute<{ period: string }>('select period from quota_periods where team_id = $1 order by period', [teamId])
      ).map(({ period }) => period)

    clock.advance(400 * DAY_MS)
    await sweepQuotaPeriods(service.service.context)
    expect(await periods()).toEqual(startsOn.slice(8, 10) === '01' ? ['day', 'month'] : ['day'])

    clock.advance(DAY_MS)
    await sweepQuotaPeriods(service.service.context)
    expect(await periods()).toEqual([])
  })
})
