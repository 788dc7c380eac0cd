// Checks what makes mail of this installation arrive: its names and addresses, its way out, its certificate, its clock, its domains.
import type { PlatformContext } from '../../http/platform.context.ts'
import { toTimestamp, within } from '../../lib/clock.ts'
import { isLoopback } from '../../lib/peer-addresses.ts'
import type { RecordAnswer } from '../../mail/record-types.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import {
  type ClockOffset,
  checkBlocklist,
  checkClock,
  checkHostname,
  checkResolver,
  checkReverse,
  type HostAnswers,
  type ListAnswer,
  valuesOf,
} from './checks/hosts.ts'
import { announcesMtaSts, checkDmarc, checkHelloSpf, checkMtaSts, checkSpfInclude, checkTlsReports } from './checks/policies.ts'
import { checkCertificate, checkClearWeb, checkInbound, checkMailPort, checkRelayAnswer, mailHosts } from './checks/servers.ts'
import {
  about,
  type CheckName,
  type DeliverabilityReport,
  type Finding,
  isAddress,
  isIpv6,
  reverseName,
  summarizeFindings,
  worstFirst,
} from './findings.ts'
import type { HttpsAnswer, Probes, WebServer } from './probes.client.ts'

type Context = PlatformContext & DomainsContext

export const toDeliverability = ({ status, checkedAt, note, findings }: DeliverabilityReport) => ({
  object: 'deliverability' as const,
  status,
  checked_at: toTimestamp(checkedAt),
  note,
  checks: findings.map(({ check, subject, state, found, advice }) => ({ name: check, subject, state, found, advice })),
})

export type DeliverabilityDependencies = {
  config: Pick<
    Context['config'],
    | 'delivery'
    | 'mailHostname'
    | 'sendingAddresses'
    | 'spfInclude'
    | 'blocklists'
    | 'probeDomain'
    | 'publicUrl'
    | 'smtpRelayUrl'
    | 'databaseUrl'
    | 'allowPrivateNetworks'
    | 'returnPath'
    | 'installation'
    | 'tracking'
  >
  probes: Probes
  /** Null if the database could not be opened. */
  repositories: Pick<Context['repositories'], 'health' | 'verifiedDomains'> | null
  clock: Context['clock']
  /** The limit of each check. */
  timeMsMax?: number
}

/** How many of the addresses from which mail leaves are checked. */
const ADDRESSES_MAX = 20
/** An address has one name. */
const REVERSE_NAMES_MAX = 3
const DOMAINS_MAX = 20
/** How many of the provider's hosts are asked: one that answers is enough. */
const MAIL_HOSTS_MAX = 2

/** Every question ends sooner by itself. */
const TIME_MS_MAX = 12_000

/** Never fails. Takes at most the time of one check, because all are made at once. */
export async function checkDeliverability(dependencies: DeliverabilityDependencies): Promise<DeliverabilityReport> {
  const { config, clock } = dependencies
  const checkedAt = clock.now()
  if (config.delivery === 'capture')
    return {
      status: 'ok',
      checkedAt,
      note: 'DELIVERY is capture: mail never leaves this machine, so there is nothing to check.',
      findings: [],
    }
  const findings = worstFirst((await Promise.all(listChecks(dependencies).map((check) => inTime(check, dependencies.timeMsMax)))).flat())
  return { status: summarizeFindings(findings), checkedAt, note: noteOn(config), findings }
}

const noteOn = ({ mailHostname }: Pick<Context['config'], 'mailHostname'>): string | null =>
  mailHostname === 'localhost' ? 'MAIL_HOSTNAME is localhost, so nothing was checked that concerns the name of this server.' : null

type Check = { name: CheckName; subject: string; find: () => Promise<Finding | Finding[]> }

async function inTime({ name, subject, find }: Check, timeMsMax = TIME_MS_MAX): Promise<Finding[]> {
  const { unknown } = about(name, subject)
  const finding = find().catch((error) => unknown(`The check failed: ${error instanceof Error ? error.message : error}.`, 'Run it again.'))
  return [await within(timeMsMax, finding, () => unknown(`It took longer than ${timeMsMax / 1_000} s.`, 'Run the check again.'))].flat()
}

/** `host`: what the DNS says of MAIL_HOSTNAME, which several checks start from; null if that is localhost. */
type Survey = DeliverabilityDependencies & { host: Promise<HostAnswers> | null }

