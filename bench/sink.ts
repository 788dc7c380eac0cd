// The mail server at the other end, in a process of its own: Postfix's smtp-sink where it is installed, because it costs the least, or else
// our own, which also tells when each marked message arrived.

import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { freePort, pause, run, runProgram, stop, until } from './processes.ts'
import type { SinkReport } from './sink-process.ts'

export type Sink = {
  port: number
  /** Messages so far. */
  count(): number
  /** Messages at a moment of the monotonic clock that all processes of a machine share, in milliseconds. */
  countAt(ms: number): number
  /** Counts from the first message after `from` until now. */
  rateSince(from: number): number
  /** When each message to an address that begins with `marked` arrived, by its address. Only our own sink knows. */
  marks: Map<string, number>
  close(): Promise<void>
}

const SMTP_SINK = '/usr/sbin/smtp-sink'
const hasSmtpSink = spawnSync(SMTP_SINK, ['-?'], { stdio: 'ignore' }).error === undefined
export const SINK = hasSmtpSink ? "Postfix's smtp-sink" : 'our own sink'
const START_MS_MAX = 10_000
/** Closer samples than this are not kept: a soak has millions of messages. */
const SAMPLE_MS = 10

/** The monotonic clock of the machine, in milliseconds. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** The fastest there is: it only counts. */
export async function startCountingSink(): Promise<Sink> {
  if (!hasSmtpSink) return startOwnSink()
  const port = await freePort()
  // The program needs the name of the user to run as when it is started by root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = runProgram(SMTP_SINK, ['-c', ...user, `127.0.0.1:${port}`, '1000'], { output: 'pipe' })
  const sink = sinkOf(child, port)
  child.stdout?.setEncoding('latin1').on('data', (text: string) => {
    const last = [...text.matchAll(/mesg=\s*(\d+)\r/g)].at(-1)
    if (last) sink.note(Number(last[1]), machineMs())
  })
  // It says nothing when it is ready.
  await pause(SMTP_SINK_START_MS)
  return sink
}
const SMTP_SINK_START_MS = 300

/** Our own, on several addresses of one port. */
export async function startOwnSink(addresses: string[] = ['127.0.0.1']): Promise<Sink> {
  const port = await freePort()
  const child = run('bench/sink-process.ts', [String(port), ...addresses], { hasMessages: true })
  const sink = sinkOf(child, port)
  let isReady = false
  child.on('message', ({ count, atMs, marks }: SinkReport) => {
    isReady = true
    sink.note(count, atMs)
    for (const [address, ms] of marks) sink.marks.set(address, ms)
  })
  await until(
    () => isReady,
    () => 'The sink did not start',
    START_MS_MAX,
  )
  return sink
}

function sinkOf(child: ChildProcess, port: number): Sink & { note(count: number, atMs: number): void } {
  const samples = [{ count: 0, atMs: machineMs() }]
  const last = () => samples.at(-1)?.count ?? 0
  return {
    port,
    note(count, atMs) {
      if (count <= last()) return
      const isClose = samples.length > 1 && atMs - (samples.at(-2)?.atMs ?? 0) < SAMPLE_MS
      if (isClose) samples.pop()
      samples.push({ count, atMs })
    },
    count: last,
    countAt: (ms) => samples.findLast(({ atMs }) => atMs <= ms)?.count ?? 0,
    rateSince(from) {
      const first = samples.find(({ count }) => count > from)
      const end = samples.at(-1)
      if (!first || !end || end.atMs === first.atMs) throw new Error(`Too few messages arrived to tell a rate: ${last() - from}`)
      return ((end.count - first.count) / (end.atMs - first.atMs)) * 1_000
    },
    marks: new Map(),
    close: () => stop(child),
  }
}
