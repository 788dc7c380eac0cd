import { Command, InvalidArgumentError, Option } from 'commander'
import type { FeedClient } from '../gateways/web/feed-client.ts'
import { systemClock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import { isWebhookEventType, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../lib/webhooks/event-types.ts'
import { timeOfParameter } from '../mail/times/query-times.ts'
import type { Repositories } from '../repositories/repositories.ts'
import type { WebhookRow } from '../repositories/webhooks/webhooks.ts'
import { toWebhookSummary } from '../serializers/webhooks.ts'
import { replayFailed, sendSample } from '../services/webhook-events.ts'
import { allRows, teamOf, withRepositories } from './database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'
import { counted, moment } from './tables.ts'
import { listen } from './webhook-listen.ts'

type TeamOption = { team?: string }
type ListenOptions = { forwardTo: string; url: string; key: string; events: WebhookEventType[] }

const ID_WORDS = 'id of the webhook'

/** `clientOf` reads feeds of a service. */
export function webhookCommands(clientOf: (service: { url: string; key: string }) => Promise<FeedClient>): Command {
  const team = () => new Option('--team <id>', 'id of the team; not needed when there is only one')
  const webhooks = new Command('webhooks').description('Where a team wants to be told what happened: list, test, replay, listen.')
  webhooks
    .command('list')
    .description('List the webhooks of a team, with their health.')
    .addOption(team())
    .addOption(jsonOption())
    .action((options: TeamOption & JsonOption) => withRepositories((repositories) => list(repositories, options)))
  webhooks
    .command('test')
    .description('Send a sample of an event, whatever types the webhook asks for.')
    .argument('<id>', ID_WORDS, idOf)
    .argument('<type>', 'type of the event, such as email.delivered', typeOf)
    .addOption(team())
    .action((webhookId: string, type: WebhookEventType, { team }: TeamOption) =>
      withRepositories(async (repositories, config) => {
        const reference = { teamId: await teamOf(repositories, team), webhookId }
        const id = await sendSample({ repositories, config, clock: systemClock, wakeWorkers }, reference, type)
        const webhook = await repositories.webhooks.find(reference.teamId, webhookId)
        print(webhook?.endpoint === null ? `${id} is in the feed.` : `${id} is sent by the running service.`)
      }),
    )
  webhooks
    .command('replay')
    .description('Send again what was given up, oldest first, at most 10,000 events.')
    .argument('<id>', ID_WORDS, idOf)
    .addOption(new Option('--since <time>', 'only what was given up since then, such as 2026-11-20T09:30:00Z'))
    .addOption(team())
    .action((webhookId: string, { team, since }: TeamOption & { since?: string }) =>
      withRepositories(async (repositories, config) => {
        const reference = { teamId: await teamOf(repositories, team), webhookId }
        const { queued, hasMore } = await replayFailed(
          { repositories, config, clock: systemClock, wakeWorkers },
          reference,
          timeSince(since),
        )
        print(`${counted(queued, 'event is', 'events are')} queued again.${hasMore ? ' There are more: replay again.' : ''}`)
      }),
    )
  webhooks
    .command('listen')
    .description('Forward what happens to a program on this machine, signed, until Ctrl-C. It needs no public address, and no database.')
    .requiredOption('--forward-to <url>', 'where the program listens, such as http://localhost:4000/hook', urlOf)
    .requiredOption('--url <url>', 'address of the service, such as http://localhost:3000', urlOf)
    .requiredOption('--key <key>', 'an API key with full access')
    .addOption(new Option('--events <types...>', 'only these types of event').choices(WEBHOOK_EVENT_TYPES).default([], 'all'))
    .action(async ({ url, key, forwardTo, events }: ListenOptions) => {
      const stopping = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort())
      await listen({ client: await clientOf({ url, key }), forwardTo, events, print, say, stop: stopping.signal })
    })
  return webhooks
}

async function list(repositories: Repositories, { team, json }: TeamOption & JsonOption): Promise<void> {
  const teamId = await teamOf(repositories, team)
  const rows = await allRows((request) => repositories.webhooks.list(teamId, request))
  if (json) return printJson(rows.map((row) => ({ ...toWebhookSummary(row), ...healthOf(row) })))
  if (rows.length === 0) return say('This team has no webhook.')
  printTable(
    ['ID', 'STATUS', 'HEALTH', 'EVENTS', 'ENDPOINT'],
    rows.map((row) => [row.id, row.status, healthWords(row), row.events.length, row.endpoint ?? '(only the feed)']),
  )
}

const timeSince = (text: string | undefined): Date => (text === undefined ? new Date(0) : timeOfParameter('--since', text))

const healthOf = ({ lastSuccessAt, lastFailureAt, failingSince, disabledReason }: WebhookRow) => ({
  last_success_at: toTimestamp(lastSuccessAt),
  last_failure_at: toTimestamp(lastFailureAt),
  failing_since: toTimestamp(failingSince),
  disabled_reason: disabledReason,
})

function healthWords({ endpoint, lastSuccessAt, failingSince, disabledReason }: WebhookRow): string {
  if (endpoint === null) return 'only read'
  if (disabledReason !== null) return disabledReason
  if (failingSince !== null) return `failing since ${moment(failingSince)}`
  return lastSuccessAt === null ? 'nothing sent yet' : `accepted ${moment(lastSuccessAt)}`
}

/** The workers of the service look every second. */
const wakeWorkers = (): void => {}

function idOf(text: string): string {
  if (!isId(text)) throw new Failure('notFound', `"${text}" is no id of a webhook; \`webhooks list\` shows all.`)
  return text.toLowerCase()
}

function typeOf(text: string): WebhookEventType {
  if (!isWebhookEventType(text)) throw new InvalidArgumentError(`It must be one of ${WEBHOOK_EVENT_TYPES.join(', ')}.`)
  return text
}

function urlOf(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new InvalidArgumentError('It must be a URL that begins with http.')
  return url.href
}
