// Reads the feed of a webhook: what happened, in an order in which nothing that is committed late is skipped.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { HIGHEST_ID, idBound, idTime } from '../../../lib/ids.ts'
import { createKeyCounts } from '../../../lib/limits/counts.ts'
import type { FeedPage, WebhookFeedReader, WebhooksContext } from '../webhooks.context.ts'
import { createFeedWaits, type FeedPosition, feedStart, parsePosition, positionText } from './feed-positions.ts'
import type { FeedHorizon, FeedRow } from './webhook-feed.repository.ts'
import { FEED_WAITING_PER_TEAM_MAX } from './webhook-feed.schema.ts'

type Context = PlatformContext & WebhooksContext

// How much of answers that were made is not yet written, so that readers who do not read cannot fill the memory.

export type UnwrittenAnswers = {
  /** False while a team, or all together, have as much as may be. One more answer is let in before that. */
  hasRoom(team: string): boolean
  /** `over`: aborted once the answer was written, or its reader has gone. */
  add(team: string, characters: number, over: AbortSignal): void
}

export function createUnwrittenAnswers({ perTeam, inAll }: { perTeam: number; inAll: number }): UnwrittenAnswers {
  const ofTeams = createKeyCounts()

  return {
    hasRoom: (team) => ofTeams.total < inAll && ofTeams.of(team) < perTeam,
    add(team, characters, over) {
      if (over.aborted) return
      ofTeams.add(team, characters)
      over.addEventListener('abort', () => ofTeams.takeAway(team, characters), { once: true })
    },
  }
}

type FeedContext = {
  repositories: Pick<Context['repositories'], 'webhookFeed' | 'webhookContents'>
  clock: Context['clock']
  config: Pick<Context['config'], 'logRetentionDays'>
}
type Reader = Parameters<WebhookFeedReader['read']>[0]
type Found = { rows: FeedRow[]; next: FeedPosition; hasMore: boolean }

/** After `now`: nothing that was committed before is read. */
const NOW = 'now'
/** Half of what a reader may have to wait for what is committed. */
const ASKED_EVERY_MS = 500
/** The limit of one process. Each waiting reader holds a connection. */
const WAITING_MAX = 1_000
const RETRY_AFTER_SECONDS = 5
/** Messages whose contents are read at once, and what the contents of an answer may be together. A message is far smaller. */
const CONTENTS_AT_ONCE = 250
const ANSWER_CHARACTERS_MAX = 1_000_000
/** Limits answers that are made and not yet written. */
const UNWRITTEN_CHARACTERS_MAX = { perTeam: 8_000_000, inAll: 32_000_000 }

export function createWebhookFeed({ repositories, clock, config }: FeedContext): WebhookFeedReader {
  const { webhookFeed, webhookContents } = repositories
  const waits = createFeedWaits<{ webhookId: string; position: FeedPosition }>({
    everyMs: ASKED_EVERY_MS,
    waitingMax: { perTeam: FEED_WAITING_PER_TEAM_MAX, inAll: WAITING_MAX },
    // Readers that wait have read everything, so that what is new is of these days.
    findNews: (places) => webhookFeed.hasNewsAcrossTeams(places, idBound(clock.now().getTime() - DAY_MS)),
  })

  const unwritten = createUnwrittenAnswers(UNWRITTEN_CHARACTERS_MAX)

  const settledAt = ({ database, settled }: FeedHorizon): FeedPosition => ({
    ...feedStart(database, clock.now()),
    ...{ isBefore: false, transaction: settled, id: HIGHEST_ID },
  })

  /** The first page after a position that has something, or the position until which there is nothing. */
  async function find(webhookId: string, position: FeedPosition, limit: number): Promise<Found> {
    const read = position.isBefore ? webhookFeed.restoredAfter : webhookFeed.after
    const { horizon, rows } = await read(webhookId, position, limit + 1)
    if (!belongsTo(position, horizon)) return find(webhookId, feedStart(horizon.database, clock.now()), limit)
    const last = rows.length > limit ? rows[limit - 1] : rows.at(-1)
    if (last && (position.isBefore || rows.length > limit))
      return { rows: rows.slice(0, limit), next: after(position, last), hasMore: true }
    if (position.isBefore) return find(webhookId, { ...position, isBefore: false, transaction: '0' }, limit)
    return { rows, next: settledAt(horizon), hasMore: false }
  }

  /** The beginning of what is read, as the reader named it. */
  async function positionAfter(text: string | null): Promise<FeedPosition> {
    const named = text === null || text === NOW ? null : parsePosition(text)
    if (named && !isTooOld(named)) return named
    if (text !== null && text !== NOW && !named)
      throw invalid('The `after` parameter must be `now`, or a position: the `next` of a response of this feed.')
    const horizon = await webhookFeed.horizon()
    if (text === NOW) return settledAt(horizon)
    const beginning = feedStart(horizon.database, clock.now())
    if (named)
      throw new Failure(
        'gone',
        `This position is older than the ${config.logRetentionDays} days for which events are kept. The feed begins at ${positionText(beginning)}.`,
      )
    return beginning
  }

  /** Days are dropped whole. */
  const isTooOld = ({ at }: FeedPosition): boolean =>
    Math.floor(at.getTime() / DAY_MS) < Math.floor(clock.now().getTime() / DAY_MS) - config.logRetentionDays

  async function makePage({ teamId, webhookId, gone }: Reader, { rows, next, hasMore }: Found): Promise<FeedPage> {
    if (rows.length > 0 && !unwritten.hasRoom(teamId))
      throw tooMany('Too many responses of feeds are still being read. Read those to the end first, or retry in a few seconds.')
    const events: FeedPage['events'] = []
    let characters = 0
    const answer = (page: FeedPage): FeedPage => {
      unwritten.add(teamId, characters, gone)
      return page
    }
    for (let read = 0; read < rows.length; read += CONTENTS_AT_ONCE) {
      const part = rows.slice(read, read + CONTENTS_AT_ONCE)
      const contents = await webhookContents.ofAcrossTeams(part.map(({ id }) => ({ webhookId, messageId: id })))
      for (const row of part) {
        const content = contents.get(row.id) ?? null
        const { length } = JSON.stringify(content)
        const last = events.at(-1)?.row
        if (last && characters + length > ANSWER_CHARACTERS_MAX)
          return answer({ events, next: positionText(after(next, last)), hasMore: true })
        characters += length
        events.push({ row, content })
      }
    }
    return answer({ events, next: positionText(next), hasMore })
  }

  return {
    async read(reader, request) {
      const { teamId, webhookId, gone } = reader
      const position = await positionAfter(request.after)
      const found = await find(webhookId, position, request.limit)
      if (found.rows.length > 0 || request.waitMs === 0) return makePage(reader, found)
      const hasWaited = await waits.wait(teamId, { webhookId, position: found.next }, { msMax: request.waitMs, gone })
      if (!hasWaited) throw tooMany('Too many readers are waiting on feeds already. Read without `wait`, or retry in a few seconds.')
      return makePage(reader, await find(webhookId, found.next, request.limit))
    },
    end: () => waits.end(),
  }
}

const tooMany = (sentence: string): Failure => new Failure('rateLimited', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })

/** A number that this database has not reached is one of a copy that was further. */
const belongsTo = ({ database, isBefore, transaction }: FeedPosition, horizon: FeedHorizon): boolean =>
  database === horizon.database && (isBefore || BigInt(transaction) < BigInt(horizon.next))

const after = (position: FeedPosition, { transaction, id }: FeedRow): FeedPosition => ({ ...position, transaction, id, at: idTime(id) })
