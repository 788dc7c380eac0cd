import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { type Acceptance, acceptTogether, emailAcceptor } from '../../../src/modules/emails/accept-emails.repository.ts'
import { sendEmail } from '../../support/builders/engine.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(async () => {
  await service.database.execute('truncate emails, recipients, deliveries, attachments, notifications, idempotency_keys')
  await service.database.execute('delete from graphile_worker._private_jobs')
})

const BODY = { from: 'Acme <hello@example.com>', to: 'to@example.org', subject: 'Hello', text: 'Hello.' }
const accept = (requests: Acceptance[]) => acceptTogether(service.database, requests)

type Options = { key?: string; bodyHash?: string; at?: Date; path?: string; recipientCount?: number; recipientId?: string }

function acceptance({ key, bodyHash = 'hash', at = new Date(), path, recipientId = createId() }: Options = {}): Acceptance {
  const emailId = createId()
  return {
    teamId: service.teamId,
    apiKeyId: createId(),
    acceptedAt: at,
    idempotency: key === undefined ? null : { operation: 'emails.send', key, bodyHash },
    response: { id: emailId },
    emails: [
      {
        id: emailId,
        state: 'scheduled',
        fromDomain: 'example.com',
        from: 'hello@example.com',
        to: ['to@example.org'],
        cc: [],
        bcc: [],
        replyTo: [],
        subject: 'Hello',
        html: null,
        text: 'Hello.',
        headers: {},
        tags: [],
        attachmentCount: 1,
        contentBytes: 6,
        isFetching: path !== undefined,
        scheduledAt: at,
        topicId: null,
        templateId: null,
        templateVersionId: null,
        traceparent: null,
      },
    ],
    recipients: [{ id: recipientId, emailId, address: 'to@example.org' }],
    deliveries: [{ id: recipientId, emailId, class: 'transactional', destination: 'example.org', dueAt: at, isReady: true }],
    messages: [],
    quotaUses: [],
    attachments: [
      {
        id: createId(),
        emailId,
        position: 0,
        filename: 'a.txt',
        contentType: 'text/plain',
        contentId: null,
        size: 1,
        blobKey: path === undefined ? createId() : null,
        path: path ?? null,
      },
    ],
    notifications: [
      { id: createId(), teamId: service.teamId, type: 'email.scheduled', subjectId: emailId, data: { to: ['to@example.org'] } },
    ],
  }
}

const TABLES = ['emails', 'recipients', 'deliveries', 'attachments', 'notifications', 'idempotency_keys', 'graphile_worker._private_jobs']

async function counts(): Promise<Record<string, number>> {
  const rows = await service.database.execute<{ name: string; count: number }>(
    TABLES.map((table) => `select '${table}' as name, count(*)::int as count from ${table}`).join(' union all '),
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name.replace('graphile_worker._private_', ''), count]))
}
const NOTHING = { emails: 0, recipients: 0, deliveries: 0, attachments: 0, notifications: 0, idempotency_keys: 0, jobs: 0 }
const ONE = { emails: 1, recipients: 1, deliveries: 1, attachments: 1, notifications: 1, idempotency_keys: 1, jobs: 0 }

const ACCEPTED = { kind: 'accepted' }