function listChecks(dependencies: DeliverabilityDependencies): Check[] {
  const { config, probes } = dependencies
  const { delivery, mailHostname, spfInclude, blocklists, probeDomain } = config
  const { trackingHost } = config.installation
  const hasName = mailHostname !== 'localhost'
  const host = hasName ? askForHost(probes, mailHostname) : null
  const survey = { ...dependencies, host }
  const checks: Check[] = [
    {
      name: 'resolver',
      subject: 'all',
      find: async () => (await probes.askResolvers(hasName ? mailHostname : probeDomain)).map(checkResolver),
    },
    { name: 'reverse', subject: 'all', find: () => ofAddresses(survey, 'reverse', 'all', (address) => findReverse(survey, address)) },
    { name: 'certificate', subject: 'PUBLIC_URL', find: () => findCertificate(survey) },
    { name: 'clock', subject: 'this machine', find: () => findClock(survey) },
    { name: 'dmarc', subject: 'verified domains', find: () => findDmarc(survey) },
    { name: 'receiving', subject: 'domains', find: () => findUnproven(survey) },
    ...blocklists.map((zone): Check => ({ name: 'blocklist', subject: zone, find: () => findBlocklist(survey, zone) })),
  ]
  if (host !== null)
    checks.push(
      {
        name: 'hostname',
        subject: mailHostname,
        find: async () => checkHostname(mailHostname, await host, config.allowPrivateNetworks),
      },
      {
        name: 'tls-rpt',
        subject: mailHostname,
        find: async () => checkTlsReports(mailHostname, await probes.lookUp(`_smtp._tls.${mailHostname}`, 'TXT')),
      },
      { name: 'mta-sts', subject: mailHostname, find: () => findMtaSts(survey) },
    )
  if (delivery === 'direct')
    checks.push(
      { name: 'hello-spf', subject: mailHostname, find: () => findHelloSpf(survey) },
      { name: 'port-25', subject: probeDomain, find: () => findMailPort(survey) },
    )
  if (host !== null && config.returnPath === 'own')
    checks.push({ name: 'inbound', subject: mailHostname, find: () => findInbound(survey, mailHostname) })
  if (isLoopback(trackingHost)) checks.push({ name: 'tracking', subject: trackingHost, find: async () => checkLocalTracking(config) })
  if (spfInclude !== null) checks.push({ name: 'spf-include', subject: spfInclude, find: () => findSpfInclude(survey, spfInclude) })
  const { checkRelay } = probes
  if (checkRelay !== null)
    checks.push({ name: 'relay', subject: 'SMTP_RELAY_URL', find: async () => checkRelayAnswer('SMTP_RELAY_URL', await checkRelay()) })
  return checks
}

async function askForHost({ lookUp }: Probes, name: string): Promise<HostAnswers> {
  const [a, aaaa, alias] = await Promise.all([lookUp(name, 'A'), lookUp(name, 'AAAA'), lookUp(name, 'CNAME')])
  return { a, aaaa, alias }
}

/** The addresses from which mail leaves: the configured ones, or those of this server if it sends itself. */
async function sendingAddresses({ config, host }: Survey): Promise<string[]> {
  if (config.sendingAddresses !== null) return config.sendingAddresses.slice(0, ADDRESSES_MAX)
  if (config.delivery !== 'direct' || host === null) return []
  const { a, aaaa } = await host
  return valuesOf(a, aaaa).slice(0, ADDRESSES_MAX)
}

/** A finding of each address, or that none is known. */
async function ofAddresses(
  survey: Survey,
  name: CheckName,
  subject: string,
  find: (address: string) => Promise<Finding>,
): Promise<Finding[]> {
  const addresses = await sendingAddresses(survey)
  return addresses.length === 0 ? [noAddresses(survey, name, subject)] : Promise.all(addresses.map(find))
}

function noAddresses({ config }: Survey, name: CheckName, subject: string): Finding {
  const { skipped, unknown } = about(name, subject)
  return config.delivery === 'relay'
    ? skipped('The addresses from which the relay sends are not known.', 'If it is yours, set SENDING_IPS to them.')
    : unknown('The addresses from which mail leaves are not known.', 'Set SENDING_IPS, or publish the addresses of MAIL_HOSTNAME.')
}

