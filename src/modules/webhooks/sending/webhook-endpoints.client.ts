// Which endpoints may be registered. What can be known only while connecting is checked then.
import { domainToUnicode } from 'node:url'
import { isAllowedHost, isPublicAddress } from '../../../io/outbound-guard.ts'
import { within } from '../../../lib/clock.ts'
import { LABEL_LENGTH_MAX } from '../../../mail/addresses.ts'
import type { RecordAnswer } from '../../../mail/record-types.ts'

export type WebhookEndpoints = {
  /** What is wrong with an endpoint, to follow the name of its field ("must be ..."), or null. */
  checkEndpoint(endpoint: string, teamId: string): Promise<string | null>
}

/** Servers that speak another protocol would take a request for commands (Fetch, section "Port blocking"; the most common of them). */
const PORTS_OF_OTHERS = new Set([
  7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119,
  123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989,
  990, 993, 995, 1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
  6697, 10_080, 11_211,
])

/** A client waits for it. A name that is not known by then is checked when connecting. */
const LOOKUP_MS_MAX = 2_000

export type WebhookEndpointOptions = {
  allowPrivateNetworks: boolean
  /** Asked on behalf of a team, which waits for its own lookups only. */
  dns: { ask(host: string, type: 'A' | 'AAAA', asker: string): Promise<RecordAnswer> }
}

export function createWebhookEndpoints({ allowPrivateNetworks, dns }: WebhookEndpointOptions): WebhookEndpoints {
  async function isNowherePublic(host: string, teamId: string): Promise<boolean> {
    const asked = Promise.all([dns.ask(host, 'A', teamId), dns.ask(host, 'AAAA', teamId)])
    const answers = await within(LOOKUP_MS_MAX, asked, () => [])
    const addresses = answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))
    return addresses.length > 0 && !addresses.some(isPublicAddress)
  }

  return {
    async checkEndpoint(endpoint, teamId) {
      const url = URL.parse(endpoint)
      if (url === null) return 'must be a valid URL'
      if (url.protocol !== 'https:' && !(allowPrivateNetworks && url.protocol === 'http:')) return NOT_HTTPS
      if (url.username !== '' || url.password !== '' || hasEmptyUser(endpoint)) return 'must be a URL without user and password'
      if (endpoint.includes('#')) return 'must be a URL without a fragment'
      if (/[\s\p{Cc}]/u.test(endpoint)) return 'must be a URL without spaces and control characters'
      if (!url.hostname.replace(/\.$/, '').split('.').every(isLabel) || url.port === '0') return 'must be a URL with a valid host and port'
      if (PORTS_OF_OTHERS.has(Number(url.port))) return `must be a URL of a web server; port ${url.port} belongs to another protocol`
      if (!isAllowedHost(url.hostname, { allowPrivateNetworks })) return NOT_PUBLIC
      return !allowPrivateNetworks && (await isNowherePublic(url.hostname, teamId)) ? NOT_PUBLIC : null
    },
  }
}

/** `https://@host`. Tabs, line ends and backslashes are read as a URL reads them (URL Standard, section 4.4). */
const hasEmptyUser = (endpoint: string): boolean =>
  /^[^:]*:[\\/]*([^\\/?#]*)/.exec(endpoint.replaceAll(/[\t\n\r]/g, ''))?.[1]?.includes('@') === true

/** Judges a label as URLs have it. An A-label that stands for nothing stays unchanged when it is decoded (RFC 5890, section 2.3.2.1). */
const isLabel = (label: string): boolean =>
  label.length > 0 && label.length <= LABEL_LENGTH_MAX && !(label.startsWith('xn--') && domainToUnicode(label) === label)

const NEAR =
  'For a program on your machine, run `posthaste webhooks listen`; for one beside the service, its operator sets `ALLOW_PRIVATE_NETWORKS=true`'
const NOT_HTTPS = `must be an \`https\` URL. ${NEAR}`
const NOT_PUBLIC = `must be a URL of a host on the public internet. ${NEAR}`
