import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { DAY_MS, systemClock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import type { Repositories } from '../repositories.ts'
import { findTeam, withRepositories } from './database.ts'
import { counted, type JsonOption, jsonOption, print, printJson, printTable } from './output.ts'

export function automationCommands(): Command {
  const automations = new Command('automations').description('Automations: dispatch failed events again.')
  automations
    .command('tell-again')
    .description('Dispatch again the events that were set aside after five failed attempts.')
    .addOption(new Option('--team <id>', 'only the events of this team; `teams list` shows ids'))
    .action(({ team }: { team?: string }) =>
      withRepositories(async (repositories) => {
        const teamId = team === undefined ? null : await findTeam(repositories, team)
        const count = await repositories.automationOccurrences.dispatchAgainAcrossTeams(teamId)
        print(`The running service tries ${counted(count, 'event', 'events')} again.`)
      }),
    )
  return automations
}

export function metricsCommands(): Command {
  const metrics = new Command('metrics').description('Metrics of emails: recount.')
  metrics
    .command('recount')
    .description('Count the events of a day (UTC) again, and say whether the metrics differ. The service can keep running.')
    .argument('<day>', 'such as 2026-11-20', parseDay)
    .option('--correct', 'replace the counts by those of the events')
    .addOption(jsonOption())
    .action((day: Date, options: JsonOption & { correct?: boolean }) =>
      withRepositories((repositories, config) => recount(repositories, config, { day, ...options })),
    )
  return metrics
}

type Order = JsonOption & { day: Date; correct?: boolean }

async function recount({ recounts }: Repositories, config: Config, { day, correct = false, json }: Order): Promise<void> {
  refuseUnlessKept(day, config)
  const { differences, eventsWithoutEmail } = await (correct ? recounts.correctDayAcrossTeams(day) : recounts.compareDayAcrossTeams(day))
  const name = formatDay(day)
  if (eventsWithoutEmail > 0)
    throw new Failure(
      'validation',
      `${counted(eventsWithoutEmail, 'event', 'events')} of ${name} cannot be counted again: their emails were removed, and with them the domains that they were counted for.`,
    )
  const isCorrected = correct && differences.length > 0
  if (differences.length > 0 && !correct) process.exitCode = 1
  if (json) return printJson({ day: name, differences, corrected: isCorrected })
  if (differences.length === 0) return print(`The metrics of ${name} match its events.`)
  printTable(
    ['METRIC', 'COUNTED', 'EVENTS'],
    differences.map((one) => [one.counter, one.counted, one.recounted]),
  )
  print(
    isCorrected ? `The metrics of ${name} are corrected.` : `The metrics of ${name} differ from its events; \`--correct\` replaces them.`,
  )
}

function refuseUnlessKept(day: Date, { logRetentionDays, emailRetentionDays }: Config): void {
  const today = Math.floor(systemClock.now().getTime() / DAY_MS) * DAY_MS
  if (day.getTime() > today) throw new Failure('validation', `${formatDay(day)} has not begun yet.`)
  const keptDays = emailRetentionDays === 0 ? logRetentionDays : Math.min(logRetentionDays, emailRetentionDays)
  const first = new Date(today - keptDays * DAY_MS)
  if (day < first)
    throw new Failure(
      'validation',
      `The events of ${formatDay(day)} were removed, or their emails: ${formatDay(first)} is the first day that can be counted again.`,
    )
}

const formatDay = (day: Date): string => day.toISOString().slice(0, 10)

function parseDay(text: string): Date {
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN)
  if (Number.isNaN(day.getTime()) || formatDay(day) !== text) throw new InvalidArgumentError('It must be a day such as 2026-11-20.')
  return day
}
