// The output of PostgreSQL's programs: passed on to our log while they run, and summarized in one line when they fail.
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../log.ts'
import { fileProblem } from './data-folder.ts'

/** Passes the server's log on to ours, line by line. Returns a list that always holds the last lines. */
export function followLog(child: ChildProcess, log: Log): readonly string[] {
  const lastLines: string[] = []
  if (!child.stderr) return lastLines
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line)
    if (lastLines.length > LAST_LINES_MAX) lastLines.shift()
    const [, processKind = '', sqlState, severity = 'WARNING', message = line] = LOG_LINE.exec(line) ?? []
    log[logLevel(processKind, severity, message)]({ processKind, sqlState }, `database: ${message}`)
  })
  return lastLines
}

/** What went wrong, from the lines that a program of PostgreSQL wrote last. */
export function programProblem(cluster: string, lines: readonly string[]): StartupProblem {
  const text = lines.join('\n')
  const known = fileProblem(cluster, text)
  if (known) return known
  const reason = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  return new StartupProblem(`The embedded PostgreSQL in ${cluster} did not start: ${withoutPrefix(reason)}`)
}

/**
 * The server's `log_line_prefix`: kind of process and SQLSTATE, enough to tell the server's own problems from those that a client has already
 * received.
 */
export const LOG_LINE_PREFIX = '%b|%e|'
const LOG_LINE = /^([^|]*)\|([0-9A-Z]{5})\|([A-Z]+[0-9]?):\s+(\S.*)?$/
const LAST_LINES_MAX = 20

function logLevel(processKind: string, severity: string, message: string): 'debug' | 'warn' | 'error' {
  if (severity === 'PANIC') return 'error'
  if (severity === 'LOG') return /was terminated by|not properly shut down/.test(message) ? 'warn' : 'debug'
  if (processKind === 'client backend' || processKind === 'not initialized') return 'debug'
  return severity === 'FATAL' ? 'error' : 'warn'
}

const withoutPrefix = (line: string): string => line.replace(/^[^|]*\|[0-9A-Z]{5}\|/, '')
