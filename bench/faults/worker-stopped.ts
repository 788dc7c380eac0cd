// A worker that stands still for longer than its lease, as a suspended machine does, and then goes on.
import { setTimeout as wait } from 'node:timers/promises'
import { startSmtpSink } from '../../test/support/smtp-sink.ts'
import { until } from '../../test/support/until.ts'
import { untilHolding, withFleet } from './processes-killed.ts'
import type { Stage, WorkerProcess } from './stage.ts'
import { type Fault, runTrial, type Struck } from './trial.ts'

/** Longer than the 20 s after which a worker that does not beat is taken for dead, with the 3 s between two looks. */
const STOPPED_MS = 30_000
/** Slow, so that it is stopped in the middle of many transactions. */
const SLOW_REPLY_MS = 60
const AWAKE_MS_MAX = 20_000
const HOLDS_AT_LEAST = 5

export const workerStopped: Fault = {
  name: 'worker-stopped',
  run: (options) =>
    withFleet(options, async ({ stage, workers, url }) => {
      const own = await startOwnSink(stage)
      try {
        const stopped = await stage.startWorker({ SMTP_RELAY_URL: `smtp://127.0.0.1:${own.port}` })
        return await runTrial(stage, {
          fault: 'SIGSTOP of one worker of four for 30 s, then SIGCONT',
          emails: options.emails,
          url,
          strike: (now) => stopAndContinue(stage, { stopped, others: workers, own, now }),
        })
      } finally {
        await own.close()
      }
    }),
}

type OwnSink = Awaited<ReturnType<typeof startOwnSink>>

/** Where only this worker's mail arrives, so that it is seen what comes from it. */
async function startOwnSink(stage: Stage) {
  const begun: string[] = []
  const ended: string[] = []
  const sink = await startSmtpSink({
    replyDelayMs: SLOW_REPLY_MS,
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

async function stopAndContinue(stage: Stage, { stopped, others, own, now }: Stop): Promise<Struck> {
  await untilHolding(stage, [stopped], HOLDS_AT_LEAST)
  now()
  process.kill(stopped.pid, 'SIGSTOP')
  const inFlight = await stage.openAttempts([stopped])
  const held = await stage.query<{ address: string }>(
    `select r.address from deliveries d join recipients r on r.id = d.recipient_id where d.leased_by::text = '${stopped.workerId}'`,
  )
  await wait(STOPPED_MS)
  const isTakenOver = others.some(({ output }) => output().includes('worker found dead, its work freed'))
  const [begunBefore, endedBefore] = [own.begun.length, own.ended.length]
  process.kill(stopped.pid, 'SIGCONT')
  const isAwake = await until(() => expectSecondStart(stopped), { timeout: AWAKE_MS_MAX }).then(
    () => true,
    () => false,
  )
  const wasHeld = new Set(held.map(({ address }) => address))
  const begun = own.begun.slice(begunBefore).filter((address) => wasHeld.has(address)).length
  const ended = own.ended.slice(endedBefore).filter((address) => wasHeld.has(address)).length
  return {
    inFlight,
    remark: `it held ${held.length} deliveries; after SIGCONT it began ${begun} transactions for them and ended ${ended}`,
    problems: [
      ...(isTakenOver ? [] : ['it was not found dead']),
      ...(isAwake ? [] : ['it did not begin anew']),
      ...(begun + ended === 0 ? [] : ['it went on with what was not its own any more']),
    ],
  }
}

function expectSecondStart({ output }: WorkerProcess): void {
  if (output().split('"worker started"').length < 3) throw new Error('The worker has not started again')
}
