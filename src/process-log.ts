// The log of the process: one JSON object a line, or on a terminal a line that a person can read. Beside what constructs the service, because it opens its output.
import { isatty } from 'node:tty'
import pino from 'pino'
import { prettyFactory } from 'pino-pretty'

export type Log = pino.Logger

export type LogOptions = { fileDescriptor?: number; isTerminal?: boolean }

/** Writes to standard output unless told otherwise. */
export function createLog(
  { logLevel }: { logLevel: string },
  { fileDescriptor = 1, isTerminal = isatty(fileDescriptor) }: LogOptions = {},
): Log {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: loggedError } }
  // For a person each line at once; for a file or a pipe with what comes in the same moment, and at the end of the process.
  const destination = pino.destination({ dest: fileDescriptor, sync: isTerminal })
  if (!isTerminal) return pino(options, destination)
  const toReadable = prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return pino(options, { write: (line: string) => void destination.write(toReadable(line.replaceAll(UNESCAPED_CONTROLS, ' '))) })
}

/** JSON leaves these as they are. */
const UNESCAPED_CONTROLS = /[\u007f-\u009f]/g

/** Of an error only what helps: the objects that libraries attach hold connections, parameters and rows. */
const loggedError = (error: unknown, depth = 0): unknown =>
  error instanceof Error
    ? {
        type: error.name,
        message: harmless(error.message),
        ...('code' in error && { code: error.code }),
        stack: harmless(error.stack ?? ''),
        ...(error.cause !== undefined && depth < ERROR_CAUSES_MAX && { cause: loggedError(error.cause, depth + 1) }),
      }
    : harmless(String(error))
const ERROR_CAUSES_MAX = 3

/** Errors quote what others have sent. A terminal would obey some of it. */
const harmless = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
