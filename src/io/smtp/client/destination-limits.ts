// How many connections and messages the large mail providers, and all others, get at once. One table, matched by the names of MX hosts.

export type DestinationLimit = { connectionsMax: number; messagesPerConnectionMax: number }

type Provider = {
  /** Also the key of its set of MX hosts: all its domains share limits and pace. */
  name: string
  /** An MX host belongs to the provider if its name is one of these or ends with a dot and one of these. */
  mxSuffixes: readonly string[]
  limit: DestinationLimit
  /** The source of the figures. */
  source: string
}

const limit = (connectionsMax: number, messagesPerConnectionMax: number): DestinationLimit => ({
  connectionsMax,
  messagesPerConnectionMax,
})

const OWN_DEFAULT = 'Our own careful default: the provider publishes no figures.'

/** For every destination that is not in the table: a careful default, because most servers are small. */
export const DEFAULT_LIMIT: DestinationLimit = limit(5, 50)

export const PROVIDERS: readonly Provider[] = [
  {
    name: 'google',
    mxSuffixes: ['google.com', 'googlemail.com'],
    limit: limit(20, 50),
    source: 'Our own careful default: the sender guidelines (support.google.com/a/answer/81126) ask for a steady rate without a figure.',
  },
  {
    name: 'outlook',
    mxSuffixes: ['olc.protection.outlook.com'],
    limit: limit(10, 50),
    source:
      'Our own careful default, far below the 500 simultaneous connections that the policies of Outlook.com Postmaster allow: new senders meet 451 4.7.652 much earlier.',
  },
  {
    name: 'microsoft-365',
    mxSuffixes: ['mail.protection.outlook.com', 'mx.microsoft'],
    limit: limit(20, 50),
    source: OWN_DEFAULT,
  },
  {
    name: 'yahoo',
    mxSuffixes: ['yahoodns.net'],
    limit: limit(10, 20),
    source: 'Messages: help.yahoo.com/kb/SLN3433.html, which closes a connection after 20. Connections: our own careful default.',
  },
  { name: 'icloud', mxSuffixes: ['mail.icloud.com'], limit: limit(10, 50), source: OWN_DEFAULT },
  {
    name: 'gmx',
    mxSuffixes: ['gmx.net', 'gmx.com', 'web.de', 'mail.com'],
    limit: limit(5, 50),
    source: OWN_DEFAULT,
  },
  { name: 'ionos', mxSuffixes: ['kundenserver.de', 'ionos.de', 'ionos.com'], limit: limit(5, 50), source: OWN_DEFAULT },
  { name: 't-online', mxSuffixes: ['t-online.de'], limit: limit(3, 50), source: OWN_DEFAULT },
  { name: 'proton', mxSuffixes: ['protonmail.ch'], limit: limit(5, 50), source: OWN_DEFAULT },
  { name: 'fastmail', mxSuffixes: ['messagingengine.com'], limit: limit(10, 50), source: OWN_DEFAULT },
  { name: 'zoho', mxSuffixes: ['zoho.com', 'zoho.eu', 'zoho.in'], limit: limit(5, 50), source: OWN_DEFAULT },
  { name: 'comcast', mxSuffixes: ['comcast.net'], limit: limit(5, 50), source: OWN_DEFAULT },
  { name: 'orange', mxSuffixes: ['orange.fr', 'wanadoo.fr'], limit: limit(2, 50), source: OWN_DEFAULT },
  { name: 'yandex', mxSuffixes: ['yandex.ru', 'yandex.net'], limit: limit(5, 20), source: OWN_DEFAULT },
  { name: 'mail-ru', mxSuffixes: ['mail.ru'], limit: limit(5, 50), source: OWN_DEFAULT },
  { name: 'qq', mxSuffixes: ['qq.com'], limit: limit(3, 20), source: OWN_DEFAULT },
]

/** The provider that all these MX hosts belong to, or null. A foreign host among them could slow down all mail to the provider. */
export function providerOf(hosts: readonly string[]): string | null {
  const names = new Set(hosts.map((host) => bySuffix(PROVIDER_NAMES, host) ?? null))
  const [only = null] = names
  return names.size === 1 ? only : null
}

