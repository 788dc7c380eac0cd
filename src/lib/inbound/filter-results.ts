// What the filter of the operator said of a received message.
export const FILTER_NAMES = ['rspamd', 'clamd'] as const
export const FILTER_VERDICTS = ['clean', 'spam', 'virus', 'not_checked'] as const

export type FilterName = (typeof FILTER_NAMES)[number]

export type FilterResult = {
  name: FilterName
  verdict: (typeof FILTER_VERDICTS)[number]
  /** The score that rspamd gave. */
  score: number | null
  /** The action of rspamd, the name of a virus, or why nothing was checked. */
  detail: string | null
}
