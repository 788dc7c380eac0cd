import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, so that none of them begins when the others have ended. Vitest knows how long a file takes only after a run. Journeys,
 * which mostly wait for a dead worker to be found, alternate with files that keep a processor busy.
 */
export const LONGEST_FILES = [
  'journeys/kills.test.ts',
  'browser/docs.test.ts',
  'journeys/returned-mail-killed.test.ts',
  'browser/console.test.ts',
  'journeys/webhooks-killed.test.ts',
  'command-line/start.test.ts',
  'journeys/import-killed.test.ts',
  'browser/unsubscribe.test.ts',
  'journeys/stalls.test.ts',
  'journeys/starting-and-stopping.test.ts',
  'browser/domains.test.ts',
  'journeys/upload-cut-short.test.ts',
  'workers/engine/relay.test.ts',
  'journeys/outages.test.ts',
  'house/linear-work.test.ts',
  'command-line/beside-a-service.test.ts',
  'repositories/contacts/contacts-races.test.ts',
  'workers/fetch-attachments.test.ts',
  'database/embedded/embedded-postgres.test.ts',
  'plugins/rate-limit.test.ts',
  'browser/share.test.ts',
  'plugins/bodies/unread-body.test.ts',
  'browser/webhooks.test.ts',
  'workers/check-claims.test.ts',
  'workers/check-domains.test.ts',
]

/** What takes longest, and then the rest in the order of Vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files))
  }
}

/** One project after the other, because a worker serves one at a time: first the one with the longest files, and its longest files first of all. */
export function longestFirst<File extends Pick<TestSpecification, 'moduleId'> & { project: unknown }>(files: File[]): File[] {
  const sorted = files.toSorted((one, other) => rankOf(one) - rankOf(other))
  return [...Map.groupBy(sorted, ({ project }) => project).values()].flat()
}

/** Its place among the longest; that of all others comes after them. */
function rankOf({ moduleId }: Pick<TestSpecification, 'moduleId'>): number {
  const rank = LONGEST_FILES.findIndex((name) => moduleId.endsWith(`/test/${name}`))
  return rank === -1 ? LONGEST_FILES.length : rank
}
