/** Ways to read a text, each by the name of the function. */
export type TextReaders = Record<string, (text: string) => unknown>

/** A refusal is as good an answer as any. Only the time counts. */
export const attempt = (act: () => unknown) => {
  try {
    return act()
  } catch {
    return null
  }
}
