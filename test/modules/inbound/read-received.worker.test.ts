import { beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import type { ReceivedReader } from '../../../src/modules/inbound/reading/received-reader.ts'
import { readReceived, startReadingReceived } from '../../../src/modules/inbound/received.worker.ts'
import { storeReceived } from '../../support/builders/received-emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeEach(() => service.database.execute('truncate received_emails'))

function contextWith(read: ReceivedReader['read']) {
  const { context } = service.service
  return { ...context, gateways: { ...context.gateways, received: { ...context.gateways.received, read } } }
}

const rows = () => service.database.execute('select id, state, tries, taken_at from received_emails order by id')

describe('an email', () => {
  it('that is not read because the disk is full is taken again, and counts no try', async () => {
    const { id } = await storeReceived(service)
    const taken = await readReceived(contextWith(() => Promise.reject(new Failure('unavailable', 'The disk is full'))))
    expect(taken).toBe(1)
    expect(await rows()).toEqual([{ id, state: 'waiting', tries: 0, taken_at: null }])
  })

  it('that is being read when the service stops is left to the next, and counts no try', async () => {
    const { id } = await storeReceived(service)
    const began = Promise.withResolvers<void>()
    const read = () => {
      began.resolve()
      return new Promise<never>(() => {})
    }
    const reading = startReadingReceived(contextWith(read), { lookEveryMs: 1, lastEmailsMs: 0 })
    await began.promise
    await reading.stop()
    expect(await rows()).toEqual([{ id, state: 'waiting', tries: 0, taken_at: null }])
  })

  it('that was taken before does not hold up the others', async () => {
    const suspect = await storeReceived(service)
    await service.database.execute('update received_emails set tries = 1')
    const other = await storeReceived(service)
    const readAlone = Promise.withResolvers<string>()
    const readBeside = Promise.withResolvers<string>()
    const read: ReceivedReader['read'] = ({ blobKey }, { isAlone } = {}) => {
      const { resolve } = isAlone ? readAlone : readBeside
      resolve(blobKey)
      return new Promise(() => {})
    }
    const reading = startReadingReceived(contextWith(read), { lookEveryMs: 1, lastEmailsMs: 0 })
    expect(await Promise.all([readAlone.promise, readBeside.promise])).toEqual([suspect.blobKey, other.blobKey])
    await reading.stop()
  })
})

describe('emails that end together', () => {
  const TEXTS: [html: string | null, text: string | null][] = [
    ['<p>Grüße</p>', 'Grüße 😀'],
    [null, 'ASCII'],
    ['<b>日本</b>', null],
    [null, null],
    ['', ''],
    ['é', '\ud83d\ude00'],
  ]

  it('have each their own texts, in whatever letters', async () => {
    const { context } = service.service
    const stored = await Promise.all(
      TEXTS.map(([html, text]) => {
        const parts = Object.entries({ html, plain: text }).filter(([, content]) => content !== null)
        const bodies = parts.map(
          ([type, content]) => `--b\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${content}${content && '\r\n'}`,
        )
        const other = '--b\r\nContent-Type: image/png\r\n\r\nx\r\n'
        return storeReceived(service, { content: `Content-Type: multipart/alternative; boundary=b\r\n\r\n${bodies.join('')}${other}--b--` })
      }),
    )
    // All are read before the first is stored.
    const allRead = Promise.withResolvers<void>()
    let read = 0
    await readReceived(
      contextWith(async (...asked) => {
        const content = await context.gateways.received.read(...asked)
        read += 1
        if (read === TEXTS.length) allRead.resolve()
        await allRead.promise
        return content
      }),
    )
    const found = await service.database.execute<{ id: string; html: string | null; text: string | null }>(
      'select id, html, text from received_emails',
    )
    const byId = new Map(found.map(({ id, html, text }) => [id, [html, text]]))
    expect(stored.map(({ id }) => byId.get(id))).toEqual(TEXTS)
  })
})
