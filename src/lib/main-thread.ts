// Keeps work on long texts away from the thread that answers everyone.

/** UTF-8 bytes of a text. A longer one is rendered, read as HTML and tracked in a thread of its own. Most emails are shorter. */
export const MAIN_THREAD_BYTES_MAX = 64 * 1024

export const isLong = (text: string): boolean =>
  text.length > MAIN_THREAD_BYTES_MAX || (3 * text.length > MAIN_THREAD_BYTES_MAX && Buffer.byteLength(text) > MAIN_THREAD_BYTES_MAX)

/** The beginning that is not long: all of most texts. */
export const shortBeginning = (text: string): string =>
  isLong(text) ? text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAIN_THREAD_BYTES_MAX)).read) : text

/** Whether the strings in a value have more characters than the limit has bytes. */
export function holdsLongText(value: unknown): boolean {
  const left = [value]
  let length = 0
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') length += one.length
    else if (typeof one === 'object' && one !== null) for (const [key, each] of Object.entries(one)) left.push(key, each)
    else length += PLAIN_LENGTH
    if (length > MAIN_THREAD_BYTES_MAX) return true
  }
  return false
}

/** About what a number has. */
const PLAIN_LENGTH = 8

type OnLongText = (error: Error) => void

/** Each service that runs on this thread has one. Other threads have a list of their own, which is empty. */
const guards: OnLongText[] = []

/** Tells of each long text that is worked on here, until the guard is ended. */
export function guardMainThread(onLongText: OnLongText): { end(): void } {
  guards.push(onLongText)
  return {
    end() {
      const at = guards.indexOf(onLongText)
      if (at >= 0) guards.splice(at, 1)
    },
  }
}

/** Called by what renders a text, reads it as HTML, or tracks it. */
export function assertMainThreadWork(text: string): void {
  if (guards.length === 0 || !isLong(text)) return
  const error = new Error(`A text of more than ${MAIN_THREAD_BYTES_MAX / 1024} KB was worked on in the main thread`)
  for (const guard of [...guards]) guard(error)
}
