// Files of very many rows: that no more is read than the client takes, by the way of a browser too, and that no cell is a formula.
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { CSV_ROWS_AT_ONCE, CSV_ROWS_MAX, type CsvPage, patiently, sendCsv } from '../../src/http/csv-reply.ts'
import { Failure } from '../../src/lib/failure.ts'

const ROWS = 1_000_000

/** An installation that gives out a file, and the number of pages that were read for it. */
function fileOf(pages: number, page: CsvPage) {
  const read = { pages: 0 }
  const app = Fastify()
  async function* rows(): AsyncGenerator<CsvPage> {
    for (; read.pages < pages; ) {
      read.pages += 1
      yield page
    }
  }
  app.get('/file', async (_request, reply) => sendCsv(reply, { name: 'file.csv', columns: ['email', 'name'], rows: rows() }))
  // As a browser gets it: from another request within.
  app.get('/once', async (_request, reply) => {
    const got = await app.inject({ url: '/file', payloadAsStream: true })
    return reply.send(got.stream())
  })
  return { app, read }
}

const page = (rows: number): CsvPage => Array.from({ length: rows }, (_, index) => [`person-${index}@example.com`, 'Ada Lovelace'])

it.each(['/file', '/once'])('reads ahead by no more than some pages of a million rows at %s', async (path) => {
  const { app, read } = fileOf(ROWS / CSV_ROWS_AT_ONCE, page(CSV_ROWS_AT_ONCE))
  const url = await app.listen({ port: 0 })
  const response = await fetch(`${url}${path}`)
  const reader = response.body?.getReader()
  if (!reader) throw new Error('There is no body')
  let bytes = (await reader.read()).value?.byteLength ?? 0
  for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  // What the connection holds, and what the streams between hold.
  expect(read.pages).toBeLessThan(200)
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) bytes += chunk.value.byteLength
  expect(read.pages).toBe(ROWS / CSV_ROWS_AT_ONCE)
  expect(bytes).toBeGreaterThan(ROWS * 30)
  await app.close()
})

it('ends with as many rows as a file may have', async () => {
  const { app, read } = fileOf(
    Number.POSITIVE_INFINITY,
    Array.from({ length: 500_000 }, () => []),
  )
  const { payload } = await app.inject('/file')
  expect(payload.split('\r\n')).toHaveLength(CSV_ROWS_MAX + 2)
  expect(read.pages).toBe(4)
})

it('keeps cells from being formulas, and writes what is empty as nothing', async () => {
  const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a,b', '"q"', null, undefined, true, 7, new Date(0)]
  const { app } = fileOf(1, [cells])
  const { payload, headers } = await app.inject('/file')
  expect(payload).toBe('email,name\r\n\'=1+1,\'+1,\'-1,\'@SUM(A1),\'\t=1,"\'\r=1","a,b","""q""",,,true,7,1970-01-01T00:00:00.000Z\r\n')
  expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': expect.stringContaining('file.csv') })
})

it('waits for its turn where others search, and gives up for any other reason', async () => {
  let tries = 0
  const busy = async () => {
    tries += 1
    if (tries === 1) throw new Failure('unavailable', 'Others search.')
    return tries
  }
  expect(await patiently(busy, { pauseMs: 0 })).toBe(2)
  await expect(patiently(async () => Promise.reject(new Failure('validation', 'No.')))).rejects.toThrow('No.')
})