/** A limit from the operator. `name` is a provider of the table, the suffix of MX hosts, or `*` for all others. */
export type LimitOverride = DestinationLimit & { name: string }

/** The limit of a set of MX hosts: the strictest of its hosts. */
export function createDestinationLimits(overrides: readonly LimitOverride[] = []): (hosts: readonly string[]) => DestinationLimit {
  const limits = new Map(PROVIDERS.flatMap((provider) => provider.mxSuffixes.map((suffix) => [suffix, provider.limit] as const)))
  let fallback = DEFAULT_LIMIT
  for (const { name, connectionsMax, messagesPerConnectionMax } of overrides) {
    const given = limit(connectionsMax, messagesPerConnectionMax)
    if (name === '*') fallback = given
    else for (const suffix of suffixesOf(name)) limits.set(suffix, given)
  }
  return (hosts) => {
    const found = hosts.map((host) => bySuffix(limits, host) ?? fallback)
    if (found.length === 0) return fallback
    return limit(
      Math.min(...found.map(({ connectionsMax }) => connectionsMax)),
      Math.min(...found.map(({ messagesPerConnectionMax }) => messagesPerConnectionMax)),
    )
  }
}

/** An override for one of a provider's names applies to the whole provider. */
function suffixesOf(name: string): readonly string[] {
  return PROVIDERS.find((provider) => provider.name === name || provider.mxSuffixes.includes(name))?.mxSuffixes ?? [name]
}

const PROVIDER_NAMES = new Map(PROVIDERS.flatMap(({ name, mxSuffixes }) => mxSuffixes.map((suffix) => [suffix, name] as const)))

/** The entry of the longest suffix of whole labels. */
function bySuffix<T>(entries: ReadonlyMap<string, T>, host: string): T | undefined {
  for (let suffix = normalized(host); suffix !== ''; suffix = suffix.includes('.') ? suffix.slice(suffix.indexOf('.') + 1) : '') {
    const found = entries.get(suffix)
    if (found !== undefined) return found
  }
  return undefined
}

const normalized = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** A higher number would not limit anything, and is probably a typing error. */
const CONNECTIONS_MAX = 1_000
const MESSAGES_PER_CONNECTION_MAX = 10_000

const OVERRIDE = /^([^=\s]+)\s*=\s*(\d{1,9})\s*x\s*(\d{1,9})$/i

/** A host name, a provider of the table, or the asterisk. */
const NAME = /^(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)$/

/**
 * Reads `google=20x100, mx.example.com=1x10, *=5x50`: maximum connections, then messages per connection. A problem is one sentence for the
 * operator.
 */
export function parseLimitOverrides(text: string): { overrides: LimitOverride[] } | { problem: string } {
  const overrides: LimitOverride[] = []
  const items = text.split(',').map((item) => item.trim())
  for (const item of items.filter((each) => each !== '')) {
    const [, givenName = '', connections = '', messages = ''] = OVERRIDE.exec(item) ?? []
    const name = normalized(givenName)
    if (name === '')
      return { problem: `${JSON.stringify(item)} must look like google.com=20x100: a name, connections, x, messages per connection` }
    if (!NAME.test(name)) return { problem: `${JSON.stringify(givenName)} is neither a host name nor a provider nor *` }
    if (overrides.some((earlier) => earlier.name === name)) return { problem: `${JSON.stringify(name)} is named twice` }
    const override = { name, connectionsMax: Number(connections), messagesPerConnectionMax: Number(messages) }
    if (override.connectionsMax < 1 || override.connectionsMax > CONNECTIONS_MAX)
      return { problem: `${JSON.stringify(item)} must have 1 to ${CONNECTIONS_MAX} connections` }
    if (override.messagesPerConnectionMax < 1 || override.messagesPerConnectionMax > MESSAGES_PER_CONNECTION_MAX)
      return { problem: `${JSON.stringify(item)} must have 1 to ${MESSAGES_PER_CONNECTION_MAX} messages per connection` }
    overrides.push(override)
  }
  return { overrides }
}