async function findReverse({ config, probes }: Survey, address: string): Promise<Finding> {
  const ptr = await probes.lookUp(reverseName(address), 'PTR')
  const names = valuesOf(ptr).slice(0, REVERSE_NAMES_MAX)
  const type = isIpv6(address) ? 'AAAA' : 'A'
  const forward = await Promise.all(names.map(async (name) => ({ name, answer: await probes.lookUp(name, type) })))
  return checkReverse(address, { ptr, forward }, config.delivery === 'direct' ? config.mailHostname : null)
}

async function findBlocklist(survey: Survey, zone: string): Promise<Finding> {
  const addresses = await sendingAddresses(survey)
  if (addresses.length === 0) return noAddresses(survey, 'blocklist', zone)
  return checkBlocklist(zone, await Promise.all(addresses.map((address) => askBlocklist(survey.probes, zone, address))))
}

async function askBlocklist({ lookUp }: Probes, zone: string, address: string): Promise<ListAnswer> {
  const entry = reverseName(address, zone)
  const answer = await lookUp(entry, 'A')
  return { address, answer, reason: answer.kind === 'records' ? await lookUp(entry, 'TXT') : NOTHING }
}

async function findHelloSpf(survey: Survey): Promise<Finding> {
  const { config, probes } = survey
  const addresses = await sendingAddresses(survey)
  if (addresses.length === 0) return noAddresses(survey, 'hello-spf', config.mailHostname)
  const answers = addresses.map((address) => probes.evaluateSpf({ host: config.mailHostname, address }))
  return checkHelloSpf(config.mailHostname, await Promise.all(answers))
}

/** Judges as a receiver of mail from a domain whose record includes the host. */
async function findSpfInclude(survey: Survey, included: string): Promise<Finding> {
  const { host, config, probes } = survey
  const addresses = await sendingAddresses(survey)
  if (addresses.length === 0) return noAddresses(survey, 'spf-include', included)
  const question = { host: host === null ? SOME_DOMAIN : config.mailHostname, record: `v=spf1 include:${included} -all` }
  const [published, ...answers] = await Promise.all([
    probes.lookUp(included, 'TXT'),
    ...addresses.map((address) => probes.evaluateSpf({ ...question, address })),
  ])
  return checkSpfInclude(included, published, answers)
}

async function findMailPort({ config: { probeDomain }, probes }: Survey): Promise<Finding> {
  const mx = await probes.lookUp(probeDomain, 'MX')
  const hosts = mailHosts(mx).slice(0, MAIL_HOSTS_MAX)
  const answers = await Promise.all(hosts.flatMap((host) => [askForServer(probes, host, 'A'), askForServer(probes, host, 'AAAA')]))
  const greetings = await Promise.all(answers.flatMap(({ servers }) => servers).map(probes.greet))
  return checkMailPort(probeDomain, greetings, answers.find(({ answer }) => answer.kind === 'unanswered')?.answer ?? mx)
}

/** Connects as other servers do that bring bounces. */
async function findInbound({ probes }: Survey, mailHostname: string): Promise<Finding> {
  const answers = await Promise.all([askForServer(probes, mailHostname, 'A'), askForServer(probes, mailHostname, 'AAAA')])
  const greetings = await Promise.all(answers.flatMap(({ servers }) => servers).map(probes.greet))
  return checkInbound(mailHostname, greetings, answers.find(({ answer }) => answer.kind === 'unanswered')?.answer ?? NOTHING)
}

/** At its first address: this machine may have one family of addresses only, and others are as good as the first. */
async function askForServer({ lookUp }: Probes, host: string, type: 'A' | 'AAAA') {
  const answer = await lookUp(host, type)
  const servers = valuesOf(answer).map((address) => ({ host, address }))
  return { answer, servers: servers.slice(0, 1) }
}

/** Whether a domain asks for tracking can change at any time. */
function checkLocalTracking({ installation, tracking }: Survey['config']): Finding {
  const { problem, warning } = about('tracking', installation.trackingHost)
  const { opens, clicks } = tracking.byDefault
  const advice = 'Set PUBLIC_URL or TRACKING_HOST to a public name first.'
  return opens || clicks
    ? problem('TRACKING_DEFAULT tracks mail, and no recipient can follow its links, which lead to this host.', advice)
    : warning('No recipient could follow the links of tracked mail, which would lead to this host.', advice)
}

