// What a person who has just started the service needs to know.
import type { Config } from '../../config/config.ts'
import type { Context } from '../../context.ts'
import { restoreHoldNotice } from '../../db/held.ts'
import { createSecretFiles } from '../../io/files/files.ts'
import type { RelayCheck } from '../../io/smtp/client/relay.ts'
import { parseRelayUrl } from '../../io/smtp/client/relay-url.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { isLoopback, isThisMachine } from '../../lib/peer-addresses.ts'
import { assertNever } from '../../lib/problem.ts'
import { createFirstOwnerLink } from '../../modules/accounts/people/people.service.ts'

/** Without `inboundPort`, this process receives no mail. */
type Running = Omit<Config, 'inboundPort'> & { inboundPort: number | null }

export async function introduction(config: Running, context: Context, token: string | null): Promise<string> {
  const lines = ['', 'Posthaste is running.']
  if (config.roles.includes('api')) {
    lines.push(
      `  API        ${context.publicUrl}`,
      `  Docs       ${context.publicUrl}/docs`,
      `  Console    ${await consoleAddress(context, config, token)}`,
    )
  }
  if (config.roles.includes('api') && config.tracking.tls !== null)
    lines.push(
      `  Tracking   ${hostAndPort(config.tracking.tls.host, config.tracking.tls.port)}, with the certificate in ${config.tracking.tls.certFile}`,
    )
  if (config.inboundPort !== null) lines.push(`  Inbound    ${describeInbound(config, config.inboundPort)}`)
  if (config.submissionPort !== null) lines.push(`  Submission ${hostAndPort(config.submissionHost, config.submissionPort)}, with STARTTLS`)
  if (config.submissionsPort !== null) lines.push(`  Submission ${hostAndPort(config.submissionHost, config.submissionsPort)}, over TLS`)
  lines.push(
    `  Senders    ${describeSenders(config)}`,
    `  Delivery   ${describeDelivery(config)}`,
    ...guessedHosts(config).map((line) => `  DNS        ${line}`),
  )
  const accountMail = await accountMailProblem(config, context)
  if (accountMail !== null) lines.push(`  Sign-in    ${accountMail}`)
  const heldSince = await context.repositories.queuePauses.heldSinceBackupAcrossTeams()
  if (heldSince !== null) lines.push(`  Queue      ${restoreHoldNotice(heldSince)}`)
  if (!(await context.repositories.apiKeys.existAcrossTeams()))
    lines.push('  API key    none yet; make one: npm run posthaste -- keys create')
  if (token !== null) lines.push(await firstKey(config, token))
  return `${lines.join('\n')}\n`
}

/** Whether the relay answers, if this process sends mail to one; otherwise an empty text. A silent relay takes a few seconds. */
export async function relayLine({ context, worker }: { context: Context; worker: object | null }): Promise<string> {
  const check = worker && (await context.gateways.relay?.check())
  return check ? `  Relay      ${describeRelay(check)}\n` : ''
}

/**
 * Until someone is an owner, a terminal shows a link that makes its holder the first one at each start: the first may have failed after it made the key.
 * Where the output may be kept in a log, the first start writes the link to a file.
 */
export async function consoleAddress(
  context: Pick<Context, 'repositories' | 'clock' | 'publicUrl'>,
  config: Pick<Config, 'dataDir'>,
  token: string | null,
): Promise<string> {
  const address = `${context.publicUrl}/console`
  const { persons, teams } = context.repositories
  const team = (await persons.haveNoOwnersAcrossTeams()) ? await teams.firstAcrossTeams() : null
  if (team === null)
    return process.stdout.isTTY ? `${address}   (npm run -s posthaste -- console link prints a link that signs in)` : address
  if (token === null && !process.stdout.isTTY)
    return `${address}   (no one is an owner yet: npm run -s posthaste -- console link prints a link for the first)`
  const link = await createFirstOwnerLink(context, team.id, DAY_MS)
  if (process.stdout.isTTY) return `${link}   (makes you the first owner, once, within 24 hours)`
  return `${address}   (a link for the first owner is in ${await createSecretFiles(config.dataDir).write('first-sign-in', link)})`
}

/** Where bounces and complaints are received. */
const describeInbound = ({ inboundHost, inboundTls }: Pick<Config, 'inboundHost' | 'inboundTls'>, port: number): string =>
  `${hostAndPort(inboundHost, port)}, with ${inboundTls === null ? 'a self-signed certificate' : `the certificate in ${inboundTls.certFile}`}`

const hostAndPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

const describeSenders = ({ senderPolicy }: Pick<Config, 'senderPolicy'>): string =>
  senderPolicy === 'any' ? 'any: every key may send from any domain' : 'verified: a team sends from its verified domains only'

/** What the DNS records of domains name because nothing else was configured. It matters where mail leaves this machine. */
export function guessedHosts({ delivery, installation, unsetHosts }: Pick<Config, 'delivery' | 'installation' | 'unsetHosts'>): string[] {
  if (delivery === 'relay')
    return [
      ...(installation.mailHostname === 'localhost' ? ['MAIL_HOSTNAME is not set: the records of domains point to localhost'] : []),
      ...(isLoopback(installation.trackingHost)
        ? [`PUBLIC_URL and TRACKING_HOST are not public names: links of tracked emails lead to ${installation.trackingHost}`]
        : []),
    ]
  if (delivery !== 'direct') return []
  const guesses = {
    SENDING_IPS: `SPF records permit ${installation.spfTerms.join(' ')}`,
    TRACKING_HOST: `links of tracked emails lead to ${installation.trackingHost}`,
  }
  const isNamed = installation.spfTerms.some((term) => term.startsWith('include:'))
  return unsetHosts.filter((name) => !(name === 'SENDING_IPS' && isNamed)).map((name) => `${name} is not set: ${guesses[name]}`)
}

/** Why sign-in links and other mail of the installation does not leave, or will hardly be taken; null if nothing is known against it. */
export async function accountMailProblem(
  { delivery, accountFrom: { address, domain } }: Pick<Config, 'delivery' | 'accountFrom'>,
  { repositories }: { repositories: { sendingDomains: Pick<Context['repositories']['sendingDomains'], 'ownerAcrossTeams'> } },
): Promise<string | null> {
  if (delivery === 'capture') return null
  if (domain === 'localhost') return `links are from ${address}, which few servers take: set ACCOUNT_FROM to an address of yours`
  if (delivery === 'relay' || (await repositories.sendingDomains.ownerAcrossTeams(domain)) !== null) return null
  return `links are not mailed, because no team has verified ${domain}: verify it, or set ACCOUNT_FROM to an address of a verified domain`
}

export function describeDelivery({ delivery, smtpRelayUrl }: Pick<Config, 'delivery' | 'smtpRelayUrl'>): string {
  switch (delivery) {
    case 'capture':
      return 'capture: mail is stored and shown, and never leaves this machine'
    case 'relay':
      return `relay: mail goes to ${smtpRelayUrl && wayTo(smtpRelayUrl)}`
    case 'direct':
      return "direct: mail goes straight to the recipients' servers"
    default:
      return assertNever(delivery)
  }
}

/** The address of the relay and who can read the mail on its way, without the login. */
function wayTo(relayUrl: string): string {
  const { host, port, implicitTls, requireTls, verifyCertificate, credentials } = parseRelayUrl(relayUrl)
  const isTlsCertain = implicitTls || requireTls === true
  const mayBeBare = credentials !== null && !isTlsCertain
  const ways = [hostAndPort(host, port), isTlsCertain ? 'over TLS only' : 'over TLS where it is offered']
  if (!verifyCertificate) ways.push('whatever its certificate')
  if (isThisMachine(host)) return `${ways.join(', ')} (this machine${mayBeBare ? '; the password may go without TLS' : ''})`
  if (mayBeBare) ways.push('otherwise with the password in the clear (requireTLS=false)')
  return ways.join(', ')
}

function describeRelay(check: RelayCheck): string {
  if (check.isUsable) return `answers, ${check.tls === null ? 'without TLS' : `over ${check.tls}`}`
  const reason = check.reason.slice(0, REASON_LENGTH_MAX).replace(/\.$/, '')
  return `${check.isReached ? 'answers, but takes no mail' : 'does not answer'}: ${reason}. Mail waits and is retried.`
}

/** A server may answer at length. */
const REASON_LENGTH_MAX = 300

/** On a terminal the key itself. Otherwise the output may be kept in a log, so the key is written to a file and its path is printed. */
export async function firstKey(config: Pick<Config, 'dataDir'>, token: string): Promise<string> {
  if (process.stdout.isTTY) return `  API key    ${token}   (full access; shown this once)`
  const path = await createSecretFiles(config.dataDir).write('first-api-key', token)
  return `  API key    in ${path} (full access; delete the file once you have copied it)`
}
