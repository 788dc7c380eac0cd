// The names of keys in the DNS: `ph1` of ph1._domainkey.example.com (RFC 6376, section 3.1).

const PREFIX = 'ph'
const NUMBERED = /^ph([1-9]\d{0,5})$/

/** A domain's first key has the selector `first`. Later ones are numbered, so that a new key has a new record. */
export function nextSelector(taken: readonly string[], first: string): string {
  if (taken.length === 0) return first
  const numbers = taken.map((selector) => Number(NUMBERED.exec(selector)?.[1] ?? 0))
  return `${PREFIX}${Math.max(1, ...numbers) + 1}`
}

/** Returns one selector for each new key. */
export function nextSelectors(taken: readonly string[], count: number, first: string): string[] {
  const selectors: string[] = []
  while (selectors.length < count) selectors.push(nextSelector([...taken, ...selectors], first))
  return selectors
}

const SUFFIX = '._domainkey.'

export const dkimHost = (selector: string, domain: string): string => `${selector}${SUFFIX}${domain}`

/** Empty if the host is not that of a key. */
export const selectorOf = (host: string): string => host.slice(0, Math.max(0, host.indexOf(SUFFIX)))
