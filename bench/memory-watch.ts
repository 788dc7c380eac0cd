import { readFileSync } from 'node:fs'
import { mean } from './table.ts'

export type MemoryWatch = {
  /** What the process holds while nothing happens: the mean of the last second. What follows is compared with it. */
  rest(): void
  /** Since it began, or since `rest`. */
  peak(): number
  /** Counts from `rest` on. */
  peakAboveRest(): number
  /** The last fifth of the time since `rest` against the second fifth. */
  growth(): number
  stop(): void
}

const EVERY_MS = 200
const SAMPLES_PER_SECOND = 1_000 / EVERY_MS

/** Watches the resident memory of one process, in bytes, as Linux tells it. Elsewhere everything is NaN. */
export function watchMemory(pid: number): MemoryWatch {
  let samples: number[] = []
  let atRest = Number.NaN
  const timer = setInterval(() => samples.push(residentBytes(pid)), EVERY_MS)
  return {
    rest() {
      atRest = mean(samples.slice(-SAMPLES_PER_SECOND))
      samples = []
    },
    peak: () => Math.max(...samples),
    peakAboveRest: () => Math.max(...samples) - atRest,
    growth() {
      const fifth = Math.floor(samples.length / 5)
      return mean(samples.slice(-fifth)) / mean(samples.slice(fifth, 2 * fifth)) - 1
    },
    stop: () => clearInterval(timer),
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}
