import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog, type Log } from '../../src/io/log.ts'
import { until } from '../support/clocks/until.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The output of `act`, written to a file instead of standard output. `atOnce` is what is in it already when `act` returns. */
async function written(act: (log: Log) => void, isTerminal?: boolean, lines = 1): Promise<{ text: string; atOnce: string }> {
  const path = join(folder, 'log')
  const fileDescriptor = openSync(path, 'w')
  const log = createLog({ logLevel: 'info' }, { fileDescriptor, ...(isTerminal !== undefined && { isTerminal }) })
  act(log)
  const atOnce = readFileSync(path, 'utf8')
  await new Promise<void>((done) => log.flush(() => done()))
  // A write that had begun before may end after the flush.
  await until(() => expect(readFileSync(path, 'utf8').split('\n').length).toBeGreaterThan(lines))
  closeSync(fileDescriptor)
  return { text: readFileSync(path, 'utf8'), atOnce }
}

const failure = () => new Error('it broke \u001b[2J', { cause: new Error('because') })

describe('the log of the process', () => {
  it('is one JSON object a line where no one looks, as a pipe and a file are', async () => {
    const { text, atOnce } = await written(
      (log) => {
        log.debug('not said')
        log.info({ emailId: '1', outcome: 'delayed' }, 'delivery attempted')
        log.fatal({ err: failure() }, 'service failed')
      },
      undefined,
      2,
    )
    // The last line of a process. It may overtake one that is being written.
    expect(atOnce).toContain('service failed')
    expect(text).toMatch(/\n$/)
    const lines: { level: number }[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.toSorted((one, other) => one.level - other.level)).toEqual([
      { level: 30, time: expect.any(String), emailId: '1', outcome: 'delayed', msg: 'delivery attempted' },
      {
        level: 60,
        time: expect.any(String),
        err: {
          type: 'Error',
          message: 'it broke  [2J',
          stack: expect.any(String),
          cause: { type: 'Error', message: 'because', stack: expect.any(String) },
        },
        msg: 'service failed',
      },
    ])
  })

  it('is a line that a person can read on a terminal', async () => {
    const { text } = await written((log) => log.info({ emailId: '1', outcome: 'delayed' }, 'delivery attempted'), true)
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: delivery attempted \{"emailId":"1","outcome":"delayed"\}\n$/)
  })

  it('says nothing that a terminal would obey', async () => {
    const { text } = await written((log) => log.warn({ err: failure(), host: '\u001b]0;x\u0007', reason: '\u009b2J' }, 'relay gone'), true)
    expect(text).toContain('it broke  [2J')
    expect(text).toMatch(/\n +at .*process-log\.test\.ts/)
    expect(text).not.toMatch(/[^\P{Cc}\n\t]/u)
  })

  it('has no line on a terminal that someone else wrote', async () => {
    const forged = 'x\n[12:00:00.000] INFO: forged\r\u2028forged\u202e\u200b'
    const error = Object.assign(new Error(forged, { cause: new Error(forged) }), { code: forged })
    const changed = new Error('before')
    changed.message = forged
    changed.stack = `Error: other ${forged}`
    const { text } = await written((log) => {
      log.warn({ err: error, reason: forged, [forged]: { inner: [forged] }, error: { message: forged } }, forged)
      log.warn({ err: changed, msg: forged })
      log.warn(forged)
    }, true)
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(text).not.toMatch(/^\s*(?:\[12:00:00\.000\]|forged)/m)
    expect(text.match(/^\[/gm)).toHaveLength(3)
  })

  it('may be copied and truncated while it is written, as logrotate does with a file that is appended to', async () => {
    const path = join(folder, 'log')
    const fileDescriptor = openSync(path, 'a')
    const log = createLog({ logLevel: 'info' }, { fileDescriptor })
    const written = async (file: string) => until(() => expect(readFileSync(file, 'utf8')).toMatch(/\n$/))
    log.info('before')
    await written(path)
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
    log.info('after')
    await written(path)
    closeSync(fileDescriptor)
    const messages = (file: string) =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).msg)
    expect([messages(`${path}.1`), messages(path)]).toEqual([['before'], ['after']])
  })
})
