import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { acceptEmails } from '../../../src/modules/emails/accept-email.service.ts'
import { emailRepository } from '../../../src/modules/emails/emails.repository.ts'
import { validateEmail } from '../../../src/modules/emails/validate-emails.service.ts'
import { storedFilesIn } from '../../support/builders/contact-imports.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(async () => {
  const { blobs } = service.service.context.gateways
  for (const key of await storedFiles()) await blobs.remove(key)
})

async function storedFiles(): Promise<string[]> {
  return (await storedFilesIn(service.config.blobFolder)).map(({ name }) => name)
}

type Options = { teamId?: string; key?: string; database?: Pick<Database, 'tables' | 'execute' | 'transaction'> }

/** Accepts an email with one file, with a database that may fail. */
async function accept({ teamId = service.teamId, key, database = service.database }: Options): Promise<object> {
  const { context } = service.service
  const repositories = { ...context.repositories, emails: emailRepository(database) }
  const input = {
    from: 'a@example.com',
    to: 'b@example.org',
    subject: 's',
    text: 't',
    attachments: [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }],
  }
  return acceptEmails(
    { ...context, repositories },
    {
      mode: 'one',
      holder: { teamId, apiKeyId: createId(), permission: 'full_access', domainId: null },
      validated: await validateEmail(context, { teamId: service.teamId, domainId: null }, input),
      idempotency: key === undefined ? null : { operation: 'emails.send', key, body: input },
    },
  )
}

describe('the files of a request that is not accepted', () => {
  it('are removed when the database refuses its data', async () => {
    await expect(accept({ teamId: 'no id' })).rejects.toMatchObject({ code: '22P02' })
    expect(await storedFiles()).toEqual([])
  })

  it('are removed when another request had its key, and the answer to that cannot be read', async () => {
    await accept({ key: 'k' })
    const before = await storedFiles()
    const execute: Database['execute'] = (sql, values) =>
      typeof sql === 'string' ? Promise.reject(new Error('read failed')) : service.database.execute(sql, values)

    await expect(accept({ key: 'k', database: { ...service.database, execute } })).rejects.toMatchObject({ kind: 'unavailable' })

    expect(await storedFiles()).toEqual(before)
  })

  it('stay when the connection is lost, because the commit may have happened', async () => {
    const execute: Database['execute'] = async (sql, values) => {
      await service.database.execute(sql, values)
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })
    }

    await expect(accept({ database: { ...service.database, execute } })).rejects.toMatchObject({ code: '08006' })

    expect(await storedFiles()).toHaveLength(1)
  })
})
