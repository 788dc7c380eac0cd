// Server-sent events (WHATWG HTML, section 9.2) as an answer that does not end by itself.
import { Readable } from 'node:stream'

export type StreamEvent = { id?: string; name: string; text: string }

export type EventStream = {
  /** The body of the answer. */
  readable: Readable
  send(event: StreamEvent): void
  /** Keeps the connection alive. A client that reads nothing for several is cut off. */
  beat(): void
  /** Whether the client has not read what it was sent: it gets nothing more until then, so that one event is kept for it at most. */
  isBehind(): boolean
  end(): void
  /** Called once, however the stream ends: by us, or because the client has gone. */
  onEnd(act: () => void): void
}

/** @param retryMs how long a browser waits until it connects again. */
export function createEventStream(retryMs: number): EventStream {
  // What is pushed waits here until the connection has room.
  const readable = new Readable({ read() {} })
  const isBehind = (): boolean => readable.readableLength > 0
  const push = (text: string | null): void => {
    if (!readable.destroyed) readable.push(text)
  }
  let beatsBehind = 0
  let hasEnded = false
  let atEnd: (() => void)[] = []
  function finish(): void {
    hasEnded = true
    for (const act of atEnd) act()
    atEnd = []
  }
  readable.once('close', finish)
  push(`retry: ${retryMs}\n\n`)
  return {
    readable,
    isBehind,
    send: ({ id, name, text }) => {
      if (!hasEnded) push(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\n${linesOf(text)}\n\n`)
    },
    beat() {
      if (hasEnded) return
      beatsBehind = isBehind() ? beatsBehind + 1 : 0
      if (beatsBehind > BEATS_BEHIND_MAX) return void readable.destroy()
      if (beatsBehind === 0) push(': beat\n\n')
    },
    end() {
      if (hasEnded) return
      finish()
      push(null)
      // A client that does not read is not waited for.
      if (beatsBehind > 0) readable.destroy()
    },
    onEnd: (act) => void atEnd.push(act),
  }
}

/** Someone on a slow line needs some time for one event. */
const BEATS_BEHIND_MAX = 6

/** A line may end in three ways. In HTML all of them mean the same. */
const linesOf = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}`)
    .join('\n')