async function findCertificate({ config, probes, clock }: Survey): Promise<Finding> {
  const { protocol, hostname, port } = new URL(config.publicUrl ?? 'http://localhost')
  if (isLoopback(hostname))
    return about('certificate', hostname).skipped('PUBLIC_URL is local.', 'Set it to the https address that recipients use.')
  if (protocol !== 'https:') return checkClearWeb(hostname)
  return checkCertificate(hostname, await openWeb(probes, hostname, { port: Number(port || HTTPS_PORT), isOurs: true }), clock.now())
}

/** The answer of the DNS if no address was found. */
async function openWeb(
  { lookUp, openHttps }: Probes,
  host: string,
  { port, isOurs }: Pick<WebServer, 'port' | 'isOurs'>,
): Promise<HttpsAnswer | RecordAnswer> {
  // In a URL, an IPv6 address is in brackets.
  const literal = host.replace(/^\[|\]$/g, '')
  if (isAddress(literal)) return openHttps({ host: literal, port, addresses: [literal], isOurs })
  const answers = await Promise.all([lookUp(host, 'A'), lookUp(host, 'AAAA')])
  const addresses = valuesOf(...answers)
  if (addresses.length > 0) return openHttps({ host, port, addresses, isOurs })
  return answers.find(({ kind }) => kind === 'unanswered') ?? NOTHING
}

/** The web server from which everyone fetches the provider's MTA-STS policy tells the time. A database on this machine has the same clock. */
async function findClock({ config, probes, repositories, clock }: Survey): Promise<Finding> {
  const webServer = `mta-sts.${config.probeDomain}`
  const readWeb = async () => dateOf(await openWeb(probes, webServer, { port: HTTPS_PORT, isOurs: false }))
  const offsets = [offsetFrom(clock, webServer, readWeb)]
  if (repositories !== null && !isOnThisMachine(config.databaseUrl))
    offsets.push(offsetFrom(clock, 'the database', repositories.health.now))
  return checkClock(await Promise.all(offsets))
}

async function offsetFrom(clock: Context['clock'], source: string, read: () => Promise<Date | null>): Promise<ClockOffset> {
  const before = clock.now().getTime()
  const date = await read().catch(() => null)
  // The other clock was read at some time in between.
  const middle = (before + clock.now().getTime()) / 2
  return { source, offsetMs: date === null ? null : middle - date.getTime() }
}

const dateOf = (answer: HttpsAnswer | RecordAnswer): Date | null => (answer.kind === 'answered' ? answer.date : null)

const isOnThisMachine = (databaseUrl: string | null): boolean => databaseUrl === null || isLoopback(new URL(databaseUrl).hostname)

async function findDmarc({ probes, repositories }: Survey): Promise<Finding | Finding[]> {
  const { unknown, skipped } = about('dmarc', 'verified domains')
  if (repositories === null)
    return unknown('They are not known without the database.', 'Start the service once, or read the message about its database.')
  const domains = await repositories.verifiedDomains.listAcrossTeams(DOMAINS_MAX)
  if (domains.length === 0) return skipped('There are none yet.', 'Register and verify one: POST /domains.')
  return Promise.all(domains.map((domain) => findPolicy(probes, domain)))
}

/** Says nothing once every domain that receives has proven that it belongs to its team. */
async function findUnproven({ repositories }: Survey): Promise<Finding[]> {
  const domains = (await repositories?.verifiedDomains.listUnprovenAcrossTeams(DOMAINS_MAX)) ?? []
  return domains.map(({ name, teamId, until }) =>
    about('receiving', name).warning(
      `Team ${teamId} receives its mail by the MX record alone, which is certain only until ${until.toISOString().slice(0, 10)}.`,
      'Ask the team to publish the DKIM record that GET /domains/{id} shows.',
    ),
  )
}

async function findPolicy({ lookUp }: Probes, { name, root }: { name: string; root: string }): Promise<Finding> {
  const [own, ofRoot] = await Promise.all([lookUp(`_dmarc.${name}`, 'TXT'), lookUp(`_dmarc.${root}`, 'TXT')])
  return checkDmarc(name, root, { own, root: ofRoot })
}

async function findMtaSts({ config: { mailHostname }, probes }: Survey): Promise<Finding> {
  const record = await probes.lookUp(`_mta-sts.${mailHostname}`, 'TXT')
  return checkMtaSts(mailHostname, record, announcesMtaSts(record) ? await probes.fetchMtaSts(mailHostname) : null)
}

const NOTHING: RecordAnswer = { kind: 'absent' }
const HTTPS_PORT = 443

/** Where the server has no name of its own. */
const SOME_DOMAIN = 'sender.invalid'
