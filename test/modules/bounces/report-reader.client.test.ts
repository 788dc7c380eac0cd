import { afterEach, describe, expect, it } from 'vitest'
import { createReportReader, type ReportReader } from '../../../src/modules/bounces/report-reader.ts'
import { deliveryReport } from '../../support/builders/returned-mail.ts'

const ILL_BEHAVED = new URL('../../support/processes/report-thread-process.ts', import.meta.url)
const DEADLINE_MS = 5_000

let reader: ReportReader
afterEach(() => reader.close())

const read = (text: string) => reader.read(Buffer.from(text))

describe('the thread that reads reports', () => {
  it('says what a message holds', async () => {
    reader = createReportReader()
    expect(await read(deliveryReport([{ address: 'a@example.org' }]))).toMatchObject({
      kind: 'bounce',
      recipients: [
        { address: 'a@example.org', bounce: { type: 'Permanent', subType: 'General', isAddressFault: true, isSenderFault: false } },
      ],
    })
  })

  it('says whether a report is signed', async () => {
    reader = createReportReader()
    const bytes = Buffer.from('From: a@example.org\r\nTo: b@example.com\r\n\r\nHello.\r\n')
    expect(await reader.isSigned({ bytes, sender: 'a@example.org', signers: [], rcptTo: 'b@example.com', keys: {}, now: new Date() })).toBe(
      false,
    )
  })

  it('is replaced when a message holds it up, which is told after the deadline, and delays no other message for longer', async () => {
    reader = createReportReader({ deadlineMs: DEADLINE_MS, file: ILL_BEHAVED })
    const [slow, next] = await Promise.all([read('never ends'), read('next')])
    expect([slow, next]).toEqual(['overdue', { kind: 'other', subject: 'next' }])
  })

  it.each([
    ['dies', /ended with code 3/],
    ['throws', /thrown/],
    ['fails', /failed/],
  ])('that %s fails for that message alone', async (what, reason) => {
    reader = createReportReader({ file: ILL_BEHAVED, deadlineMs: 60_000 })
    await expect(read(what)).rejects.toThrow(reason)
    expect(await read('next')).toEqual({ kind: 'other', subject: 'next' })
  })

  it('that cannot be started is tried again with the next message', async () => {
    reader = createReportReader({ file: new URL('./nothing-is-here.ts', import.meta.url) })
    await expect(read('one')).rejects.toThrow(/nothing-is-here/)
    await expect(read('two')).rejects.toThrow(/nothing-is-here/)
  })

  it('ends with the service, whatever it does', async () => {
    reader = createReportReader({ file: ILL_BEHAVED, deadlineMs: 60_000 })
    await read('first')
    const reading = read('never ends').catch((error) => String(error))
    await reader.close()
    expect(await reading).toMatch(/ended/)
    await expect(read('more')).rejects.toThrow('has been ended')
  })

  it('says that it was not there when it was ended or could not begin, which is no fault of the message', async () => {
    const signed = {
      bytes: Buffer.from('never ends'),
      sender: 'a@b.example',
      signers: [],
      rcptTo: 'c@d.example',
      keys: {},
      now: new Date(),
    }
    const kindOf = (work: Promise<unknown>) => work.catch((error) => [error.name, error.kind])
    reader = createReportReader({ file: new URL('./nothing-is-here.ts', import.meta.url) })
    expect([await kindOf(read('one')), await kindOf(reader.isSigned(signed))]).toEqual(Array(2).fill(['Failure', 'unavailable']))

    reader = createReportReader({ file: ILL_BEHAVED, deadlineMs: 60_000 })
    await read('first')
    const judging = [kindOf(read('never ends')), kindOf(reader.isSigned(signed))]
    await reader.close()
    expect(await Promise.all(judging)).toEqual(Array(2).fill(['Failure', 'unavailable']))
  })

  it('that dies while it verifies fails for that report', async () => {
    reader = createReportReader({ file: ILL_BEHAVED, deadlineMs: 60_000 })
    const signed = { bytes: Buffer.from('dies'), sender: 'a@b.example', signers: [], rcptTo: 'c@d.example', keys: {}, now: new Date() }
    await expect(reader.isSigned(signed)).rejects.toThrow(/ended with code 3/)
  })
})
