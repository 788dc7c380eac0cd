// Which opens and clicks are probably the work of a program. Each rule says what it may get wrong.
import ipaddr from 'ipaddr.js'
import { isbot } from 'isbot'

/** One open or click, with what is known around it. */
export type ObservedEvent = {
  kind: 'open' | 'click'
  method: 'GET' | 'HEAD'
  /** Empty if the request had none. */
  userAgent: string
  address: string
  /** Since the message was delivered; null if that is unknown. Negative if the event came while it was being delivered. */
  msAfterDelivery: number | null
  /** Different links of the message that the recipient followed within a few seconds of this event, this one included. */
  linksAtOnce: number
  /** The invisible link of the message was followed at about the same time. */
  isTrapped: boolean
}

export type MachineRule = {
  name: string
  applies: (event: ObservedEvent) => boolean
  /** What the rule gets wrong, or cannot see. */
  doubt: string
}

/** No person reads a message and acts within this time. */
const TOO_SOON_MS = 2_000
/** Image proxies that load a message in advance do so within this time. */
const PREFETCH_MS = 10_000
/** No one follows this many different links within a few seconds. */
const LINKS_AT_ONCE_MIN = 3

export const MACHINE_RULES: readonly MachineRule[] = [
  {
    name: 'head-request',
    applies: ({ method }) => method === 'HEAD',
    doubt: 'None that is known: browsers and mail programs follow a link and load an image with GET.',
  },
  {
    name: 'no-user-agent',
    applies: ({ userAgent }) => userAgent.trim() === '',
    doubt: 'A few people remove it for their privacy.',
  },
  {
    name: 'apple-privacy-proxy',
    // Mail Privacy Protection sends this and nothing more.
    applies: ({ kind, userAgent }) => kind === 'open' && userAgent.trim() === 'Mozilla/5.0',
    doubt: 'It loads images whether or not the message is read, so the opens of people who use Apple Mail are not seen.',
  },
  {
    name: 'gmail-prefetch',
    // Gmail loads images with this before a message is shown. When a person opens it, GoogleImageProxy does.
    applies: ({ kind, userAgent }) => kind === 'open' && userAgent.trim().endsWith('Edge/12.246 Mozilla/5.0'),
    doubt: 'If a person opens the message later, Gmail may use its copy of the image, and the open is not seen.',
  },
  {
    name: 'image-proxy',
    applies: ({ kind, userAgent, msAfterDelivery }) =>
      kind === 'open' && IMAGE_PROXY.test(userAgent) && msAfterDelivery !== null && msAfterDelivery < PREFETCH_MS,
    doubt:
      'Gmail and Yahoo load images through a proxy when a person opens the message, and sometimes in advance. What comes within 10 seconds of the delivery is taken for the latter, so a very quick reader is missed, and a late prefetch counts as a person.',
  },
  {
    name: 'link-scanner',
    applies: ({ userAgent }) => LINK_SCANNER.test(userAgent),
    doubt: 'Many scanners give the name of an ordinary browser. Other rules may see those.',
  },
  {
    name: 'bot',
    applies: ({ userAgent }) => !MAIL_PROGRAM.test(userAgent) && isbot(userAgent),
    doubt: 'A mail program that gives only its own name, and is not listed here, looks like a program without a reader.',
  },
  {
    name: 'scanner-network',
    applies: ({ address }) => isInScannerNetwork(address),
    doubt: 'Networks change hands, and someone who works at such a company is taken for a scanner.',
  },
  {
    name: 'too-soon',
    applies: ({ msAfterDelivery }) => msAfterDelivery !== null && msAfterDelivery < TOO_SOON_MS,
    doubt: 'A scanner that waits is not seen. With a relay, the time of its delivery is not known, only that of ours.',
  },
  {
    name: 'links-at-once',
    applies: ({ kind, linksAtOnce }) => kind === 'click' && linksAtOnce >= LINKS_AT_ONCE_MIN,
    doubt:
      'Someone who opens several links in tabs at once is taken for a program, and one who scans only the first link is not. Each process sees only the clicks that reach it.',
  },
  {
    name: 'invisible-link',
    applies: ({ isTrapped }) => isTrapped,
    doubt: 'A screen reader or a plain-text view could offer the link to a person, so there is none unless TRACKING_HONEYPOT is on.',
  },
]

/** The name of the first rule that applies; null if a person probably acted. */
export const findMachineRule = (event: ObservedEvent): string | null => MACHINE_RULES.find(({ applies }) => applies(event))?.name ?? null

const IMAGE_PROXY = /googleimageproxy|yahoomailproxy|yahoocachesystem/i

/** The list of bots takes everything that is not a browser for one. */
const MAIL_PROGRAM =
  /outlook|ms-office|thunderbird|apple-?mail|airmail|em ?client|evolution|mailmate|mailspring|postbox|roundcube|spark\/|superhuman|lotus-notes|k-?9|fairemail|canary|kmail|yahoomobilemail|samsung ?email|bluemail|imageproxy|yahoomailproxy/i

/** Security products that follow links, and programs that show previews of them. */
const LINK_SCANNER =
  /barracuda|mimecast|proofpoint|trendmicro|trend micro|symantec|messagelabs|fireeye|forcepoint|ironport|sophos|zscaler|safelinks|urldefense|microsoft office protection|BingPreview|SkypeUriPreview|Slack-ImgProxy/i

/** The networks that the documentation of each owner lists. */
const SCANNER_NETWORKS = [
  // Microsoft Exchange Online Protection (Microsoft 365 URLs and IP address ranges, Exchange Online).
  '40.92.0.0/15',
  '40.107.0.0/16',
  '52.100.0.0/14',
  '104.47.0.0/17',
  '2a01:111:f400::/48',
  '2a01:111:f403::/48',
  // Proofpoint Essentials and Proofpoint Protection.
  '67.231.144.0/20',
  '148.163.128.0/19',
  // Barracuda Email Gateway Defense.
  '64.235.144.0/20',
  '209.222.80.0/21',
].map((cidr) => ipaddr.parseCIDR(cidr))

function isInScannerNetwork(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return SCANNER_NETWORKS.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}
