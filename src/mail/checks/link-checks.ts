// Links and addresses of images that lead nowhere. Nothing is fetched.
import ipaddr from 'ipaddr.js'
import type { FindingKind, Findings } from './mail-checks.ts'

/** Stands for a placeholder, whose value is not known. No author writes this character. */
export const FILLED_IN = '\ue000'

const SCHEMES_OF_MAIL = new Set(['mailto', 'tel', 'sms', 'cid'])
/** No mail program follows these. */
const SCHEMES_NEVER_FOLLOWED = new Set(['javascript', 'vbscript', 'data', 'file', 'about', 'blob'])

/** @param href null if a link has none */
export function checkLink(findings: Findings, href: string | null): void {
  const written = (href ?? '').trim()
  const kind = linkProblem(written)
  if (kind) findings.add(kind, written.replaceAll(FILLED_IN, '…'))
}

function linkProblem(written: string): FindingKind | null {
  if (written === '' || written === '#') return EMPTY
  // What begins with a placeholder can be any address, and an anchor leads to a place in the mail.
  if (written.startsWith(FILLED_IN) || written.startsWith('#')) return null
  const scheme = SCHEME.exec(written)?.[1]?.toLowerCase()
  if (scheme === undefined) return RELATIVE
  if (SCHEMES_NEVER_FOLLOWED.has(scheme)) return NEVER_FOLLOWED
  if (SCHEMES_OF_MAIL.has(scheme)) return written.length > scheme.length + 1 ? null : BROKEN
  return scheme === 'http' || scheme === 'https' ? webLinkProblem(written) : UNUSUAL
}

function webLinkProblem(written: string): FindingKind | null {
  const target = written.replaceAll(FILLED_IN, 'x')
  if (!WITH_HOST.test(target) || !URL.canParse(target)) return BROKEN
  const { hostname, protocol } = new URL(target)
  // A host with a placeholder in it is not known.
  const isKnown = !written.slice(0, hostname.length + HOST_END).includes(FILLED_IN)
  if (isKnown && isPrivateHost(hostname)) return PRIVATE
  return protocol === 'http:' ? INSECURE : null
}

const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):/i
const WITH_HOST = /^https?:\/\/[^/]/i
/** Where the host of a link ends at most, so that a placeholder in it is found. */
const HOST_END = 'https://user:password@'.length

const ENDS_OF_PRIVATE_HOSTS = ['.localhost', '.local', '.internal', '.lan', '.home.arpa', '.test', '.invalid']

/** Whether only a machine of its own network finds it. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace('[', '').replace(']', '').toLowerCase()
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast'
  return !host.includes('.') || ENDS_OF_PRIVATE_HOSTS.some((end) => host.endsWith(end))
}

const some = (count: number, one: string, many: string): string => (count === 1 ? `A ${one}` : `${count.toLocaleString('en')} ${many}`)
const has = (count: number): string => (count === 1 ? 'has' : 'have')
const leads = (count: number): string => (count === 1 ? 'leads' : 'lead')

const EMPTY: FindingKind = {
  code: 'link_empty',
  level: 'warning',
  sentence: (count: number) => `${some(count, 'link', 'links')} ${leads(count)} nowhere, as with \`href="#"\`: give an address.`,
}
const RELATIVE: FindingKind = {
  code: 'link_broken',
  level: 'error',
  of: 'relative',
  sentence: (count: number, examples: string) =>
    `${some(count, 'link', 'links')} ${has(count)} no \`https://\`, so ${count === 1 ? 'it leads' : 'they lead'} nowhere in a mail: ${examples}.`,
}
const BROKEN: FindingKind = {
  code: 'link_broken',
  level: 'error',
  of: 'broken',
  sentence: (count: number, examples: string) => `${some(count, 'link', 'links')} cannot be followed: ${examples}. Correct the address.`,
}
const NEVER_FOLLOWED: FindingKind = {
  code: 'link_broken',
  level: 'error',
  of: 'scheme',
  sentence: (count: number, examples: string) =>
    `${some(count, 'link', 'links')} ${has(count)} a scheme that no mail program follows: ${examples}. Write an \`https\` address.`,
}
const UNUSUAL: FindingKind = {
  code: 'link_unusual',
  level: 'warning',
  sentence: (count: number, examples: string) =>
    `${some(count, 'link', 'links')} ${has(count)} a scheme that many mail programs do not open: ${examples}.`,
}
const PRIVATE: FindingKind = {
  code: 'link_private',
  level: 'warning',
  sentence: (count: number, examples: string) =>
    `${some(count, 'link', 'links')} ${leads(count)} to a machine that only your own network finds: ${examples}. Write a public address.`,
}
const INSECURE: FindingKind = {
  code: 'link_insecure',
  level: 'warning',
  sentence: (count: number, examples: string) =>
    `${some(count, 'link', 'links')} ${has(count)} \`http\` in place of \`https\`, of which browsers warn: ${examples}.`,
}
