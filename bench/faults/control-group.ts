// A control group of Linux that limits the memory of a process: the kernel ends a process that takes more. It is of version 2, or of version 1
// where that one counts the memory.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type ControlGroup = {
  /** The file to which a process writes its id to enter the group. */
  members: string
  killed(): number
  /** Includes files that the kernel keeps in memory. */
  peakBytes(): number
  remove(): void
}

type Form = {
  parent: (groups: string) => string
  limit: string
  /** Counts what was killed. */
  events: string
  peak: string
}

const VERSION_1: Form = {
  parent: (groups) => join(groups, 'memory'),
  limit: 'memory.limit_in_bytes',
  events: 'memory.oom_control',
  peak: 'memory.max_usage_in_bytes',
}
const VERSION_2: Form = { parent: (groups) => groups, limit: 'memory.max', events: 'memory.events', peak: 'memory.peak' }

/** @returns a text that says why there is none */
export function createControlGroup(bytes: number, groups = '/sys/fs/cgroup'): ControlGroup | string {
  const isVersion2 = existsSync(join(groups, 'cgroup.controllers'))
  const form = isVersion2 ? VERSION_2 : VERSION_1
  const path = join(form.parent(groups), `posthaste-${process.pid}`)
  const read = (name: string) => readFileSync(join(path, name), 'utf8')
  try {
    if (isVersion2) writeFileSync(join(groups, 'cgroup.subtree_control'), '+memory')
    mkdirSync(path)
    writeFileSync(join(path, form.limit), String(bytes))
    // Otherwise the process would be slow instead of killed.
    if (isVersion2 && existsSync(join(path, 'memory.swap.max'))) writeFileSync(join(path, 'memory.swap.max'), '0')
  } catch (error) {
    return `no control group for memory can be made here: ${(error as Error).message}`
  }
  return {
    members: join(path, 'cgroup.procs'),
    killed: () => Number(/oom_kill (\d+)/.exec(read(form.events))?.[1] ?? 0),
    peakBytes: () => Number(read(form.peak)),
    remove: () => rmdirSync(path),
  }
}
