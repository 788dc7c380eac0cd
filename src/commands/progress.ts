// Lines about work that may take long: now and then how far it is, and at its end what it was.
import { systemClock } from '../lib/clock.ts'

const SAID_EVERY_MS = 5_000

export type Progress = {
  /** Bytes that are done. */
  add(bytes: number, line: (done: string) => string): void
  end(line: (done: string) => string): void
}

export function createProgress(say: (line: string) => void, clock = systemClock): Progress {
  let done = 0
  let saidAtMs = clock.monotonicMs()
  return {
    add(bytes, line) {
      done += bytes
      if (clock.monotonicMs() - saidAtMs < SAID_EVERY_MS) return
      saidAtMs = clock.monotonicMs()
      say(line(megabytes(done)))
    },
    end: (line) => say(line(megabytes(done))),
  }
}

const MIB = 1024 * 1024

/** `1,234 MB` */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString('en-US')} MB`
