import { Command, InvalidArgumentError, Option } from 'commander'
import { timeOfParameter } from '../../http/list-filters.ts'
import { systemClock, toTimestamp } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { replayFailed, sendSample } from '../../modules/webhooks/events/webhook-events.service.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { toWebhookSummary } from '../../modules/webhooks/webhooks.routes.ts'
import { isWebhookEventType, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../modules/webhooks/webhooks.schema.ts'
import type { Repositories } from '../../repositories.ts'
import { freshCredentials } from '../accounts/login.ts'
import { allRows, findTeam, withRepositories } from '../database.ts'
import { counted, formatTime, type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'
import type { FeedClient } from './feed-client.ts'
import { listen } from './webhook-listen.ts'

type TeamOption = { team?: string }
type ListenOptions = { forwardTo: string; url?: string | undefined; key?: string | undefined; events: WebhookEventType[] }
/** `key`: a key with full access, or the token of the person who is signed in. */
type ListenedService = { url: string; key: string | (() => Promise<string>) }

const ID_WORDS = 'id of the webhook'

/** `clientOf` reads feeds of a service. */
export function webhookCommands(clientOf: (service: ListenedService) => Promise<FeedClient>): Command {
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
    .argument('<id>', ID_WORDS, parseWebhookId)
    .argument('<type>', 'type of the event, such as email.delivered', parseEventType)
    .addOption(team())
    .action((webhookId: string, type: WebhookEventType, { team }: TeamOption) =>
      withRepositories(async (repositories, config) => {
        const reference = { teamId: await findTeam(repositories, team), webhookId }
        const id = await sendSample({ repositories, config, clock: systemClock, wakeWorkers }, reference, type)
        const webhook = await repositories.webhooks.find(reference.teamId, webhookId)
        print(webhook?.endpoint === null ? `${id} is in the feed.` : `${id} is sent by the running service.`)
      }),
    )
  webhooks
    .command('replay')
    .description('Queue failed events again, oldest first, at most 10,000.')
    .argument('<id>', ID_WORDS, parseWebhookId)
    .addOption(new Option('--since <time>', 'only events that failed since then, such as 2026-11-20T09:30:00Z'))
    .addOption(team())
    .action((webhookId: string, { team, since }: TeamOption & { since?: string }) =>
      withRepositories(async (repositories, config) => {
        const reference = { teamId: await findTeam(repositories, team), webhookId }
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
    .requiredOption('--forward-to <url>', 'where the program listens, such as http://localhost:4000/hook', parseUrl)
    .option('--url <url>', 'address of the service, such as http://localhost:3000; without it, the one of `posthaste login`', parseUrl)
    .option('--key <key>', 'an API key with full access; without it, the access of `posthaste login`')
    .addOption(new Option('--events <types...>', 'only these types of event').choices(WEBHOOK_EVENT_TYPES).default([], 'all'))
    .action(async ({ url, key, forwardTo, events }: ListenOptions) => {
      const stopping = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort())
      await listen({ client: await clientOf(await serviceOf({ url, key })), forwardTo, events, print, say, stop: stopping.signal })
    })
  return webhooks
}

async function serviceOf({ url, key }: Pick<ListenOptions, 'url' | 'key'>): Promise<ListenedService> {
  if (url !== undefined && key !== undefined) return { url, key }
  if (url !== undefined || key !== undefined)
    throw new StartupProblem('Give both --url and --key, or sign in with `posthaste login` and give neither.')
  const signedIn = await freshCredentials()
  return { url: signedIn.url, key: async () => (await freshCredentials()).access_token }
}

async function list(repositories: Repositories, { team, json }: TeamOption & JsonOption): Promise<void> {
  const teamId = await findTeam(repositories, team)
  const rows = await allRows((request) => repositories.webhooks.list(teamId, request))
  if (json) return printJson(rows.map((row) => ({ ...toWebhookSummary(row), ...healthOf(row) })))
  if (rows.length === 0) return say('This team has no webhook.')
  printTable(
    ['ID', 'STATUS', 'HEALTH', 'EVENTS', 'ENDPOINT'],
    rows.map((row) => [row.id, row.status, describeHealth(row), row.events.length, row.endpoint ?? '(only the feed)']),
  )
}

const timeSince = (text: string | undefined): Date => (text === undefined ? new Date(0) : timeOfParameter('--since', text))

const healthOf = ({ lastSuccessAt, lastFailureAt, failingSince, disabledReason }: WebhookRow) => ({
  last_success_at: toTimestamp(lastSuccessAt),
  last_failure_at: toTimestamp(lastFailureAt),
  failing_since: toTimestamp(failingSince),
  disabled_reason: disabledReason,
})

function describeHealth({ endpoint, lastSuccessAt, failingSince, disabledReason }: WebhookRow): string {
  if (endpoint === null) return 'only read'
  if (disabledReason !== null) return disabledReason
  if (failingSince !== null) return `failing since ${formatTime(failingSince)}`
  return lastSuccessAt === null ? 'nothing sent yet' : `accepted ${formatTime(lastSuccessAt)}`
}

/** The workers of the service look every second. */
const wakeWorkers = (): void => {}

function parseWebhookId(text: string): string {
  if (!isId(text)) throw new Failure('notFound', `"${text}" is not the id of a webhook; \`webhooks list\` shows all.`)
  return text.toLowerCase()
}

function parseEventType(text: string): WebhookEventType {
  if (!isWebhookEventType(text)) throw new InvalidArgumentError(`It must be one of ${WEBHOOK_EVENT_TYPES.join(', ')}.`)
  return text
}

function parseUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new InvalidArgumentError('It must be a URL that begins with http.')
  return url.href
}
