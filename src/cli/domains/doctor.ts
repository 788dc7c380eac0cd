import { Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../lib/clock.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { checkDeliverability, toDeliverability } from '../../modules/deliverability/deliverability.service.ts'
import { type DeliverabilityReport, FINDING_STATES, type Finding } from '../../modules/deliverability/findings.ts'
import {
  type InstallationRecord,
  type InstallationRecords,
  installationRecords,
  mtaStsPolicy,
} from '../../modules/deliverability/installation-records.ts'
import type { Probes } from '../../modules/deliverability/probes.client.ts'
import { zoneLines } from '../../modules/domains/records/zone-lines.ts'
import type { Repositories } from '../../repositories.ts'
import { commandConfig, withRepositories } from '../database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'

export function dnsCommand(): Command {
  return new Command('dns')
    .description('The DNS records that this installation itself needs, as its configuration says. `doctor` checks them.')
    .addOption(new Option('--zone', 'print them in the form of a zone file').conflicts('json'))
    .addOption(jsonOption())
    .action(({ zone, json }: JsonOption & { zone?: boolean }) =>
      printRecords(commandConfig(), { isZone: zone === true, isJson: json === true }),
    )
}

function printRecords(config: Config, { isZone, isJson }: { isZone: boolean; isJson: boolean }): void {
  const { mailHostname, installation } = config
  const known = installationRecords({ ...config, trackingHost: installation.trackingHost })
  const policy = mailHostname === 'localhost' ? null : mtaStsPolicy(mailHostname)
  if (isJson) {
    const records = known.records.map(({ host, ...record }) => ({ name: host, ...record }))
    printJson({ records, mta_sts_policy: policy, notes: known.notes, unset: known.unset })
  } else if (isZone) for (const line of zoneLines(known.records)) print(line)
  else
    printForPeople(
      known,
      policy === null ? [] : [`The MTA-STS policy of ${mailHostname}:`, ...policy.split('\n').map((line) => `  ${line}`), ''],
    )
  for (const line of known.unset) say(line)
  // The list is not complete.
  if (known.unset.length > 0) process.exitCode = 1
}

function printForPeople({ records, notes }: InstallationRecords, policyLines: string[]): void {
  if (records.length > 0)
    printTable(
      ['NEED', 'TYPE', 'NAME', 'VALUE', 'FOR'],
      records.map(({ need, type, host, address = host, value, purpose }) => [need, type, address, value ?? unknownValue(type), purpose]),
    )
  for (const line of [...(records.length > 0 ? [''] : []), ...policyLines, ...notes]) print(line)
}

const unknownValue = (type: InstallationRecord['type']): string => (type === 'TXT' ? '(SENDING_IPS is not set)' : '(a public address)')

const WORDS = `
States:
  problem  mail is refused, or will be: the status of the command is then 1
  warning  mail may be refused or seen as spam
  unknown  it could not be found out
  skipped  it does not apply to this configuration

It asks the DNS, connects to mail servers of PROBE_DOMAIN without sending mail, and opens PUBLIC_URL. It takes some seconds.`

/** @param createProbes what asks the world. */
export function doctorCommand(createProbes: (config: Config) => Promise<Probes>): Command {
  return new Command('doctor')
    .description('Check what makes mail arrive: names, addresses, port 25, certificate, clock, blocklists, DMARC.')
    .option('--plan', 'check nothing, and say which members of segments and which automations an update to this version changes')
    .addOption(jsonOption())
    .addHelpText('after', WORDS)
    .action(async ({ json, plan }: JsonOption & { plan?: boolean }) => {
      const config = commandConfig()
      if (plan)
        return withRepositories((repositories) => printPlan(repositories, { isJson: json === true }), { config, tables: 'as they are' })
      const report = await examine(config, await createProbes(config))
      if (json) printJson(toDeliverability(report))
      else printReport(report)
      if (report.status === 'problem') process.exitCode = 1
    })
}

/** Before the update: what it changes for each team, because blank texts count as empty and automations compare texts as segments do. */
async function printPlan({ changedComparisons }: Repositories, { isJson }: { isJson: boolean }): Promise<void> {
  const teams = (await changedComparisons.listAcrossTeams()).filter(
    ({ contacts, segments, automations }) => contacts > 0 || segments.length > 0 || automations.length > 0,
  )
  if (isJson) return printJson({ teams: teams.map(({ teamId, ...counts }) => ({ team_id: teamId, ...counts })) })
  for (const { teamId, contacts, segments, automations } of teams) {
    print(`Team ${teamId}:`)
    if (contacts > 0)
      print(
        `  ${contactsHave(contacts)} a name or a property of white space alone, which counts as empty: placeholders use their fallbacks.`,
      )
    if (segments.length > 0) print(`  Segments that ask whether a text is set, and lose or gain these contacts: ${segments.join(', ')}`)
    if (automations.length > 0)
      print(
        `  Automations that compare texts, which then ignore case, and dates only where the event declares one: ${automations.join(', ')}`,
      )
  }
  if (teams.length === 0) print('Nothing changes.')
}

const contactsHave = (count: number): string => (count === 1 ? 'One contact has' : `${count.toLocaleString('en')} contacts have`)

/** With the database if there is one: what is checked before the first start has none. */
async function examine(config: Config, probes: Probes): Promise<DeliverabilityReport> {
  const check = (repositories: Repositories | null) => checkDeliverability({ config, probes, repositories, clock: systemClock })
  if (config.delivery === 'capture') return check(null)
  const reports: DeliverabilityReport[] = []
  try {
    await withRepositories(async (repositories) => void reports.push(await check(repositories)), { config })
  } catch (error) {
    if (!(error instanceof StartupProblem)) throw error
    say(error.message)
  }
  return reports[0] ?? check(null)
}

function printReport({ note, findings }: DeliverabilityReport): void {
  for (const { state, check, subject, found, advice } of findings) {
    print(`${state.padEnd(STATE_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  ${subject}: ${found}`)
    if (advice !== null) print(`${' '.repeat(STATE_WIDTH + CHECK_WIDTH + 4)}${advice}`)
  }
  if (findings.length > 0) print('')
  if (note !== null) print(note)
  if (findings.length > 0) print(`${countFindings(findings)}.`)
}

const STATE_WIDTH = 7
const CHECK_WIDTH = 11

const countFindings = (findings: readonly Finding[]): string =>
  FINDING_STATES.map((state) => ({ state, count: findings.filter((finding) => finding.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ')
