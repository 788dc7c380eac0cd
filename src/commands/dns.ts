import { Command, Option } from 'commander'
import type { Config } from '../config.ts'
import {
  type InstallationRecord,
  type InstallationRecords,
  installationRecords,
  mtaStsPolicy,
} from '../mail/deliverability/installation-records.ts'
import { zoneLines } from '../mail/deliverability/zone-file.ts'
import { commandConfig } from './database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'

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
