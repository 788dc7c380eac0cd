// The log of the process: one JSON object a line, or on a terminal a line that a person can read. Beside the code that constructs the service,
// because it opens its output.
import { isatty } from 'node:tty'
import pino from 'pino'
import { prettyFactory } from 'pino-pretty'
import { terminalText } from '../lib/startup-problem.ts'

export type Log = pino.Logger

export type LogOptions = { fileDescriptor?: number; isTerminal?: boolean }

/** Writes to standard output unless another descriptor is given. */
export function createLog(
  { logLevel }: { logLevel: string },
  { fileDescriptor = 1, isTerminal = isatty(fileDescriptor) }: LogOptions = {},
): Log {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: loggedError } }
  // A person gets each line at once. A file or a pipe gets it together with other lines of the same moment, and at the end of the process.
  const destination = pino.destination({ dest: fileDescriptor, sync: isTerminal })
  if (!isTerminal) return pino(options, destination)
  const toReadable = prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return pino(options, { write: (line: string) => void destination.write(toReadable(readableFields(line))) })
}

/** A line of the log without characters that a terminal would act on, including names of fields. The stack of an error keeps its lines. */
const readableFields = (line: string): unknown =>
  JSON.parse(cleanLines(line), (key, value: unknown) => {
    if (typeof value !== 'string') return value
    return key === 'stack' ? cleanLines(value) : terminalText(value)
  })

const cleanLines = (text: string): string => text.split('\n').map(terminalText).join('\n')

/** Only the useful parts of an error: the objects that libraries attach hold connections, parameters and rows. */
const loggedError = (error: unknown, depth = 0): unknown =>
  error instanceof Error
    ? {
        type: terminalText(error.name),
        message: terminalText(error.message),
        ...('code' in error && { code: typeof error.code === 'string' ? terminalText(error.code) : error.code }),
        stack: loggedStack(error),
        ...(error.cause !== undefined && depth < ERROR_CAUSES_MAX && { cause: loggedError(error.cause, depth + 1) }),
      }
    : terminalText(String(error))
const ERROR_CAUSES_MAX = 3

/** Errors quote what others have sent. Only the text after the message is ours, and has several lines. */
function loggedStack({ message, stack = '' }: Error): string {
  const messageAt = stack.indexOf(message)
  if (messageAt === -1) return terminalText(stack)
  const framesAt = messageAt + message.length
  return terminalText(stack.slice(0, framesAt)) + cleanLines(stack.slice(framesAt))
}