describe('accepting', () => {
  it('stores every part of a request', async () => {
    expect(await accept([acceptance({ key: 'a' })])).toEqual([{ kind: 'accepted' }])
    expect(await counts()).toEqual(ONE)
  })

  it('stores nothing of any request of a batch when one row is refused', async () => {
    const recipientId = createId()
    const requests = [
      acceptance({ key: 'a', path: 'http://example.com/a' }),
      acceptance({ key: 'b', recipientId }),
      acceptance({ recipientId }),
    ]

    await expect(accept(requests)).rejects.toMatchObject({ code: '23505' })

    expect(await counts()).toEqual(NOTHING)
  })

  it('runs the triggers of notifications only for a batch that has some', async () => {
    const { execute } = service.database
    await execute('create table runs (at timestamptz)')
    await execute(
      `create function note_run() returns trigger language plpgsql as $$ begin insert into runs values (now()); return null; end $$`,
    )
    await execute('create trigger note_run after insert on notifications for each statement execute function note_run()')
    const runs = async () => (await execute('select from runs')).length
    const plain = { ...acceptance(), attachments: [], notifications: [] }

    expect(await accept([plain])).toEqual([{ kind: 'accepted' }])
    expect(await runs()).toBe(0)
    expect(await accept([{ ...acceptance(), attachments: [], notifications: [] }, acceptance()])).toEqual([ACCEPTED, ACCEPTED])
    expect(await runs()).toBe(1)

    await execute('drop trigger note_run on notifications')
    await execute('drop function note_run')
    await execute('drop table runs')
  })

  it('stores what each of several requests has, whatever the others have', async () => {
    const plain = () => ({ ...acceptance(), attachments: [], notifications: [] })
    const withoutText = (request: Acceptance) => ({ ...request, emails: request.emails.map((email) => ({ ...email, text: null })) })
    const handedIn = (text: string | Uint8Array): Acceptance => {
      const { emails, ...rest } = plain()
      const message = {
        head: 'Subject: Hello\r\n',
        body: Buffer.from('Grüße').toString('base64'),
        blobKey: null,
        blobBytes: null,
        bodyStart: 0,
        htmlPart: 1,
      }
      return {
        ...rest,
        emails: emails.map((email) => ({ ...email, text })),
        messages: emails.map(({ id: emailId }) => ({ emailId, ...message })),
      }
    }
    const requests = [plain(), handedIn(Buffer.from('Grüße 😀')), acceptance(), handedIn('"{a,b}\\"'), withoutText(plain())]

    expect(await accept(requests)).toEqual(requests.map(() => ACCEPTED))

    expect(await counts()).toEqual({ ...NOTHING, emails: 5, recipients: 5, deliveries: 5, attachments: 1, notifications: 1 })
    const { execute } = service.database
    expect(await execute('select text from emails order by id')).toEqual(
      ['Hello.', 'Grüße 😀', 'Hello.', '"{a,b}\\"', null].map((text) => ({ text })),
    )
    const messages = await execute<{ body: Buffer }>('select head, body, body_start, html_part from submitted_messages order by email_id')
    const message = { head: 'Subject: Hello\r\n', body: Buffer.from('Grüße'), body_start: 0, html_part: 1 }
    expect(messages).toEqual([message, message])
    await execute('truncate submitted_messages')
  })

  it('refuses only the request at fault of those that arrive together', async () => {
    const recipientId = createId()
    await accept([acceptance({ recipientId })])
    const { emails } = service.service.context.repositories

    const results = await Promise.allSettled([
      emails.accept(acceptance({ key: 'a' })),
      emails.accept(acceptance({ key: 'b', recipientId })),
      emails.accept(acceptance({ key: 'c', path: 'http://example.com/a' })),
    ])

    expect(results).toMatchObject([
      { status: 'fulfilled', value: { kind: 'accepted' } },
      { status: 'rejected', reason: { code: '23505' } },
      { status: 'fulfilled', value: { kind: 'accepted' } },
    ])
    expect(await counts()).toMatchObject({ emails: 3, idempotency_keys: 2, jobs: 1 })
  })

  it('answers the requests that were stored even when the earlier answer of another cannot be read', async () => {
    await accept([acceptance({ key: 'k' })])
    const fault = new Error('read failed')
    const database: Pick<Database, 'execute' | 'transaction'> = {
      ...service.database,
      execute: (sql, values) => (typeof sql === 'string' ? Promise.reject(fault) : service.database.execute(sql, values)),
    }

    expect(await acceptTogether(database, [acceptance({ key: 'new' }), acceptance({ key: 'k' })])).toEqual([
      { kind: 'accepted' },
      { kind: 'unread', error: fault },
    ])
    const together = emailAcceptor(database)
    expect(await Promise.allSettled([together(acceptance({ key: 'newer' })), together(acceptance({ key: 'k' }))])).toMatchObject([
      { status: 'fulfilled', value: { kind: 'accepted' } },
      { status: 'rejected', reason: { kind: 'unavailable', retryAfterSeconds: 1 } },
    ])
    expect(await counts()).toMatchObject({ emails: 3 })
  })

  it('tries a request again whose key expired between the two statements', async () => {
    await accept([acceptance({ key: 'k' })])
    const database: Pick<Database, 'execute' | 'transaction'> = {
      ...service.database,
      async execute(sql, values) {
        if (typeof sql === 'string') await service.database.execute('delete from idempotency_keys')
        return service.database.execute(sql, values)
      },
    }

    expect(await emailAcceptor(database)(acceptance({ key: 'k' }))).toEqual({ kind: 'accepted' })
    expect(await counts()).toMatchObject({ emails: 2, idempotency_keys: 1 })
  })

  it('enqueues the fetching of attachments in the same commit', async () => {
    expect(await accept([acceptance({ path: 'http://example.com/a' })])).toEqual([{ kind: 'accepted' }])
    expect((await counts()).jobs).toBe(1)
  })
})

