// How long one message that is submitted keeps the main thread, and so the API, to itself.
import { beforeAll, describe, expect, it } from 'vitest'
import { ATTEMPTS, COSTLY_HEAD, COSTLY_MESSAGES, costlyText, slowCases, TURN_MS_MAX } from '../../support/clocks/turns.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const service = shared(() => startSubmissionService({ environment: { RATE_LIMIT_PER_SECOND: '0' } }), 120_000)
beforeAll(async () => {
  // Code that runs for the first time takes longer.
  for (let round = 0; round < 20; round += 1) for (const content of WARM_UP) await service.handIn(content)
})

const WARM_UP = [
  `${COSTLY_HEAD}\r\nx`,
  costlyText('html; charset=iso-2022-jp', 'a', 20_000),
  costlyText('plain; charset=iso-8859-1', '\xe9', 100_000),
]

describe('one message keeps the main thread for less than 100 ms at a time', () => {
  it('whatever it holds', { timeout: 300_000 }, async () => {
    const slow = await slowCases(COSTLY_MESSAGES, async (content, name, attempt) => {
      // With a key, all of it is compared.
      const head = Buffer.from(`Idempotency-Key: ${COSTLY_MESSAGES.findIndex(([each]) => each === name)}-${attempt}\r\n`)
      await service.handIn(Buffer.concat([head, typeof content === 'string' ? Buffer.from(content) : content])).catch(() => {})
    })
    expect(slow).toEqual({})
  })

  it('which a loop that is long each time does not', async () => {
    const slow = await slowCases(
      [
        ['long', ATTEMPTS],
        ['long once', 1],
        ['short', 0],
      ],
      async (times, _name, attempt) => {
        const until = process.threadCpuUsage().user + TURN_MS_MAX * 1_000
        while (attempt <= times && process.threadCpuUsage().user <= until);
      },
    )
    expect(Object.entries(slow)).toEqual([['long', Array(ATTEMPTS).fill(expect.any(Number))]])
  })
})
