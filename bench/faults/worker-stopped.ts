// A worker that stands still for longer than its lease, as a suspended machine does, and then continues.
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../test/support/clocks/until.ts'
import { startSmtpSink } from '../../test/support/servers/smtp-sink.ts'
import { untilHolding, withFleet } from './processes-killed.ts'
import type { Stage, WorkerProcess } from './stage.ts'
import { type Fault, runTrial, type Struck } from './trial.ts'

/** Six times the 20 s after which a worker that does not beat is declared dead: others delivered all that it held long before it continues. */
const STOPPED_MS = 120_000
/** Its mail server waits for longer, because on connections that were closed meanwhile the worker could not continue in any case. */
const SERVER_PATIENCE_MS = 600_000
/** Slow, so that it is stopped in the middle of many transactions. */
const SLOW_REPLY_MS = 60
export const AWAKE_MS_MAX = 20_000
/** Time for what it may still do with what it held before, once it has started again. */
const AFTERMATH_MS = 2_000
const HOLDS_AT_LEAST = 5

export const workerStopped: Fault = {
  name: 'worker-stopped',
  run: (options) =>
    withFleet(options, async ({ stage, workers, url }) => {
      const own = await startOwnSink(stage)
      try {
        let dotsOut = 0
        const stopped = await stage.startWorker({ SMTP_RELAY_URL: `smtp://127.0.0.1:${own.port}` })
        return await runTrial(stage, {
          fault: `SIGSTOP of one worker of four for ${STOPPED_MS / 1_000} s, then SIGCONT`,
          emails: options.emails,
          url,
          async strike(now) {
            const { dotsOut: count, ...struck } = await stopAndContinue(stage, { stopped, others: workers, own, now })
            dotsOut = count
            return struck
          },
          afterwards: async () => beyondDots(stage, dotsOut),
        })
      } finally {
        await own.close()
      }
    }),
}

type OwnSink = Awaited<ReturnType<typeof startOwnSink>>

/** A separate server for this worker's mail, to see what it sends. */
async function startOwnSink(stage: Stage) {
  const begun: string[] = []
  const ended: string[] = []
  const sink = await startSmtpSink({
    replyDelayMs: SLOW_REPLY_MS,
    server: { socketTimeout: SERVER_PATIENCE_MS },
    onRecipient: (to) => void begun.push(to),
    onMessage(message) {
      stage.noteArrival(message)
      ended.push(...message.to)
      return undefined
    },
  })
  return { port: sink.port, begun, ended, close: sink.close }
}

type Stop = { stopped: WorkerProcess; others: WorkerProcess[]; own: OwnSink; now: () => void }

async function stopAndContinue(stage: Stage, { stopped, others, own, now }: Stop): Promise<Struck & { dotsOut: number }> {
  await untilHolding(stage, [stopped], HOLDS_AT_LEAST)
  now()
  process.kill(stopped.pid, 'SIGSTOP')
  const inFlight = await stage.openAttempts([stopped])
  const held = new Set(
    await addresses(stage, `deliveries d join recipients r on r.id = d.id where d.leased_by::text = '${stopped.workerId}'`),
  )
  await wait(STOPPED_MS)
  const isTakenOver = others.some(({ output }) => output().includes('worker found dead, its work freed'))
  const [begunBefore, endedBefore] = [own.begun.length, own.ended.length]
  // Deliveries whose final dot was sent and whose outcome was not written: only these may arrive twice.
  const dotsOut = own.ended.filter((address) => held.has(address)).length
  const continuedAt = new Date().toISOString()
  process.kill(stopped.pid, 'SIGCONT')
  const isAwake = await until(() => expectSecondStart(stopped), { timeout: AWAKE_MS_MAX }).then(
    () => true,
    () => false,
  )
  await wait(AFTERMATH_MS)
  const [begunAfter, endedAfter] = [own.begun.slice(begunBefore), own.ended.slice(endedBefore)]
  const openedSince = new Set(
    await addresses(stage, `attempts a join recipients r on r.id = a.recipient_id where a.started_at >= '${continuedAt}'`),
  )
  const begun = begunAfter.filter((address) => !openedSince.has(address)).length
  const ended = endedAfter.filter((address) => !openedSince.has(address)).length
  return {
    inFlight,
    dotsOut,
    remark:
      `it held ${held.size} deliveries, the final dot of ${dotsOut} was out; after SIGCONT it began ${begun} transactions and ended ${ended} ` +
      'but those of its new lease',
    problems: [
      ...(isTakenOver ? [] : ['it was not found dead']),
      ...(isAwake ? [] : ['it did not begin anew']),
      ...(begun + ended === 0 ? [] : ['it went on with what was not its own any more']),
    ],
  }
}

/** A final dot cannot be taken back. Nothing before that point may arrive twice, because the lease is checked again before the dot. */
function beyondDots({ arrivals }: Stage, dotsOut: number): Partial<Struck> {
  const twice = arrivals.length - new Set(arrivals.map(({ emailId }) => emailId)).size
  return { problems: twice <= dotsOut ? [] : [`${twice} duplicates of ${dotsOut} final dots that were out`] }
}

async function addresses(stage: Stage, from: string): Promise<string[]> {
  const rows = await stage.query<{ address: string }>(`select r.address from ${from}`)
  return rows.map(({ address }) => address)
}

export function expectSecondStart({ output }: WorkerProcess): void {
  if (output().split('"worker started"').length < 3) throw new Error('The worker has not started again')
}