describe('an idempotency key', () => {
  it('answers a repetition with what was stored, and stores nothing', async () => {
    const first = acceptance({ key: 'k' })
    await accept([first])
    expect(await accept([acceptance({ key: 'k', path: 'http://example.com/a' })])).toEqual([{ kind: 'repeated', response: first.response }])
    expect(await counts()).toEqual(ONE)
  })

  it('is a conflict with another body', async () => {
    await accept([acceptance({ key: 'k' })])
    expect(await accept([acceptance({ key: 'k', bodyHash: 'other' })])).toEqual([{ kind: 'conflict' }])
    expect(await counts()).toEqual(ONE)
  })

  it('holds 24 hours, to the millisecond', async () => {
    const at = new Date('2026-03-01T10:00:00.000Z').getTime()
    const dayMs = 24 * 3_600_000
    await accept([acceptance({ key: 'k', at: new Date(at) })])
    expect(await accept([acceptance({ key: 'k', bodyHash: 'new', at: new Date(at + dayMs - 1) })])).toEqual([{ kind: 'conflict' }])
    expect(await accept([acceptance({ key: 'k', bodyHash: 'new', at: new Date(at + dayMs) })])).toEqual([{ kind: 'accepted' }])
    expect(await accept([acceptance({ key: 'k', bodyHash: 'new', at: new Date(at + dayMs + 1) })])).toMatchObject([{ kind: 'repeated' }])
  })

  it('is folded when it arrives twice together: the first is stored, the other is its repetition or a conflict', async () => {
    const first = acceptance({ key: 'k' })
    expect(await accept([first, acceptance({ key: 'k' }), acceptance({ key: 'k', bodyHash: 'other' })])).toEqual([
      { kind: 'accepted' },
      { kind: 'repeated', response: first.response },
      { kind: 'conflict' },
    ])
    expect(await counts()).toEqual(ONE)
  })

  it('is another key for another operation, and for another team', async () => {
    const mine = acceptance({ key: 'k' })
    const batch: Acceptance = { ...acceptance(), idempotency: { operation: 'emails.send-batch', key: 'k', bodyHash: 'hash' } }
    const theirs: Acceptance = { ...acceptance({ key: 'k' }), teamId: service.other.teamId }
    expect(await accept([mine])).toEqual([{ kind: 'accepted' }])
    expect(await accept([batch])).toEqual([{ kind: 'accepted' }])
    expect(await accept([theirs])).toEqual([{ kind: 'accepted' }])
  })

  it('makes one email of 100 simultaneous requests, and answers all of them alike', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => service.call('POST', '/emails', { body: BODY, headers: { 'idempotency-key': 'race' } })),
    )

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(await counts()).toMatchObject({ emails: 1, recipients: 1, deliveries: 1, idempotency_keys: 1 })
  })

  it('lets one of two bodies win when they race, and refuses the other with a 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        service.call('POST', '/emails', { body: { ...BODY, subject: `Body ${index % 2}` }, headers: { 'idempotency-key': 'race' } }),
      ),
    )

    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(20)
    expect(refused[0]?.body).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1)
    expect((await counts()).emails).toBe(1)
  })

  it('never makes batches wait for each other in a circle, whatever the order of their keys', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`)
    const batches = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? keys : keys.toReversed()))

    const results = await Promise.all(batches.map((batch) => accept(batch.map((key) => acceptance({ key })))))

    expect(results.flat().filter(({ kind }) => kind === 'accepted')).toHaveLength(12)
    expect(results.flat().filter(({ kind }) => kind === 'repeated')).toHaveLength(24 * 12 - 12)
    expect((await counts()).emails).toBe(12)
  })

  it('that was refused with its request can be used again', async () => {
    const recipientId = createId()
    await expect(accept([acceptance({ key: 'k', recipientId }), acceptance({ recipientId })])).rejects.toMatchObject({ code: '23505' })
    expect(await accept([acceptance({ key: 'k' })])).toEqual([{ kind: 'accepted' }])
  })

  it('is shared by the aliases of an operation', async () => {
    const headers = { 'idempotency-key': 'alias' }
    const first = await service.call('POST', '/emails', { body: BODY, headers })
    const second = await service.call('POST', '/email/sending', { body: BODY, headers })
    expect(second.body).toEqual(first.body)
    expect((await counts()).emails).toBe(1)
  })
})

describe('a request without a key', () => {
  it('is always new', async () => {
    const ids = [await sendEmail(service), await sendEmail(service)]
    expect(new Set(ids).size).toBe(2)
    expect((await counts()).emails).toBe(2)
  })
})
