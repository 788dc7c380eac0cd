import { getHeapStatistics } from 'node:v8'
import { readConfig } from '../../config/config.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'

/** The limit of old and young objects together. It applies to each thread too, and wins over `resourceLimits`. */
const FLAG = '--max-heap-size'
const MIB = 1024 * 1024
/** In a container, the limit that Node.js sets itself is a little higher than the plan. */
const TOLERANCE = 1.25

/**
 * Gives the heap a limit that fits the memory of the process. Without one, V8 collects garbage as if it had the whole machine. Node.js derives its limit
 * from the control group of the process, but not from groups above it or from MEMORY_MB. V8 reads the limit only when a process starts, so this one
 * replaces itself and keeps its id. A limit that the operator set with --max-old-space-size stays.
 */
export function limitHeap(): void {
  const heapBytes = plannedHeapBytes()
  if (heapBytes === null || getHeapStatistics().heap_size_limit <= heapBytes * TOLERANCE) return
  if (process.execArgv.some((argument) => argument.startsWith(FLAG))) return
  // The connection to a parent such as `node --watch` would be lost. Windows has no execve.
  if (process.channel !== undefined || process.platform === 'win32') return
  const flags = [`${FLAG}=${Math.floor(heapBytes / MIB)}`, ...process.execArgv]
  process.execve?.(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)])
}

/** Null: the start says what is wrong with the configuration. */
function plannedHeapBytes(): number | null {
  try {
    return readConfig().memory.heapBytes
  } catch (error) {
    if (error instanceof StartupProblem) return null
    throw error
  }
}
